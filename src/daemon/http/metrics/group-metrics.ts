// The location of each node, as labels that a query can join, and the totals of each site, rack and kind. Not by tag, of which a
// node may have many. A cluster without sites or racks has none of these series.

import type { GroupBy } from '../../../core/group/group-by.ts';
import { type Group, type GroupSources, groupViews, nodePlaces } from '../../../core/group/group-view.ts';
import type { NodePlace } from '../../../core/group/node-place.ts';
import type { NodeView } from '../../../core/node/node-view.ts';
import type { Total } from '../../../core/totals.ts';
import { knownOr } from '../../../core/unknown.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addGroupMetrics = (page: MetricPage, sources: GroupSources): void => {
  const places = nodePlaces(sources.views);
  for (const view of sources.views) addPlace(page, view, places.get(view.nodeId));
  for (const by of REPORTED_BY) {
    const groups = groupViews({ ...sources, places }, by);
    if (groups.every(({ id }) => id === '')) continue;
    page.gauge(GROUP.leftOut, { by: by.kind }, Math.max(0, groups.length - GROUPS_REPORTED_MAX));
    for (const group of groups.slice(0, GROUPS_REPORTED_MAX)) addGroup(page, group, by);
  }
};

const addPlace = (page: MetricPage, { nodeId, name }: NodeView, place: NodePlace | undefined): void => {
  if (place === undefined) return;
  const [site = '', rack = '', kind = ''] = [place.site, place.rack, place.kind].map(
    placed => knownOr(placed, undefined)?.name,
  );
  page.gauge(NODE_PLACE, { node: nodeId, name, site, rack, kind }, 1);
};

const addGroup = (page: MetricPage, group: Group, by: GroupBy): void => {
  const labels: Labels = { by: by.kind, group: group.id };
  const { nodes, totals } = group;
  for (const state of ['up', 'stale', 'stopped', 'offline'] as const)
    page.gauge(GROUP.nodes, { ...labels, state }, nodes[state]);
  for (const level of ['danger', 'caution', 'note'] as const)
    page.gauge(GROUP.warnings, { ...labels, level }, group.warnings[level]);
  page.gauge(GROUP.gpus, labels, totals.gpuCount);
  page.gauge(GROUP.memoryTotal, labels, sumOf(totals.memoryTotalBytes));
  page.gauge(GROUP.memoryUsed, labels, sumOf(totals.memoryUsedBytes));
  page.gauge(GROUP.flops, labels, sumOf(totals.gpuFlopsPerSecond));
  page.gauge(GROUP.bandwidth, labels, sumOf(totals.gpuMemoryBytesPerSecond));
  const { sum, knownCount } = group.gpuUse;
  page.gauge(GROUP.gpuUse, labels, knownCount === 0 ? undefined : sum / knownCount);
  page.gauge(GROUP.runners, labels, group.runners);
  page.gauge(GROUP.tokens, labels, sumOf(group.outputTokensPerSecond));
};

/** Nothing where nothing is known: no sample is better than a zero. */
const sumOf = ({ sum, knownCount }: Total): number | undefined => (knownCount === 0 ? undefined : sum);

export const REPORTED_BY: readonly GroupBy[] = [{ kind: 'site' }, { kind: 'rack' }, { kind: 'kind' }];
/** Of each kind: more series of groups would cost a scrape more than they are worth. */
const GROUPS_REPORTED_MAX = 128;

const NODE_PLACE = {
  name: 'plimsoll_node_place_info',
  help: 'Always 1; site, rack and kind of a node are labels, empty where they are not known.',
};

const GROUP = {
  leftOut: { name: 'plimsoll_groups_left_out', help: 'Groups beyond the limit.' },
  nodes: { name: 'plimsoll_group_nodes', help: 'Nodes of a site, rack or kind, by state.' },
  warnings: { name: 'plimsoll_group_warnings', help: 'Warnings of the nodes of a group, by level.' },
  gpus: { name: 'plimsoll_group_gpus', help: 'GPUs of the nodes of a group that are not offline.' },
  memoryTotal: { name: 'plimsoll_group_memory_total_bytes', help: "Memory of the hosts and GPUs' own." },
  memoryUsed: { name: 'plimsoll_group_memory_used_bytes', help: 'Used memory of the hosts and GPUs.' },
  flops: {
    name: 'plimsoll_group_gpu_fp16_flops_per_second',
    help: 'Measured FP16 operations a second of the GPUs of the group.',
  },
  bandwidth: {
    name: 'plimsoll_group_gpu_memory_read_bytes_per_second',
    help: 'Measured memory bandwidth of the GPUs of the group.',
  },
  gpuUse: { name: 'plimsoll_group_gpu_use_ratio', help: 'Mean use of the GPUs of the group.' },
  runners: {
    name: 'plimsoll_group_runners',
    help: 'Processes that serve or generate on the nodes of the group.',
  },
  tokens: {
    name: 'plimsoll_group_output_tokens_per_second',
    help: 'Of the runs against its nodes, over the last seconds.',
  },
} as const;
