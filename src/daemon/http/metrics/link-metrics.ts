// The links: each connection with its figures, and of each two sites, racks or kinds what their links have.

import type { Labels } from '../../../core/figure/figure-row.ts';
import { GROUP_PAIR_FIGURES } from '../../../core/group/group-figures.ts';
import { byNeedOfPairs, groupPairs } from '../../../core/group/group-pairs.ts';
import { type GroupSources, groupViews } from '../../../core/group/group-view.ts';
import type { NodeId } from '../../../core/ids.ts';
import { CONNECTION_FIGURES, PATH_FIGURES } from '../../../core/link/connection-figures.ts';
import { connectionNames } from '../../../core/link/connection-names.ts';
import type { ConnectionFacts, LostPath } from '../../../core/link/link-facts.ts';
import { isCarrying, type LinkView } from '../../../core/link/link-view.ts';
import { pathEndsText } from '../../../core/link/loss-text.ts';
import { nodeName } from '../../../core/node/node-view.ts';
import type { State } from '../../../core/state.ts';
import { isUnknown, knownOr } from '../../../core/unknown.ts';
import { listedLinks } from '../cluster-views.ts';
import { REPORTED_BY } from './group-metrics.ts';
import type { MetricPage } from './metric-page.ts';

interface LinkMetricsInput {
  readonly state: State;
  readonly nowMs: number;
  readonly nodeId: NodeId;
  readonly connectionsMax: number;
  /** Nodes whose connections are included, at either end; all if undefined. */
  readonly only: ReadonlySet<NodeId> | undefined;
  readonly links: readonly LinkView[];
}

/** A whole mesh has connections by the square of its nodes: past the limit each node includes its own first. */
export const addLinkMetrics = (page: MetricPage, input: LinkMetricsInput): void => {
  const { state, nowMs, nodeId, connectionsMax, only, links } = input;
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
  page.gauge(LINK_METRICS.leftOut, {}, rows.length - reported.length);
  const names = connectionNames(rows);
  for (const row of reported) {
    const { source, sink } = row;
    const labels: Labels = {
      source,
      source_name: nodeName(state, source),
      sink,
      sink_name: nodeName(state, sink),
      connection: names.get(row) ?? '',
    };
    page.figures(CONNECTION_FIGURES, row, { labels });
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
  { state, nowMs, nodeId, links, only, connectionsMax }: LinkMetricsInput,
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
  page.gauge(LINK_METRICS.pathsLeftOut, {}, series.length - reported.length);
  for (const { labels, lost } of reported) page.figures(PATH_FIGURES, { lost, nowMs }, { labels });
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
    page.gauge(LINK_METRICS.pairsLeftOut, { by: by.kind }, Math.max(0, pairs.length - PAIRS_REPORTED_MAX));
    for (const pair of pairs.toSorted(byNeedOfPairs).slice(0, PAIRS_REPORTED_MAX)) {
      const [group, other] = pair.groups;
      page.figures(GROUP_PAIR_FIGURES, pair, {
        labels: { by: by.kind, group: group.id, other: other.id },
      });
    }
  }
};

/** Of sites, racks and kinds each: sixty racks have 1,830 pairs. */
const PAIRS_REPORTED_MAX = 2_048;

export const LINK_METRICS = {
  leftOut: {
    name: 'plimsoll_links_left_out',
    help: 'Connections beyond the limit, as counted by their own nodes.',
  },
  pathsLeftOut: {
    name: 'plimsoll_link_paths_left_out',
    help: 'Paths beyond the limit; those that are lost come first, then those of the answering node.',
  },
  pairsLeftOut: {
    name: 'plimsoll_group_pairs_left_out',
    help: 'Pairs of groups with measured links beyond the limit.',
  },
} as const;
