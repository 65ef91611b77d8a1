// Comparisons as a person should see them now. One that reports nothing for the time of a lease is shown as
// interrupted, even before a node has recorded that.

import { ageMsOf } from '../entry-maps.ts';
import { isNodeId, type NodeId } from '../ids.ts';
import { isForgotten } from '../node/presence-view.ts';
import { LEASE_MS } from '../run/run-selectors.ts';
import type { Entry, State } from '../state.ts';
import { unknown } from '../unknown.ts';
import {
  type ComparisonFindings,
  CUT_SHORT,
  type ToldComparison,
  type ToldPairs,
} from './told-comparison.ts';

/** The latest findings count: live ones while it runs. */
export interface ComparisonView extends ComparisonFindings, Pick<ToldPairs, 'segment' | 'nextLookMs'> {
  /** The node that runs it. */
  readonly node: NodeId;
  readonly told: ToldComparison;
  readonly state: ToldComparison['state'];
  /** Why it is in this state; '' if there is no reason to show. */
  readonly reason: string;
  readonly isLive: boolean;
}

/** Of every node that is not forgotten, newest first. */
export const comparisonViews = (state: State, nowMs: number): readonly ComparisonView[] =>
  Object.entries(state.comparisons)
    .flatMap(([node, comparisons]) =>
      isNodeId(node) && !isForgotten(state, node)
        ? Object.values(comparisons).map(entry => viewOf(state, { node, entry, nowMs }))
        : [],
    )
    .sort(
      (a, b) =>
        compareText(b.told.startedAt, a.told.startedAt) ||
        compareText(a.told.comparisonId, b.told.comparisonId),
    );

/** The comparison of that id; if several nodes have one, the newest. */
export const comparisonView = (
  state: State,
  comparisonId: string,
  nowMs: number,
): ComparisonView | undefined =>
  comparisonViews(state, nowMs).find(({ told }) => told.comparisonId === comparisonId);

const viewOf = (
  state: State,
  {
    node,
    entry,
    nowMs,
  }: { readonly node: NodeId; readonly entry: Entry<ToldComparison>; readonly nowMs: number },
): ComparisonView => {
  const told = entry.value;
  const live = told.state === 'running' ? state.comparisonProgress[node]?.[told.comparisonId] : undefined;
  const silentMs = Math.min(ageMsOf(entry, nowMs), live === undefined ? Infinity : ageMsOf(live, nowMs));
  const isLive = told.state === 'running' && silentMs <= LEASE_MS;
  const { sentence, verdict, pairsDone } = live?.value ?? told;
  return {
    node,
    told,
    sentence,
    verdict,
    pairsDone,
    segment: isLive && live !== undefined ? live.value.segment : NOTHING_RUNS,
    nextLookMs: isLive && live !== undefined ? live.value.nextLookMs : NOTHING_RUNS,
    state: told.state === 'running' && !isLive ? 'interrupted' : told.state,
    reason: told.state === 'running' && !isLive ? CUT_SHORT : told.reason,
    isLive,
  };
};

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const NOTHING_RUNS = unknown('nothing runs');
