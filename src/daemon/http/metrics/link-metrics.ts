// The links: each connection with its figures, and of each two sites, racks or kinds what their links have.

import { byNeedOfPairs, groupPairs } from '../../../core/group/group-pairs.ts';
import { type GroupSources, groupViews } from '../../../core/group/group-view.ts';
import type { NodeId } from '../../../core/ids.ts';
import { connectionNames } from '../../../core/link/connection-names.ts';
import type { ConnectionFacts, LostPath } from '../../../core/link/link-facts.ts';
import { hasFigures } from '../../../core/link/link-profile.ts';
import { isCarrying, type LinkView } from '../../../core/link/link-view.ts';
import { pathEndsText } from '../../../core/link/loss-text.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import type { State } from '../../../core/state.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../../../core/unknown.ts';
import { listedLinks } from '../cluster-views.ts';
import { REPORTED_BY } from './group-metrics.ts';
import type { Labels, MetricPage } from './metric-page.ts';

interface LinkMetricsInput {
  readonly state: State;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly nodeId: NodeId;
  readonly connectionsMax: number;
  /** Nodes whose connections are included, at either end; all if undefined. */
  readonly only: ReadonlySet<NodeId> | undefined;
  readonly links: readonly LinkView[];
}

/** A whole mesh has connections by the square of its nodes: past the limit each node includes its own first. */
export const addLinkMetrics = (page: MetricPage, input: LinkMetricsInput): void => {
  const { state, nowMs, wallMs, nodeId, connectionsMax, only, links } = input;
  addPaths(page, input);
  const listed = listedLinks(state, nowMs, links).filter(
    ({ source, sink }) => only === undefined || only.has(source) || only.has(sink),
  );
  const rows = listed.filter(({ lost }) => isUnknown(lost));
  const [own, others] = [
    rows.filter(row => row.source === nodeId),
    rows.filter(row => row.source !== nodeId),
  ];
  const reported = [...own, ...others].slice(0, connectionsMax);
  page.gauge(LINK.leftOut, {}, rows.length - reported.length);
  const names = connectionNames(rows);
  for (const row of reported) {
    const { source, sink, carrier, profile } = row;
    const labels: Labels = {
      source,
      source_name: nodeName(state, source),
      sink,
      sink_name: nodeName(state, sink),
      connection: names.get(row) ?? '',
    };
    if (isKnown(carrier)) page.gauge(LINK.negotiated, labels, bytesOf(carrier.negotiatedBitsPerSecond));
    if ('reason' in profile) continue;
    const measured = profile.value;
    page.gauge(LINK.upload, labels, bytesOf(measured.uploadBitsPerSecond));
    page.gauge(LINK.download, labels, bytesOf(measured.downloadBitsPerSecond));
    page.gauge(LINK.roundTrip, labels, secondsOf(measured.roundTripNsP50));
    page.gauge(LINK.jitter, labels, secondsOf(measured.jitterNs));
    page.gauge(LINK.allReduce, { ...labels, bytes: '16384' }, secondsOf(measured.allReduceNs16Kib));
    page.gauge(LINK.allReduce, { ...labels, bytes: '1048576' }, secondsOf(measured.allReduceNs1Mib));
    page.gauge(LINK.queue, { ...labels, direction: 'upload' }, secondsOf(measured.uploadQueueNs));
    page.gauge(LINK.queue, { ...labels, direction: 'download' }, secondsOf(measured.downloadQueueNs));
    // Of the figures, which a failed attempt keeps; a probe that never succeeded has no such moment.
    if (hasFigures(measured))
      page.gauge(LINK.measuredAt, labels, (wallMs - profile.ageMs - measured.measuredAgeMs) / 1_000);
  }
};

interface PathSeries {
  readonly labels: Labels;
  readonly lost: LostPath | undefined;
  /** Lost ones first, then those of the answering node: the rest is left out. */
  readonly rank: number;
}

/**
 * One series a path, which stays while the path is lost: an alert needs something to look at. Of a path that only waits for a node to
 * return there is none, as there is no warning.
 */
const addPaths = (
  page: MetricPage,
  { state, wallMs, nowMs, nodeId, links, only, connectionsMax }: LinkMetricsInput,
): void => {
  const series = links
    .filter(({ nodes: [a, b] }) => only === undefined || only.has(a) || only.has(b))
    .flatMap(({ nodes, connections, lost, standing }): readonly PathSeries[] => {
      const open = new Map(connections.map(facts => [facts.path, facts]));
      const isOwn = nodes.includes(nodeId);
      const seriesOf = (of: ConnectionFacts, path?: LostPath): PathSeries => ({
        labels: pathLabels(state, nodes, of),
        lost: path,
        rank: (path === undefined ? 2 : 0) + (isOwn ? 0 : 1),
      });
      return [
        ...(isCarrying(standing) ? [...open.values()].map(of => seriesOf(of)) : []),
        ...lost.map(path => seriesOf(path.of, path)),
      ];
    })
    .toSorted((a, b) => a.rank - b.rank);
  const reported = series.slice(0, connectionsMax);
  page.gauge(PATH.leftOut, {}, series.length - reported.length);
  for (const { labels, lost } of reported) {
    page.gauge(PATH.up, labels, lost === undefined ? 1 : 0);
    if (lost !== undefined)
      page.gauge(PATH.lostAt, labels, (wallMs - Math.max(0, nowMs - lost.lostAtMs)) / 1_000);
  }
};

const pathLabels = (state: State, nodes: LinkView['nodes'], of: ConnectionFacts): Labels => ({
  node: nodes[0],
  name: nodeName(state, nodes[0]),
  peer: nodes[1],
  peer_name: nodeName(state, nodes[1]),
  path: pathEndsText(of, nodes),
  kind: of.connection.kind,
  type: String(knownOr(of.carrier.type, 'unknown')),
});

/** Nothing of groups of which no link is measured; those that need a look come first. */
export const addGroupPairMetrics = (
  page: MetricPage,
  sources: GroupSources,
  links: readonly LinkView[],
): void => {
  const { views } = sources;
  for (const by of REPORTED_BY) {
    const groups = groupViews(sources, by);
    if (groups.length < 2) continue;
    const pairs = groupPairs(groups, links, views.length).filter(({ median }) => median !== undefined);
    page.gauge(PAIR.leftOut, { by: by.kind }, Math.max(0, pairs.length - PAIRS_REPORTED_MAX));
    for (const { groups: two, linkCount, median, worst } of pairs
      .toSorted(byNeedOfPairs)
      .slice(0, PAIRS_REPORTED_MAX)) {
      const labels: Labels = { by: by.kind, group: two[0].id, other: two[1].id };
      page.gauge(PAIR.links, labels, linkCount);
      page.gauge(PAIR.median, labels, median === undefined ? undefined : median / 8);
      page.gauge(PAIR.worst, labels, worst === undefined ? undefined : worst / 8);
    }
  }
};

const bytesOf = (bits: Reported<number>): number | undefined => (isKnown(bits) ? bits / 8 : undefined);

const secondsOf = (nanoseconds: number | { readonly kind: 'unknown' }): number | undefined =>
  isUnknown(nanoseconds) || typeof nanoseconds !== 'number' ? undefined : nanoseconds / 1e9;

/** Of sites, racks and kinds each: sixty racks have 1,830 pairs. */
const PAIRS_REPORTED_MAX = 2_048;

const LINK = {
  leftOut: {
    name: 'plimsoll_links_left_out',
    help: 'Connections beyond the limit, as counted by their own nodes.',
  },
  negotiated: {
    name: 'plimsoll_link_negotiated_bytes_per_second',
    help: 'Negotiated rate of the slower end of a connection.',
  },
  upload: { name: 'plimsoll_link_upload_bytes_per_second', help: 'Measured, source to sink.' },
  download: { name: 'plimsoll_link_download_bytes_per_second', help: 'Measured, sink to source.' },
  roundTrip: { name: 'plimsoll_link_round_trip_p50_seconds', help: 'Median round trip.' },
  jitter: { name: 'plimsoll_link_jitter_seconds', help: 'Mean difference between consecutive round trips.' },
  allReduce: {
    name: 'plimsoll_link_all_reduce_seconds',
    help: "Median time in which both ends have each other's bytes; labels bytes.",
  },
  queue: {
    name: 'plimsoll_link_queue_seconds',
    help: 'How much longer a round trip takes while the direction carries all it can.',
  },
  measuredAt: {
    name: 'plimsoll_link_profile_timestamp_seconds',
    help: 'When the figures of a connection were measured.',
  },
} as const;

const PATH = {
  up: {
    name: 'plimsoll_link_path_up',
    help: 'Whether a connection of the path between two interfaces is open: 1, or 0 while it is lost.',
  },
  leftOut: {
    name: 'plimsoll_link_paths_left_out',
    help: 'Paths beyond the limit; those that are lost come first, then those of the answering node.',
  },
  lostAt: {
    name: 'plimsoll_link_path_lost_timestamp_seconds',
    help: 'When the last connection of a lost path closed.',
  },
} as const;

const PAIR = {
  leftOut: {
    name: 'plimsoll_group_pairs_left_out',
    help: 'Pairs of groups with measured links beyond the limit.',
  },
  links: {
    name: 'plimsoll_group_pair_links',
    help: 'Links between two groups, or within one (group and other the same).',
  },
  median: {
    name: 'plimsoll_group_pair_median_bytes_per_second',
    help: 'Median of the measured links of two groups, each by its slower direction.',
  },
  worst: {
    name: 'plimsoll_group_pair_worst_bytes_per_second',
    help: 'The slowest of these links.',
  },
} as const;
