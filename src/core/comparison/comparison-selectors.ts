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
  type ReportedComparison,
  type ReportedPairs,
} from './reported-comparison.ts';

/** The latest findings count: live ones while it runs. */
export interface ComparisonView extends ComparisonFindings, Pick<ReportedPairs, 'segment' | 'nextLookMs'> {
  /** The node that runs it. */
  readonly node: NodeId;
  readonly reported: ReportedComparison;
  readonly state: ReportedComparison['state'];
  /** Why it is in this state; '' if there is no reason to show. */
  readonly reason: string;
  readonly isLive: boolean;
}

/** Comparisons of every node that is not forgotten, newest first. */
export const comparisonViews = (state: State, nowMs: number): readonly ComparisonView[] =>
  Object.entries(state.comparisons)
    .flatMap(([node, comparisons]) =>
      isNodeId(node) && !isForgotten(state, node)
        ? Object.values(comparisons).map(entry => viewOf(state, { node, entry, nowMs }))
        : [],
    )
    .sort(
      (a, b) =>
        compareText(b.reported.startedAt, a.reported.startedAt) ||
        compareText(a.reported.comparisonId, b.reported.comparisonId),
    );

/** The comparison of that id; if several nodes have one, the newest. */
export const comparisonView = (
  state: State,
  comparisonId: string,
  nowMs: number,
): ComparisonView | undefined =>
  comparisonViews(state, nowMs).find(({ reported }) => reported.comparisonId === comparisonId);

const viewOf = (
  state: State,
  {
    node,
    entry,
    nowMs,
  }: { readonly node: NodeId; readonly entry: Entry<ReportedComparison>; readonly nowMs: number },
): ComparisonView => {
  const reported = entry.value;
  const live =
    reported.state === 'running' ? state.comparisonProgress[node]?.[reported.comparisonId] : undefined;
  const silentMs = Math.min(ageMsOf(entry, nowMs), live === undefined ? Infinity : ageMsOf(live, nowMs));
  const isLive = reported.state === 'running' && silentMs <= LEASE_MS;
  const { sentence, verdict, pairsDone } = live?.value ?? reported;
  return {
    node,
    reported,
    sentence,
    verdict,
    pairsDone,
    segment: isLive && live !== undefined ? live.value.segment : NOTHING_RUNS,
    nextLookMs: isLive && live !== undefined ? live.value.nextLookMs : NOTHING_RUNS,
    state: reported.state === 'running' && !isLive ? 'interrupted' : reported.state,
    reason: reported.state === 'running' && !isLive ? CUT_SHORT : reported.reason,
    isLive,
  };
};

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const NOTHING_RUNS = unknown('nothing runs');
