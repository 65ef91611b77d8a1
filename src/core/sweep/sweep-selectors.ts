// Sweeps and lines as a person should see them now. One that reports nothing for the time of a lease is shown
// as interrupted, even before a node has recorded that.

import { ageMsOf } from '../entry-maps.ts';
import { isNodeId, type NodeId, type SweepId } from '../ids.ts';
import { isForgotten } from '../node/presence-view.ts';
import { LEASE_MS } from '../run/run-selectors.ts';
import type { Entry, State } from '../state.ts';
import { isUnknown } from '../unknown.ts';
import type { Sweep, SweepFindings, SweepState } from './sweep.ts';
import type { LineProgress } from './sweep-document.ts';

/** The latest findings count: live ones while it runs. */
export interface SweepView extends SweepFindings {
  /** The node that ran it. */
  readonly node: NodeId;
  readonly sweep: Sweep;
  readonly state: SweepState;
  /** Why it is in this state; '' if there is no reason to show. */
  readonly reason: string;
  readonly isLive: boolean;
  /** Since the last event of one that runs, ms; 0 if it has ended. */
  readonly silentMs: number;
  readonly progress: LineProgress | undefined;
}

/** Sweeps of every node that is not forgotten, newest first. */
export const sweepViews = (state: State, nowMs: number): readonly SweepView[] =>
  Object.entries(state.sweeps)
    .flatMap(([node, sweeps]) =>
      isNodeId(node) && !isForgotten(state, node)
        ? Object.values(sweeps).map(entry => viewOf(state, { node, entry, nowMs }))
        : [],
    )
    .sort(
      (a, b) =>
        compareText(b.sweep.startedAt, a.sweep.startedAt) || compareText(a.sweep.sweepId, b.sweep.sweepId),
    );

/** The one of that id; if several nodes have one, the newest. */
export const sweepView = (state: State, sweepId: SweepId, nowMs: number): SweepView | undefined =>
  sweepViews(state, nowMs).find(view => view.sweep.sweepId === sweepId);

/** The previous line with a result for the same target and model, with the same kind of load. */
export const earlierLine = (views: readonly SweepView[], than: Sweep): SweepView | undefined =>
  views.find(
    ({ sweep, stages, isLive }) =>
      !isLive &&
      stages.length > 0 &&
      sweep.sweepId !== than.sweepId &&
      sweep.startedAt < than.startedAt &&
      sweep.target === than.target &&
      sweep.by === than.by &&
      sameName(sweep.model, than.model),
  );

const sameName = (one: Sweep['model'], other: Sweep['model']): boolean =>
  isUnknown(one) || isUnknown(other) || one === other;

const viewOf = (
  state: State,
  { node, entry, nowMs }: { readonly node: NodeId; readonly entry: Entry<Sweep>; readonly nowMs: number },
): SweepView => {
  const sweep = entry.value;
  if (sweep.state !== 'running') {
    const { line, sentence, stages, reason } = sweep;
    return {
      node,
      sweep,
      line,
      sentence,
      stages,
      state: sweep.state,
      reason,
      isLive: false,
      silentMs: 0,
      progress: undefined,
    };
  }
  const live = state.sweepProgress[node]?.[sweep.sweepId];
  const { line, sentence, stages } = live?.value ?? sweep;
  const silentMs = Math.min(ageMsOf(entry, nowMs), live === undefined ? Infinity : ageMsOf(live, nowMs));
  const isLive = silentMs <= LEASE_MS;
  const progress = live === undefined || isUnknown(live.value.progress) ? undefined : live.value.progress;
  return {
    node,
    sweep,
    line,
    sentence,
    stages,
    state: isLive ? 'running' : 'interrupted',
    reason: isLive ? '' : 'its process has not responded since; this is its last report',
    isLive,
    silentMs,
    progress: isLive ? progress : undefined,
  };
};

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
