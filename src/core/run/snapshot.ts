// The state of all metrics of a run at one moment. MessagePack on the wire, strict JSON on disk.

import * as v from 'valibot';
import { recordOf } from '../record-of.ts';
import { count, figure, type Infer, nonNegative, openObject, unknownSchema } from '../schema.ts';
import { sampleEvidenceSchema } from './contamination-tally.ts';
import { GAP_EDGES, percentileKey, runBoundsSchema, seriesBoundSchema } from './event-record.ts';
import { runFailuresSchema } from './failure-groups.ts';
import { finishNamesSchema } from './finish-name-tally.ts';
import { objectiveAnswersSchema } from './judge-objective.ts';
import { liveAgentsSchema } from './live-agent.ts';
import { liveSessionsSchema } from './live-sessions.ts';
import { variantFiguresSchema } from './model-mix.ts';
import type { SampleCounts } from './outcome.ts';
import type { CounterKey, ObjectiveCounterKey } from './run-counters.ts';
import type { SeriesKey } from './run-series.ts';
import { serverEvidenceSchema } from './server-tally.ts';

export const snapshotState = v.picklist(['initialize', 'live', 'draining', 'complete', 'interrupted']);

export type SnapshotState = v.InferOutput<typeof snapshotState>;

export const metricNameSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(128));

const counterSchema = v.object({
  kind: v.literal('counter'),
  name: metricNameSchema,
  value: figure,
});

export type CounterMetric = Infer<typeof counterSchema>;

export const seriesUnit = v.picklist(['ns', 'tokens', 'ratio', 'bytes']);

const PERCENTILES_MAX = 256;
/** Packed: 42 octaves of 1,024 cells take 130 kB with some hundreds in each. */
export const SERIES_CELLS_BYTES_MAX = 1_048_576;

/** Exact sums, because sums of nanoseconds and of their squares exceed 2⁵³; a ratio's may have a fraction. */
const digits = v.pipe(v.string(), v.regex(/^-?\d{1,100}(\.\d{1,100})?(e[+-]?\d{1,3})?$/));

// @__NO_SIDE_EFFECTS__
const byPercentile = <T>(value: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, Record<string, T>> =>
  v.pipe(
    v.record(percentileKey, value),
    v.check(record => Object.keys(record).length <= PERCENTILES_MAX),
  );

const packedCells: v.GenericSchema<unknown, Uint8Array> = v.pipe(
  v.instance(Uint8Array),
  v.check(packed => packed.length <= SERIES_CELLS_BYTES_MAX),
);

const seriesSchema = v.object({
  kind: v.literal('series'),
  name: metricNameSchema,
  unit: seriesUnit,
  count,
  total: digits,
  sumOfSquares: digits,
  /** null while empty. */
  min: v.nullable(figure),
  max: v.nullable(figure),
  /** Percentile as text ("99.9") to value; live ones from the histogram, final ones exact. */
  percentiles: byPercentile(figure),
  isExact: v.boolean(),
  /** How much the client may be off; missing if unknown. */
  errorBound: v.exactOptional(seriesBoundSchema),
  /** Final only: percentile to the early-stopping estimate, null if n is too small. */
  estimates: v.exactOptional(byPercentile(v.nullable(figure))),
  /**
   * Final only, for percentiles without an estimate: the 95 % confidence interval of each, assuming
   * independent requests.
   */
  intervals: v.exactOptional(v.record(percentileKey, openObject({ low: figure, high: v.nullable(figure) }))),
  /** Final only, for latencies: failures counted as +∞, which is null here. */
  failureAdjusted: v.exactOptional(byPercentile(v.nullable(figure))),
  /** [low, high, count] */
  histogram: v.pipe(v.array(v.tuple([figure, figure, count])), v.maxLength(1_024)),
  /**
   * Only in what agents send to their coordinator: the histogram itself, as packed by series-sampler.ts, so
   * that those of several machines can be added. Never on disk.
   */
  cells: v.exactOptional(packedCells),
  /** Values outside the histogram's range, and values that only the histogram contains. */
  clampedCount: count,
  leftOutCount: count,
});

export type SeriesMetric = Infer<typeof seriesSchema>;

const metricSchema = v.union([counterSchema, seriesSchema]);

export type Metric = Infer<typeof metricSchema>;

/**
 * An agent's lateness as reported to its coordinator, packed as defined in metrics/bound-parts.ts; samples
 * contain their own.
 */
const boundPartsSchema = v.object({
  lateMarks: packedCells,
  blockedMarks: packedCells,
  gaps: v.object(recordOf(GAP_EDGES, () => packedCells)),
});

export type BoundParts = Infer<typeof boundPartsSchema>;

export const snapshotSchema = v.object({
  /** From 1, ascending. */
  seq: v.pipe(count, v.minValue(1)),
  /** CLOCK_MONOTONIC of the host, ns. */
  timestampNs: nonNegative,
  state: snapshotState,
  pendingTasks: count,
  metrics: v.pipe(v.array(metricSchema), v.maxLength(1_024)),
  /** The result for each objective so far. Missing if a run has none. */
  objectives: v.exactOptional(objectiveAnswersSchema),
  /** What may contaminate the figures so far. */
  evidence: v.exactOptional(sampleEvidenceSchema),
  /** What the server reported about itself. Missing if it was not queried or reported nothing. */
  server: v.exactOptional(serverEvidenceSchema),
  /** Bounds for the whole run, or why there are none. */
  bounds: v.exactOptional(v.union([unknownSchema, runBoundsSchema])),
  /** For each model of a mix. Missing if a run has only one. */
  variants: v.exactOptional(variantFiguresSchema),
  /** Why requests failed, and when the server was away. Missing if none failed. */
  failures: v.exactOptional(runFailuresSchema),
  /** For a run of sessions. */
  sessions: v.exactOptional(liveSessionsSchema),
  /** Unknown finish reasons, by the server's own names. Missing: there were none. */
  finishNames: v.exactOptional(finishNamesSchema),
  /** Only in the last snapshot that agents send to their coordinator. Never on disk. */
  boundParts: v.exactOptional(boundPartsSchema),
  /** For a run from many machines, while it is in progress. */
  agents: v.exactOptional(liveAgentsSchema),
});

export type MetricsSnapshot = Infer<typeof snapshotSchema>;

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
