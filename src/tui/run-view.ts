// A running benchmark as its views show it: what was asked for, how far it is, and the newest snapshot. The same for the
// terminal that runs it and for one that watches from outside.

import type { RunPattern } from '../core/run/report.ts';
import type { MetricsSnapshot, SeriesMetric } from '../core/run/snapshot.ts';
import { isKnown, type Unknown } from '../core/unknown.ts';

export interface RunView {
  readonly run: RunHead;
  readonly phase: RunPhase;
  /** Since the measured phase began, 0 before. */
  readonly elapsedMs: number;
  readonly snapshot: MetricsSnapshot | undefined;
  /** How old the newest snapshot is; undefined before the first. */
  readonly snapshotAgeMs: number | undefined;
  /** Over the last seconds; undefined until two snapshots came. */
  readonly recent: RecentRates | undefined;
  readonly notices: readonly string[];
}

export interface RunHead {
  readonly id: string;
  /** Without credentials. */
  readonly target: string;
  readonly model: string | Unknown;
  readonly pattern: RunPattern;
  readonly isStreaming: boolean;
  readonly limits: RunLimits;
}

export interface RunLimits {
  readonly samplesMax: number | undefined;
  readonly durationMs: number | undefined;
}

export type RunPhase = 'connecting' | 'warming up' | 'measuring' | 'draining' | 'stopping' | 'ended';

export interface RecentRates {
  readonly requestsPerSecond: number;
  readonly outputTokensPerSecond: number;
}

/** 0 where the snapshot has none of that name. */
export const counterOf = (snapshot: MetricsSnapshot | undefined, name: string): number => {
  const metric = snapshot?.metrics.find(candidate => candidate.kind === 'counter' && candidate.name === name);
  return metric?.kind === 'counter' ? metric.value : 0;
};

export const seriesOf = (snapshot: MetricsSnapshot | undefined, name: string): SeriesMetric | undefined => {
  const metric = snapshot?.metrics.find(candidate => candidate.kind === 'series' && candidate.name === name);
  return metric?.kind === 'series' ? metric : undefined;
};

export interface RunCounts {
  readonly issued: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly inFlight: number;
}

/** Of the measured phase. */
export const countsOf = (snapshot: MetricsSnapshot | undefined): RunCounts => {
  const issued = counterOf(snapshot, 'trackedSamplesIssued');
  const completed = counterOf(snapshot, 'trackedSamplesCompleted');
  const failed = counterOf(snapshot, 'trackedSamplesFailed');
  const cancelled = counterOf(snapshot, 'trackedSamplesCancelled');
  return {
    issued,
    completed,
    failed,
    cancelled,
    inFlight: Math.max(0, issued - completed - failed - cancelled),
  };
};

export const patternText = (pattern: RunPattern): string => {
  switch (pattern.kind) {
    case 'concurrency':
      return `${pattern.concurrency} at a time`;
    case 'poisson':
      return `${pattern.requestsPerSecond} a second, Poisson`;
    case 'constant':
      return `${pattern.requestsPerSecond} a second, constant`;
    case 'max-throughput':
      return 'as many as it takes';
    default:
      return pattern satisfies never;
  }
};

export const modelText = (model: string | Unknown): string =>
  isKnown(model) ? model : `model unknown (${model.reason})`;

export interface RunProgressFigure {
  /** 0 to 1. */
  readonly share: number;
  readonly leftMs: number | undefined;
}

/** By the limit that is nearest; what is left is judged by the pace so far. */
export const progressOf = ({ run: { limits }, snapshot, elapsedMs }: RunView): RunProgressFigure => {
  const { issued, inFlight } = countsOf(snapshot);
  const ended = issued - inFlight;
  const bySamples = limits.samplesMax === undefined ? 0 : ended / limits.samplesMax;
  const byTime = limits.durationMs === undefined ? 0 : elapsedMs / limits.durationMs;
  const share = Math.min(1, Math.max(bySamples, byTime));
  if (share <= 0 || elapsedMs <= 0) return { share, leftMs: undefined };
  return { share, leftMs: (elapsedMs * (1 - share)) / share };
};
