// A benchmark as shown in a terminal, with each snapshot: its settings, its progress, and the newest figures. The same
// for the terminal that runs it and for one that watches from outside.

import { formatNanoseconds } from '../core/figure/duration.ts';
import { figureText } from '../core/figure/figure.ts';
import type { LoadRequest } from '../core/run/load-request.ts';
import type { RunConfig } from '../core/run/report.ts';
import type { RecentRates } from '../core/run/run.ts';
import type { RunPattern } from '../core/run/run-pattern.ts';
import type { RunRequests } from '../core/run/run-requests.ts';
import { isOfSessions, type RunShape } from '../core/run/run-shape.ts';
import { lookUp, type MetricsSnapshot, type SeriesMetric } from '../core/run/snapshot.ts';
import type { Reported, Unknown } from '../core/unknown.ts';
import { formatRunFigure } from '../render/run/format-run-figure.ts';

export interface WatchedRun {
  readonly run: RunHead;
  readonly stage: RunStage;
  /** Since the measured phase started, 0 before. */
  readonly elapsedMs: number;
  readonly snapshot: MetricsSnapshot | undefined;
  /** How old the newest snapshot is; undefined before the first. */
  readonly snapshotAgeMs: number | undefined;
  readonly recent: RecentRates;
  readonly notices: readonly string[];
  /** What spoils the figures so far, one line each. */
  readonly spoiled: readonly string[];
}

export interface RunHead {
  readonly id: string;
  /** Without credentials. */
  readonly target: string;
  readonly model: string | Unknown;
  readonly pattern: RunPattern;
  readonly shape: Reported<RunShape>;
  readonly isStreaming: boolean;
  /** What is needed to detect contamination: whether prompts were marked as unique, and what was requested. */
  readonly hasNonce: boolean;
  readonly requests: Reported<RunRequests>;
  readonly isUnguarded: boolean;
  readonly isDepthProfile: boolean;
  /** undefined: without such a limit. */
  readonly limits: Pick<LoadRequest, 'samplesMax' | 'durationMs'>;
}

export const runHead = ({ run, depth }: RunConfig, limits: RunHead['limits']): RunHead => ({
  id: run.id,
  target: run.target,
  model: run.model,
  pattern: run.pattern,
  shape: run.shape,
  isStreaming: run.streaming,
  hasNonce: run.hasNonce,
  requests: run.requests,
  isUnguarded: run.isUnguarded === true,
  isDepthProfile: depth !== undefined,
  limits,
});

/** A phase of the run, or a state that only the terminal has: a stop was requested, or the run is over. */
export type RunStage =
  | 'connecting'
  | 'warming up'
  | 'waiting'
  | 'ramping'
  | 'measuring'
  | 'draining'
  | 'stopping'
  | 'ended';

/** For a series that changes five times a second: times must be readable at a glance. */
export const liveFigureText = (unit: SeriesMetric['unit'], value: number): string =>
  figureText(unit === 'ns' ? formatNanoseconds(value) : formatRunFigure(unit, value));

interface RunProgressFigure {
  /** 0 to 1. */
  readonly share: number;
  readonly leftMs: number | undefined;
}

/** By the nearest limit; the rest is estimated from the pace so far. */
export const progressOf = ({
  run: { limits, shape },
  snapshot,
  elapsedMs,
}: WatchedRun): RunProgressFigure => {
  const { completed, failed, cancelled } = lookUp(snapshot).counts('measured');
  const ended = completed + failed + cancelled;
  // Of sessions the limit is not one of requests.
  const bySamples = limits.samplesMax === undefined || isOfSessions(shape) ? 0 : ended / limits.samplesMax;
  const byTime = limits.durationMs === undefined ? 0 : elapsedMs / limits.durationMs;
  const share = Math.min(1, Math.max(bySamples, byTime));
  if (share <= 0 || elapsedMs <= 0) return { share, leftMs: undefined };
  return { share, leftMs: (elapsedMs * (1 - share)) / share };
};
