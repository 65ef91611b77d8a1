// Validates snapshots from outside: checked against the core's type, each part with its limit.

import * as v from 'valibot';
import { recordOf } from '../core/record-of.ts';
import { GAP_EDGES } from '../core/run/event-record.ts';
import type { CounterMetric, Metric, MetricsSnapshot, SeriesMetric } from '../core/run/snapshot.ts';
import { sampleEvidenceSchema, serverEvidenceSchema } from './contamination-schema.ts';
import { errorBoundSchema, runBoundsSchema } from './error-bound-schema.ts';
import { runFailuresSchema } from './failure-schema.ts';
import { finishNamesSchema } from './finish-names-schema.ts';
import { liveAgentsSchema } from './live-agent-schema.ts';
import { objectiveAnswers } from './objective-schema.ts';
import { count, figure, openObject, unknownSchema } from './schema.ts';
import { liveSessionsSchema } from './session-schema.ts';
import { variantFiguresSchema } from './variant-schema.ts';

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(128));
/** Exact sums; those of series that are not integers may have a fraction. */
const digits = v.pipe(v.string(), v.regex(/^-?\d{1,100}(\.\d{1,100})?(e[+-]?\d{1,3})?$/));
const percentileKey = v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,6})?$/));

const PERCENTILES_MAX = 256;
/** Packed: 42 octaves of 1,024 cells take 130 kB with some hundreds in each. */
export const SERIES_CELLS_BYTES_MAX = 1_048_576;

const figures: v.GenericSchema<unknown, Record<string, number>> = v.pipe(
  v.record(percentileKey, figure),
  v.check(record => Object.keys(record).length <= PERCENTILES_MAX),
);
const figuresOrNull: v.GenericSchema<unknown, Record<string, number | null>> = v.pipe(
  v.record(percentileKey, v.nullable(figure)),
  v.check(record => Object.keys(record).length <= PERCENTILES_MAX),
);

const counterSchema: v.GenericSchema<unknown, CounterMetric> = v.object({
  kind: v.literal('counter'),
  name,
  value: figure,
});

const packedCells: v.GenericSchema<unknown, Uint8Array> = v.pipe(
  v.instance(Uint8Array),
  v.check(packed => packed.length <= SERIES_CELLS_BYTES_MAX),
);

const seriesSchema: v.GenericSchema<unknown, SeriesMetric> = v.object({
  kind: v.literal('series'),
  name,
  unit: v.picklist(['ns', 'tokens', 'ratio', 'bytes']),
  count,
  total: digits,
  sumOfSquares: digits,
  min: v.nullable(figure),
  max: v.nullable(figure),
  percentiles: figures,
  isExact: v.boolean(),
  errorBound: v.exactOptional(errorBoundSchema),
  estimates: v.exactOptional(figuresOrNull),
  intervals: v.exactOptional(v.record(percentileKey, openObject({ low: figure, high: v.nullable(figure) }))),
  failureAdjusted: v.exactOptional(figuresOrNull),
  histogram: v.pipe(v.array(v.tuple([figure, figure, count])), v.maxLength(1_024)),
  cells: v.exactOptional(packedCells),
  clampedCount: count,
  leftOutCount: count,
});

const metricSchema: v.GenericSchema<unknown, Metric> = v.union([counterSchema, seriesSchema]);

export const snapshotSchema: v.GenericSchema<unknown, MetricsSnapshot> = v.object({
  seq: v.pipe(count, v.minValue(1)),
  timestampNs: v.pipe(figure, v.minValue(0)),
  state: v.picklist(['initialize', 'live', 'draining', 'complete', 'interrupted']),
  pendingTasks: count,
  metrics: v.pipe(v.array(metricSchema), v.maxLength(1_024)),
  objectives: v.exactOptional(objectiveAnswers),
  evidence: v.exactOptional(sampleEvidenceSchema),
  server: v.exactOptional(serverEvidenceSchema),
  bounds: v.exactOptional(v.union([unknownSchema, runBoundsSchema])),
  variants: v.exactOptional(variantFiguresSchema),
  failures: v.exactOptional(runFailuresSchema),
  sessions: v.exactOptional(liveSessionsSchema),
  finishNames: v.exactOptional(finishNamesSchema),
  boundParts: v.exactOptional(
    v.object({
      lateMarks: packedCells,
      heldMarks: packedCells,
      gaps: v.object(recordOf(GAP_EDGES, () => packedCells)),
    }),
  ),
  agents: v.exactOptional(liveAgentsSchema),
});
