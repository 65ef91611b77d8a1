// The state of all metrics of a run at one moment. MessagePack on the wire, strict JSON on disk.

import * as v from 'valibot';
import { figure, type Infer } from '../schema.ts';
import type { TailInterval } from '../statistics/early-stopping.ts';
import type { Reported } from '../unknown.ts';
import type { SampleEvidence } from './contamination-tally.ts';
import type { BoundParts, RunBounds, SeriesErrorBound } from './event-record.ts';
import type { RunFailures } from './failure-groups.ts';
import type { FinishNameCount } from './finish-name-tally.ts';
import type { ObjectiveAnswer } from './judge-objective.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { VariantFigures } from './model-mix.ts';
import type { SampleCounts } from './outcome.ts';
import type { CounterKey, ObjectiveCounterKey } from './run-counters.ts';
import type { SeriesKey, SeriesRow } from './run-series.ts';
import type { ServerEvidence } from './server-tally.ts';

export type SnapshotState = 'initialize' | 'live' | 'draining' | 'complete' | 'interrupted';

export interface MetricsSnapshot {
  /** From 1, ascending. */
  readonly seq: number;
  /** CLOCK_MONOTONIC of the host, ns. */
  readonly timestampNs: number;
  readonly state: SnapshotState;
  readonly pendingTasks: number;
  readonly metrics: readonly Metric[];
  /** The result for each objective so far. Missing if a run has none. */
  readonly objectives?: readonly ObjectiveAnswer[];
  /** What may contaminate the figures so far. */
  readonly evidence?: SampleEvidence;
  /** What the server reported about itself. Missing if it was not queried or reported nothing. */
  readonly server?: ServerEvidence;
  /** Bounds for the whole run, or why there are none. */
  readonly bounds?: Reported<RunBounds>;
  /** For each model of a mix. Missing if a run has only one. */
  readonly variants?: readonly VariantFigures[];
  /** Why requests failed, and when the server was away. Missing if none failed. */
  readonly failures?: RunFailures;
  /** For a run of sessions. */
  readonly sessions?: LiveSessions;
  /** Unknown finish reasons, by the server's own names. Missing: there were none. */
  readonly finishNames?: readonly FinishNameCount[];
  /** Only in the last snapshot that agents send to their coordinator. Never on disk. */
  readonly boundParts?: BoundParts;
  /** For a run from many machines, while it is in progress. */
  readonly agents?: readonly LiveAgent[];
}

export type Metric = CounterMetric | SeriesMetric;

export const metricNameSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(128));

export const counterSchema = v.object({
  kind: v.literal('counter'),
  name: metricNameSchema,
  value: figure,
});

export type CounterMetric = Infer<typeof counterSchema>;

export interface SeriesMetric {
  readonly kind: 'series';
  readonly name: string;
  readonly unit: SeriesRow['unit'];
  readonly count: number;
  /** Decimal digits, because sums of nanoseconds and of their squares exceed 2⁵³. */
  readonly total: string;
  readonly sumOfSquares: string;
  /** null while empty. */
  readonly min: number | null;
  readonly max: number | null;
  /** Percentile as text ("99.9") to value; live ones from the histogram, final ones exact. */
  readonly percentiles: Readonly<Record<string, number>>;
  readonly isExact: boolean;
  /** How much the client may be off; missing if unknown. */
  readonly errorBound?: SeriesErrorBound;
  /** Final only: percentile to the early-stopping estimate, null if n is too small. */
  readonly estimates?: Readonly<Record<string, number | null>>;
  /**
   * Final only, for percentiles without an estimate: the 95 % confidence interval of each, assuming
   * independent requests.
   */
  readonly intervals?: Readonly<Record<string, TailInterval>>;
  /** Final only, for latencies: failures counted as +∞, which is null here. */
  readonly failureAdjusted?: Readonly<Record<string, number | null>>;
  /** [low, high, count] */
  readonly histogram: readonly (readonly [number, number, number])[];
  /**
   * Only in what agents send to their coordinator: the histogram itself, as packed by series-sampler.ts, so
   * that those of several machines can be added. Never on disk.
   */
  readonly cells?: Uint8Array;
  /** Values outside the histogram's range, and values that only the histogram contains. */
  readonly clampedCount: number;
  readonly leftOutCount: number;
}

// A snapshot's metrics by the keys of their tables.
export interface MetricLookup {
  /** 0 if the snapshot has no such counter: another version made it. */
  counter(key: CounterKey | ObjectiveCounterKey): number;
  series(key: SeriesKey): SeriesMetric | undefined;
  /** Counts of the measured phase, or of the whole run. */
  counts(of: 'measured' | 'all'): SampleCounts;
  /** Including those that are only known to another version. */
  readonly allSeries: ReadonlyMap<string, SeriesMetric>;
}

export const lookUp = (snapshot: MetricsSnapshot | undefined): MetricLookup => {
  const counters = new Map<string, number>();
  const allSeries = new Map<string, SeriesMetric>();
  for (const metric of snapshot?.metrics ?? []) {
    if (metric.kind === 'counter') counters.set(metric.name, metric.value);
    else allSeries.set(metric.name, metric);
  }
  const counter: MetricLookup['counter'] = key => counters.get(key) ?? 0;
  return {
    allSeries,
    counter,
    series: key => allSeries.get(key),
    counts: of => {
      const prefix = of === 'all' ? 'samples' : 'trackedSamples';
      const issued = counter(`${prefix}Issued`);
      const completed = counter(`${prefix}Completed`);
      const failed = counter(`${prefix}Failed`);
      const cancelled = counter(`${prefix}Cancelled`);
      return { issued, completed, failed, cancelled, unresolved: issued - completed - failed - cancelled };
    },
  };
};
