// The state of all metrics of a run at one moment. MessagePack on the wire, strict JSON on disk.

import type { TailInterval } from '../statistics/tail-interval.ts';
import type { Reported } from '../unknown.ts';
import type { SampleEvidence } from './contamination-tally.ts';
import type { BoundParts, RunBounds, SeriesErrorBound } from './error-bound.ts';
import type { RunFailures } from './failure-groups.ts';
import type { FinishNameCount } from './finish-name-tally.ts';
import type { ObjectiveAnswer } from './judge-objective.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { VariantFigures } from './model-mix.ts';
import type { SeriesRow } from './run-series.ts';
import type { ServerEvidence } from './server-tally.ts';

export type SnapshotState = 'initialize' | 'live' | 'draining' | 'complete' | 'interrupted';

export interface MetricsSnapshot {
  /** From 1, rising. */
  readonly seq: number;
  /** CLOCK_MONOTONIC of the host, ns. */
  readonly timestampNs: number;
  readonly state: SnapshotState;
  readonly pendingTasks: number;
  readonly metrics: readonly Metric[];
  /** What the samples say of each objective so far. Not there where a run has none. */
  readonly objectives?: readonly ObjectiveAnswer[];
  /** What may spoil the figures so far. Not there of a version that did not count it. */
  readonly evidence?: SampleEvidence;
  /** What the server told of itself. Not there where it was not asked or told nothing. */
  readonly server?: ServerEvidence;
  /** What is bounded of the whole run, or why nothing of it is. Not there of a version that bounded nothing. */
  readonly bounds?: Reported<RunBounds>;
  /** Of each model of a mix. Not there where a run has one. */
  readonly variants?: readonly VariantFigures[];
  /** Why requests failed, and when the server was away. Not there if none failed, or of a version that did not group them. */
  readonly failures?: RunFailures;
  /** Of a run of sessions. Not there of a version that did not tell which turn a sample is. */
  readonly sessions?: LiveSessions;
  /** Reasons to finish that nobody knows, by the server's own names. Not there: there were none. */
  readonly finishNames?: readonly FinishNameCount[];
  /** Only in the last that agents tell their coordinator. Never on disk. */
  readonly boundParts?: BoundParts;
  /** Of a run from many machines, while it goes on. */
  readonly agents?: readonly LiveAgent[];
}

export type Metric = CounterMetric | SeriesMetric;

export interface CounterMetric {
  readonly kind: 'counter';
  readonly name: string;
  readonly value: number;
}

export interface SeriesMetric {
  readonly kind: 'series';
  readonly name: string;
  readonly unit: SeriesRow['unit'];
  readonly count: number;
  /** Decimal digits, because sums of nanoseconds and of their squares pass 2⁵³. */
  readonly total: string;
  readonly sumOfSquares: string;
  /** null while empty. */
  readonly min: number | null;
  readonly max: number | null;
  /** Percentile as text ("99.9") to value; live ones from the histogram, final ones exact. */
  readonly percentiles: Readonly<Record<string, number>>;
  readonly isExact: boolean;
  /** By how much the client may be off; not there where it is not known. */
  readonly errorBound?: SeriesErrorBound;
  /** Final only: percentile to the early-stopping estimate, null where n is too small. */
  readonly estimates?: Readonly<Record<string, number | null>>;
  /** Final only, of percentiles without an estimate: where each lies with 95 % confidence, were requests independent. */
  readonly intervals?: Readonly<Record<string, TailInterval>>;
  /** Final only, of latencies: failures counted as +∞, which is null here. */
  readonly failureAdjusted?: Readonly<Record<string, number | null>>;
  /** [low, high, count] */
  readonly histogram: readonly (readonly [number, number, number])[];
  /**
   * Only in what agents tell their coordinator: the histogram itself, as series-cells.ts packs it, so that those of several
   * machines add. Never on disk.
   */
  readonly cells?: Uint8Array;
  /** Values beyond the histogram's bounds, and values that only the histogram holds. */
  readonly clampedCount: number;
  readonly leftOutCount: number;
}
