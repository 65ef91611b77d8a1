// Sweeps and lines as a person should see them now.

import { documentViews, type StoredKind } from '../document/document-views.ts';
import type { NodeId, SweepId } from '../ids.ts';
import type { State } from '../state.ts';
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

/** Sweeps and lines in State. */
export const STORED_SWEEPS: StoredKind<Sweep> = {
  entries: state => state.sweeps,
  idOf: ({ sweepId }) => sweepId,
  lastSign: (state, node, id) => state.sweepProgress[node]?.[id],
  silentReason: 'its process has not responded since; this is its last report',
};

/** Sweeps of every node that is not forgotten, newest first. */
export const sweepViews = (state: State, nowMs: number): readonly SweepView[] =>
  documentViews(STORED_SWEEPS, state, nowMs).map(
    ({ node, document: sweep, state: shown, reason, isLive, silentMs }) => {
      const live = sweep.state === 'running' ? state.sweepProgress[node]?.[sweep.sweepId]?.value : undefined;
      const { line, sentence, stages } = live ?? sweep;
      const progress = !isLive || live === undefined || isUnknown(live.progress) ? undefined : live.progress;
      return { node, sweep, line, sentence, stages, state: shown, reason, isLive, silentMs, progress };
    },
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
      sweep.concurrencyOf === than.concurrencyOf &&
      sameName(sweep.model, than.model),
  );

const sameName = (one: Sweep['model'], other: Sweep['model']): boolean =>
  isUnknown(one) || isUnknown(other) || one === other;
