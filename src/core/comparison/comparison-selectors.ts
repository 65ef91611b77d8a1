// Comparisons as a person should see them now.

import { documentViews, type StoredKind } from '../document/document-views.ts';
import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';
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

/** Comparisons in State. */
export const STORED_COMPARISONS: StoredKind<ReportedComparison> = {
  entries: state => state.comparisons,
  idOf: ({ comparisonId }) => comparisonId,
  lastSign: (state, node, id) => state.comparisonProgress[node]?.[id],
  silentReason: CUT_SHORT,
};

/** Comparisons of every node that is not forgotten, newest first. */
export const comparisonViews = (state: State, nowMs: number): readonly ComparisonView[] =>
  documentViews(STORED_COMPARISONS, state, nowMs).map(
    ({ node, document: reported, state: shown, reason, isLive }) => {
      const live =
        reported.state === 'running'
          ? state.comparisonProgress[node]?.[reported.comparisonId]?.value
          : undefined;
      const { sentence, verdict, pairsDone } = live ?? reported;
      const running = isLive ? live : undefined;
      return {
        node,
        reported,
        sentence,
        verdict,
        pairsDone,
        segment: running?.segment ?? NOTHING_RUNS,
        nextLookMs: running?.nextLookMs ?? NOTHING_RUNS,
        state: shown,
        reason,
        isLive,
      };
    },
  );

/** The comparison of that id; if several nodes have one, the newest. */
export const comparisonView = (
  state: State,
  comparisonId: string,
  nowMs: number,
): ComparisonView | undefined =>
  comparisonViews(state, nowMs).find(({ reported }) => reported.comparisonId === comparisonId);

const NOTHING_RUNS = unknown('nothing runs');
