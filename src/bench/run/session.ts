// One benchmark from its first record to its last: the phases in their order, and the records of each. It is
// independent of processes and files: records and lines go to a given sink, and the load is a port.

import { type Clock, pause, untilAborted } from '../../clock/clock.ts';
import type { EventRecord, SessionRecord } from '../../core/run/event-record.ts';
import type { LoadGenerator, LoadResult } from '../threads/load-generator.ts';

export type SessionPhase =
  | 'warming up'
  /** Waits for the zero that all machines of a run share. */
  | 'waiting'
  | 'ramping'
  | 'measuring'
  | 'draining'
  | 'stopping'
  | 'ended';

export interface SessionParts {
  readonly load: LoadGenerator;
  readonly clock: Clock;
  readonly hasWarmup: boolean;
  /** Ramp and warm-up at the start of the load: only samples intended after them are measured. */
  readonly unmeasuredNs: number;
  /** Publishes a record at once, after everything that the load has reported. */
  readonly record: (record: EventRecord) => void;
  /** Since the run's zero. */
  readonly nowNs: () => number;
  /**
   * If the zero of the schedule is set elsewhere: resolves with it when all are ready; undefined: there will be none.
   */
  readonly zero?: () => Promise<number | undefined>;
  /** The zero of the measured phase, ns since the run's zero. */
  readonly onStart?: (startNs: number) => void;
  /**
   * With nothing in flight: before the first measured request, and after the last reply has ended. Each has a time
   * limit.
   */
  readonly beforeLoad?: () => Promise<void>;
  readonly afterLoad?: () => Promise<void>;
  readonly onPhase: (phase: SessionPhase) => void;
  /** The warm-up is over. @returns whether the load may start; default: it may */
  readonly onWarm?: () => boolean;
  /** How long requests in flight are awaited after the load; undefined: to their end. */
  readonly graceMs?: number;
  readonly early?: { readonly drain: AbortSignal; readonly cancel: AbortSignal };
  /** Ends the load early: requests in flight are cancelled. */
  readonly stop: AbortSignal;
  /** Ends the wait for the load as well. */
  readonly stopNow: AbortSignal;
}

export interface SessionResult {
  readonly load: LoadResult;
  /** Number issued before the measured phase. */
  readonly warmupIssued: number;
  readonly issued: number;
}

/** Never rejects because of the load. */
export const runSession = async (parts: SessionParts): Promise<SessionResult> => {
  const { load, stop, stopNow, onPhase, nowNs } = parts;
  const report = (kind: SessionRecord['kind'], atNs: number): void => parts.record({ kind, atNs });
  const abandoned = untilAborted(stopNow).then((): LoadResult => ({ ...ABANDONED, atNs: nowNs() }));
  const stopLoad = (): void => {
    onPhase('stopping');
    load.stop();
  };
  if (stop.aborted) stopLoad();
  stop.addEventListener('abort', stopLoad, { once: true });
  report('session.started', nowNs());
  if (parts.hasWarmup && !stop.aborted) {
    onPhase('warming up');
    // A load that is stopped or loses a thread ends without completing its warm-up.
    await Promise.race([load.warmUp(), load.ended, abandoned]);
  }
  if (!stop.aborted && !stopNow.aborted && parts.onWarm?.() === false) {
    stop.removeEventListener('abort', stopLoad);
    stopLoad();
    report('session.start_performance_tracking', nowNs());
    return await ended(parts, abandoned, nowNs());
  }
  if (!stop.aborted) await Promise.race([parts.beforeLoad?.(), load.ended, abandoned]);
  const zeroNs = await commonZero(parts, load, abandoned);
  // Not evaluated once it is stopped: that would be an empty measured phase.
  const startNs = stop.aborted || stopNow.aborted ? nowNs() : load.start(zeroNs);
  // Published at once, so that it precedes the samples: those of ramp and warm-up are marked as such.
  report('session.start_performance_tracking', startNs + parts.unmeasuredNs);
  parts.onStart?.(startNs + parts.unmeasuredNs);
  const ending = endEarly(load, parts.early);
  if (parts.unmeasuredNs > 0 && !stop.aborted) {
    onPhase('ramping');
    const over = new AbortController();
    const untilMs = (startNs + parts.unmeasuredNs - nowNs()) / 1e6;
    const measured = pause(parts.clock, Math.max(0, untilMs), AbortSignal.any([stop, over.signal]));
    await Promise.race([measured, load.ended, abandoned]);
    over.abort();
    await measured;
  }
  if (!stop.aborted) onPhase('measuring');
  const stopLoadNs = await Promise.race([
    load.issuingEnded,
    load.ended.then(({ atNs }) => atNs),
    abandoned.then(nowNs),
  ]);
  if (!stop.aborted) onPhase('draining');
  const over = new AbortController();
  const cut = cutOffAfter(parts, stopLoadNs, over.signal);
  const result = await ended(parts, abandoned, stopLoadNs);
  over.abort();
  await cut;
  stop.removeEventListener('abort', stopLoad);
  ending.abort();
  return result;
};

const cutOffAfter = async (
  { load, clock, graceMs, nowNs }: SessionParts,
  stopLoadNs: number,
  over: AbortSignal,
): Promise<void> => {
  if (graceMs === undefined) return;
  await pause(clock, Math.max(0, graceMs + (stopLoadNs - nowNs()) / 1e6), over);
  if (!over.aborted) load.cutOff();
};

/** Samples issued in this phase are followed to their end, so that all of them have ended here. */
const ended = async (
  { load, record, nowNs, onPhase, afterLoad }: SessionParts,
  abandoned: Promise<LoadResult>,
  stopLoadNs: number,
): Promise<SessionResult> => {
  record({ kind: 'session.stop_load', atNs: stopLoadNs });
  const result = await Promise.race([load.ended, abandoned]);
  record({ kind: 'session.stop_performance_tracking', atNs: nowNs() });
  await Promise.race([afterLoad?.(), abandoned]);
  record({ kind: 'session.ended', atNs: nowNs() });
  onPhase('ended');
  return { load: result, warmupIssued: load.counts.warmup, issued: load.counts.issued };
};

const commonZero = async (
  { zero, stop, onPhase }: SessionParts,
  load: LoadGenerator,
  abandoned: Promise<LoadResult>,
): Promise<number | undefined> => {
  if (zero === undefined || stop.aborted) return undefined;
  onPhase('waiting');
  const none = (): undefined => undefined;
  return await Promise.race([
    zero(),
    load.ended.then(none),
    abandoned.then(none),
    untilAborted(stop).then(none),
  ]);
};

/** Ends the load when it is due. @returns a controller that ends the wait for it */
const endEarly = (load: LoadGenerator, early: SessionParts['early']): AbortController => {
  const over = new AbortController();
  const whenAborted = (signal: AbortSignal, act: () => void): void => {
    if (signal.aborted) act();
    else signal.addEventListener('abort', act, { once: true, signal: over.signal });
  };
  if (early === undefined) return over;
  whenAborted(early.drain, () => load.endIssuing());
  whenAborted(early.cancel, () => load.stop());
  return over;
};

const ABANDONED: Omit<LoadResult, 'atNs'> = {
  kind: 'incomplete',
  reasons: ['the load was aborted before its end'],
  droppedEvents: 0,
  arenaFullCount: 0,
};
