// The location of each node, as labels that a query can join, and the totals of each site, rack and kind. Not by tag, of which a
// node may have many. A cluster without sites or racks has none of these series.

import type { GroupBy } from '../../../core/group/group-by.ts';
import { GROUP_FIGURES } from '../../../core/group/group-figures.ts';
import { type GroupSources, groupViews, nodePlaces } from '../../../core/group/group-view.ts';
import type { NodePlace } from '../../../core/group/node-place.ts';
import type { NodeView } from '../../../core/node/node-view.ts';
import { knownOr } from '../../../core/unknown.ts';
import type { MetricPage } from './metric-page.ts';

export const addGroupMetrics = (page: MetricPage, sources: GroupSources): void => {
  const places = nodePlaces(sources.views);
  for (const view of sources.views) addPlace(page, view, places.get(view.nodeId));
  for (const by of REPORTED_BY) {
    const groups = groupViews({ ...sources, places }, by);
    if (groups.every(({ id }) => id === '')) continue;
    page.gauge(GROUP_METRICS.leftOut, { by: by.kind }, Math.max(0, groups.length - GROUPS_REPORTED_MAX));
    for (const group of groups.slice(0, GROUPS_REPORTED_MAX))
      page.figures(GROUP_FIGURES, group, { labels: { by: by.kind, group: group.id } });
  }
};

const addPlace = (page: MetricPage, { nodeId, name }: NodeView, place: NodePlace | undefined): void => {
  if (place === undefined) return;
  const [site = '', rack = '', kind = ''] = [place.site, place.rack, place.kind].map(
    placed => knownOr(placed, undefined)?.name,
  );
  page.gauge(GROUP_METRICS.place, { node: nodeId, name, site, rack, kind }, 1);
};

export const REPORTED_BY: readonly GroupBy[] = [{ kind: 'site' }, { kind: 'rack' }, { kind: 'kind' }];
/** Of each kind: more series of groups would cost a scrape more than they are worth. */
const GROUPS_REPORTED_MAX = 128;

export const GROUP_METRICS = {
  place: {
    name: 'plimsoll_node_place_info',
    help: 'Always 1; site, rack and kind of a node are labels, empty where they are not known.',
  },
  leftOut: { name: 'plimsoll_groups_left_out', help: 'Groups beyond the limit.' },
} as const;
