// Groups of nodes as a person should see them: how many of their nodes are up, what they can carry together,
// what is wrong in each. Small enough that a page of a thousand nodes can start with them; the nodes of one
// group are loaded later.

import type { NodeId } from '../ids.ts';
import { gpusOf, memoryUseSum, modelMemoryUse, usedShare } from '../node/memory-use.ts';
import { freshGpuUse, inNameOrder, type NodeView, presenceLabel } from '../node/node-view.ts';
import { freshUse } from '../node/node-vitals.ts';
import { recordOf } from '../record-of.ts';
import { activeLeases, runOfLease } from '../run/run-selectors.ts';
import type { State } from '../state.ts';
import { type ClusterTotals, type Total, totalOf, totalsOf } from '../totals.ts';
import { knownOr, unknown } from '../unknown.ts';
import type { Warning } from '../warnings/warning.ts';
import { type GroupBy, type GroupName, groupsOf } from './group-by.ts';
import { type NodePlace, nodePlace } from './node-place.ts';

export type GroupLevel = Warning['level'] | 'none';

export interface GroupSummary extends GroupName {
  /** Kind of its nodes, if all have the same one; unknown ones are counted separately. */
  readonly kind: { readonly kind: 'one'; readonly name: string } | { readonly kind: 'mixed' | 'unknown' };
  /** The worst level of its warnings. */
  readonly level: GroupLevel;
  readonly warnings: Readonly<Record<Warning['level'], number>>;
  readonly nodes: Readonly<Record<'count' | ReturnType<typeof presenceLabel>, number>>;
  /** Over the nodes that are not offline. */
  readonly totals: ClusterTotals;
  /** Share of the memory that models are stored in, 0..1; undefined until reported. */
  readonly memoryUse: number | undefined;
  /** Mean over its GPUs, each 0..1: the sum and their number. */
  readonly gpuUse: Total;
  /** Processes that serve or generate on its nodes now. */
  readonly runners: number;
  /** Total of the runs against its nodes, over the last seconds. */
  readonly outputTokensPerSecond: Total;
}

export interface Group extends GroupSummary {
  /** Sorted by name. */
  readonly members: readonly NodeView[];
  /** Warnings about its nodes, in the order of the whole list. */
  readonly warningList: readonly Warning[];
}

export interface GroupSources {
  readonly state: State;
  readonly views: readonly NodeView[];
  readonly warnings: readonly Warning[];
  readonly nowMs: number;
  /** If already computed. */
  readonly places?: ReadonlyMap<NodeId, NodePlace>;
}

/**
 * Sorted by name, numbers by value; nodes in no group last. With tags a node may be in several, or in none.
 */
export const groupViews = (sources: GroupSources, by: GroupBy): readonly Group[] => {
  const places = sources.places ?? nodePlaces(sources.views);
  const gathered = new Map<string, { readonly name: GroupName; readonly members: NodeView[] }>();
  for (const view of sources.views) {
    const place = places.get(view.nodeId);
    if (place === undefined) continue;
    for (const name of groupsOf(place, by)) {
      const existing = gathered.get(name.id);
      if (existing === undefined) gathered.set(name.id, { name, members: [view] });
      else existing.members.push(view);
    }
  }
  const warnings = warningsByNode(sources.warnings);
  const load = loadByNode(sources.state, sources.nowMs);
  const shared = sharedNames([...gathered.values()].map(({ name }) => name));
  return [...gathered.values()]
    .map(({ name, members }) => {
      const shown = shared.has(name.name) && name.id !== '' ? { ...name, name: name.id } : name;
      return groupOf(shown, inNameOrder(members), { places, warnings, load });
    })
    .sort((a, b) => Number(a.id === '') - Number(b.id === '') || inNumberOrder(a.name, b.name));
};

export const nodePlaces = (views: readonly NodeView[]): ReadonlyMap<NodeId, NodePlace> =>
  new Map(views.map(view => [view.nodeId, nodePlace(view)]));

/** Without its members: what is sent first. */
export const groupSummary = ({ members: _, warningList: __, ...summary }: Group): GroupSummary => summary;

interface Shared {
  readonly places: ReadonlyMap<NodeId, NodePlace>;
  readonly warnings: ReadonlyMap<NodeId, readonly Warning[]>;
  readonly load: ReadonlyMap<NodeId, NodeLoad>;
}

const groupOf = (
  name: GroupName,
  members: readonly NodeView[],
  { places, warnings, load }: Shared,
): Group => {
  const list = [...new Set(members.flatMap(({ nodeId }) => warnings.get(nodeId) ?? []))];
  const present = members.filter(({ presence }) => presence !== 'offline');
  const loads = members.map(({ nodeId }) => load.get(nodeId)).filter(one => one !== undefined);
  return {
    ...name,
    kind: commonKind(members, places),
    level: LEVELS.find(level => list.some(warning => warning.level === level)) ?? 'none',
    warnings: countBy(list, LEVELS, ({ level }) => level),
    nodes: { count: members.length, ...countBy(members, PRESENCES, presenceLabel) },
    totals: totalsOf(members),
    memoryUse: usedShare(memoryUseSum(present.map(modelMemoryUse))),
    gpuUse: totalOf(present.flatMap(gpuUses), false),
    runners: loads.reduce((sum, { runners }) => sum + runners, 0),
    outputTokensPerSecond: totalOf(
      loads.flatMap(({ tokensPerSecond }) => tokensPerSecond),
      false,
    ),
    members,
    warningList: list,
  };
};

const gpuUses = (view: NodeView): readonly (number | undefined)[] => gpusOf(view).map(freshGpuUse);

const commonKind = (
  members: readonly NodeView[],
  places: ReadonlyMap<NodeId, NodePlace>,
): GroupSummary['kind'] => {
  const names = new Set(
    members.map(({ nodeId }) => knownOr(places.get(nodeId)?.kind ?? NOWHERE, undefined)?.name),
  );
  const [name] = names;
  if (names.size > 1) return { kind: 'mixed' };
  return name === undefined ? { kind: 'unknown' } : { kind: 'one', name };
};

const warningsByNode = (warnings: readonly Warning[]): ReadonlyMap<NodeId, readonly Warning[]> => {
  const byNode = new Map<NodeId, Warning[]>();
  for (const warning of warnings)
    for (const node of warning.nodes) {
      const existing = byNode.get(node);
      if (existing === undefined) byNode.set(node, [warning]);
      else existing.push(warning);
    }
  return byNode;
};

interface NodeLoad {
  runners: number;
  readonly tokensPerSecond: (number | undefined)[];
}

/** Load of each node: leases that name it, and the newest rates of the runs among them. */
const loadByNode = (state: State, nowMs: number): ReadonlyMap<NodeId, NodeLoad> => {
  const byNode = new Map<NodeId, NodeLoad>();
  for (const { reporter, runner } of activeLeases(state, nowMs)) {
    const node = knownOr(runner.targetNode, undefined);
    if (node === undefined) continue;
    const load = byNode.get(node) ?? { runners: 0, tokensPerSecond: [] };
    byNode.set(node, load);
    load.runners += 1;
    const runId = runOfLease(runner);
    if (runId === undefined) continue;
    const progress = state.runProgress[reporter]?.[runId]?.value;
    load.tokensPerSecond.push(
      progress === undefined ? undefined : knownOr(progress.recent.outputTokensPerSecond, undefined),
    );
  }
  return byNode;
};

/** Names that groups of several sites share: "r01". */
const sharedNames = (names: readonly GroupName[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const { name } of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > 1).map(([name]) => name));
};

const countBy = <T, K extends string>(
  all: readonly T[],
  keys: readonly K[],
  keyOf: (one: T) => K,
): Readonly<Record<K, number>> => recordOf(keys, key => all.filter(one => keyOf(one) === key).length);

/** Sorts "rack 2" before "rack 10". The browser's own collation differs between machines. */
const inNumberOrder = (a: string, b: string): number => {
  const [left, right] = [numberKey(a), numberKey(b)];
  if (left === right) return a < b ? -1 : Number(a > b);
  return left < right ? -1 : 1;
};

/** A text whose plain order is the numeric order. */
export const numberKey = (text: string): string => text.replace(/\d+/g, digits => digits.padStart(16, '0'));

const LEVELS = ['danger', 'caution', 'note'] as const;
const PRESENCES = ['up', 'stale', 'stopped', 'offline'] as const;
const NOWHERE = unknown('not there');

// A node as a cell of its group: how full its memory is, how busy its GPUs are, whether it is up, its worst
// level. Only what is drawn, so that a page can contain a thousand.
export interface GroupCell {
  readonly nodeId: NodeView['nodeId'];
  readonly name: string;
  readonly presence: ReturnType<typeof presenceLabel>;
  readonly level: GroupLevel;
  /** Shares 0..1; undefined until reported. Memory that models are stored in; mean of the GPUs. */
  readonly memoryUse: number | undefined;
  readonly gpuUse: number | undefined;
}

export const groupCells = ({ members, warningList }: Group): readonly GroupCell[] => {
  const levels = new Map<string, GroupLevel>();
  // The list has the worst first, and the first one set is kept.
  for (const { level, nodes } of warningList)
    for (const node of nodes) if (!levels.has(node)) levels.set(node, level);
  return members.map(view => ({
    nodeId: view.nodeId,
    name: view.name,
    presence: presenceLabel(view),
    level: levels.get(view.nodeId) ?? 'none',
    memoryUse: usedShare(modelMemoryUse(view)),
    gpuUse: freshUse(view),
  }));
};
