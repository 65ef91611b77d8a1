// What of a cluster a screen shows: all nodes or some, one by one or in groups. The same for `status` and `top`.

import { counted, figureText, formatBitsPerSecond, UNKNOWN_FIGURE } from '../core/figure/figure.ts';
import type { GroupBy } from '../core/group/group-by.ts';
import { byNeedOfPairs, type GroupPair, groupPairs } from '../core/group/group-pairs.ts';
import { groupViews } from '../core/group/group-view.ts';
import {
  EVERY_NODE,
  filteredViews,
  isFiltering,
  type PlaceFilter,
  warningsOf,
} from '../core/group/place-filter.ts';
import { type LinkView, linkViews } from '../core/link/link-view.ts';
import { inNameOrder, type NodeView, nodeName, nodeView } from '../core/node/node-view.ts';
import { nodeIds } from '../core/node/presence-view.ts';
import type { State } from '../core/state.ts';
import { everyWarning } from '../core/warnings/cluster-warnings.ts';
import { boundedWarnings, type Warning } from '../core/warnings/warning.ts';
import { groupTable } from './group-table.ts';
import { linkTable } from './link-table.ts';
import { type NodeField, nodeTable } from './node-table.ts';
import { type Line, part } from './part.ts';
import type { RenderOptions } from './render.ts';
import { type Column, layoutTable } from './table.ts';
import { windowAround } from './top-view.ts';

export interface ClusterScope {
  readonly by: GroupBy | undefined;
  readonly filter: PlaceFilter;
}

export const WHOLE_CLUSTER: ClusterScope = { by: undefined, filter: EVERY_NODE };

export interface ScopedCluster {
  /** In the order of their names. */
  readonly views: readonly NodeView[];
  /** With an end that is shown. */
  readonly links: readonly LinkView[];
  /** As many as a person reads. */
  readonly warnings: readonly Warning[];
  /** All of them, for what counts them. */
  readonly every: readonly Warning[];
  /** Of the whole cluster. */
  readonly nodeCount: number;
  /** The text if nothing is shown; undefined if something is. */
  readonly nothing: string | undefined;
}

export const scopedCluster = (state: State, nowMs: number, { filter }: ClusterScope): ScopedCluster => {
  const all = inNameOrder(nodeIds(state).map(id => nodeView(state, id, nowMs)));
  const views = filteredViews(all, filter);
  const links = linkViews(state, nowMs);
  const found = everyWarning({ state, views: all, nowMs, links });
  const nothing =
    all.length === 0
      ? 'No node has reported yet.'
      : views.length === 0
        ? `None of ${all.length === 1 ? 'one node' : `${all.length} nodes`} matches the filter.`
        : undefined;
  const shown = new Set(views.map(({ nodeId }) => nodeId));
  const every = isFiltering(filter) ? warningsOf(found, views) : found;
  return {
    views,
    links: isFiltering(filter) ? links.filter(({ nodes }) => nodes.some(node => shown.has(node))) : links,
    warnings: boundedWarnings(every),
    every,
    nodeCount: all.length,
    nothing,
  };
};

/** Links, or the ways between groups, at most `rowsMax` of them. */
export const scopeLinks = (
  { views, links, every: warnings, nodeCount }: ScopedCluster,
  { state, nowMs, by, ...options }: Parameters<typeof scopeTable>[1],
): readonly Line[] =>
  by === undefined
    ? linkTable(state, nowMs, { ...options, links })
    : pairTable(
        state,
        groupPairs(groupViews({ state, views, warnings, nowMs }, by), links, nodeCount),
        options,
      );

/** Nodes or groups, at most `rowsMax` of them; a last line has the number of further ones. */
export const scopeTable = (
  { views, every: warnings }: ScopedCluster,
  {
    state,
    nowMs,
    by,
    rowsMax,
    chosen,
    ...options
  }: RenderOptions & {
    /** Which node is marked; the others are those around it. */
    readonly chosen?: number;
    readonly fields?: readonly NodeField[] | undefined;
    readonly state: State;
    readonly nowMs: number;
    readonly by: GroupBy | undefined;
    readonly rowsMax: number;
  },
): readonly Line[] => {
  if (by !== undefined)
    return groupTable(groupViews({ state, views, warnings, nowMs }, by), by, { ...options, rowsMax });
  // A single extra row needs no more space than the line that would count it.
  const hidden = views.length <= rowsMax + 1 ? 0 : views.length - rowsMax;
  if (chosen !== undefined) {
    const { from, to } = windowAround(views.length, chosen, views.length - hidden);
    const nodes = nodeTable(state, views.slice(from, to), { ...options, chosen: views[chosen]?.nodeId });
    return hidden === 0
      ? nodes
      : [...nodes, [part(`  … nodes ${from + 1} to ${to} of ${views.length}`, 'dim')]];
  }
  const nodes = nodeTable(state, views.slice(0, views.length - hidden), options);
  return hidden === 0
    ? nodes
    : [...nodes, [part(`  … ${hidden} more ${hidden === 1 ? 'node' : 'nodes'}`, 'dim')]];
};

// The links between groups as a table, one row each two groups, what needs a look first: the median, and the worst by name.

/** At most `rowsMax` rows; last lines count the other pairs, and those of which nothing is known with their reason. */
const pairTable = (
  state: State,
  pairs: readonly GroupPair[],
  { columns, rowsMax }: { readonly columns: number; readonly rowsMax: number },
): readonly Line[] => {
  const known = pairs.filter(({ median }) => median !== undefined).toSorted(byNeedOfPairs);
  if (pairs.length === 0) return [];
  const shown = known.length <= rowsMax ? known : known.slice(0, Math.max(1, rowsMax - 1));
  return [
    ...(shown.length === 0
      ? []
      : layoutTable(
          COLUMNS,
          shown.map(pair => cellsOf(state, pair)),
          columns,
        )),
    ...countLine(known.length - shown.length, 'more'),
    ...[...Map.groupBy(pairs, ({ reason }) => reason)].flatMap(([reason, withReason]) =>
      reason === undefined ? [] : countLine(withReason.length, reason),
    ),
  ];
};

const countLine = (count: number, what: string): readonly Line[] =>
  count === 0 ? [] : [[part(`  … ${counted(count, 'pair')} ${what}`, 'dim')]];

const cellsOf = (state: State, { groups: [one, other], ...ways }: GroupPair): readonly Line[] => {
  const { isFlagged, linkCount, median, worst, worstNodes } = ways;
  const names = worstNodes?.map(node => nodeName(state, node)).join(' – ') ?? '';
  return [
    [isFlagged ? part('! ', 'caution') : part('● ', 'good'), part(one.name, 'strong')],
    [part(one === other ? 'within' : other.name, one === other ? 'dim' : 'strong')],
    [part(String(linkCount))],
    [part(rateText(median))],
    [part(rateText(worst), isFlagged ? 'caution' : 'plain')],
    [part(names, isFlagged ? 'plain' : 'dim')],
  ];
};

const rateText = (bitsPerSecond: number | undefined): string =>
  bitsPerSecond === undefined ? UNKNOWN_FIGURE.figure : figureText(formatBitsPerSecond(bitsPerSecond));

const COLUMNS: readonly Column[] = [
  { title: '  Between', isNumber: false, widthMax: 28, rank: 0 },
  { title: 'and', isNumber: false, widthMax: 26, rank: 0 },
  { title: 'Links', isNumber: true, widthMax: 7, rank: 3 },
  { title: 'Median', isNumber: true, widthMax: 10, rank: 0 },
  { title: 'Worst', isNumber: true, widthMax: 10, rank: 0 },
  { title: 'Its ends', isNumber: false, widthMax: 40, rank: 1 },
];
