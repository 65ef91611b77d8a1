// Benchmark runs in the HTTP API, and what a benchmark reports to it: responses and bodies under /api/runs.

import * as v from 'valibot';
import { recordOf } from '../../core/record-of.ts';
import { ENERGY_SCOPES } from '../../core/run/energy.ts';
import { reportSchema } from '../../core/run/report.ts';
import { requestColumnsSchema } from '../../core/run/request-lanes.ts';
import { runProgressSchema, runSchema } from '../../core/run/run.ts';
import { count, figure, type Infer, nodeIdSchema, runIdSchema, unknownSchema } from '../../core/schema.ts';

export const listedRunSchema = v.object({
  node: v.pipe(nodeIdSchema, v.description('The node that ran it.')),
  run: runSchema,
  state: v.picklist(['running', 'complete', 'incomplete', 'interrupted', 'failed']),
  reason: v.pipe(v.string(), v.description('The reason for the state; empty if there is none.')),
  isLive: v.boolean(),
  silentMs: v.pipe(
    figure,
    v.description('Time since the last report of a run in progress; 0 if it has ended.'),
  ),
  progress: v.union([unknownSchema, runProgressSchema]),
});

/** A run as it is listed. */
export type ListedRun = Infer<typeof listedRunSchema>;

export const runsAnswerSchema = v.object({
  runs: v.array(listedRunSchema),
});

export const runAnswerSchema = v.object({
  run: listedRunSchema,
  report: v.pipe(
    v.nullable(reportSchema),
    v.description('null while it is in progress, and if its files are not on the answering node.'),
  ),
});

/** Percentiles at the points of a run over time. */
export const SERIES_PERCENTILES = ['1', '10', '25', '50', '75', '90', '99'] as const;

export const SERVER_COLUMN_KEYS = [
  'running',
  'waiting',
  'kvUsage',
  'prefixHitShare',
  'preemptions',
  'readBytes',
  'writtenBytes',
] as const;

/** One value per point; null if nothing ended in it. */
const column = v.array(v.nullable(figure));

export type SeriesColumn = Infer<typeof column>;

const serverColumns = v.object(recordOf(SERVER_COLUMN_KEYS, () => column));

export type ServerColumns = Infer<typeof serverColumns>;

const powerColumns = v.object(recordOf(ENERGY_SCOPES, () => column));

export type PowerColumns = Infer<typeof powerColumns>;

const timeSeriesSchema = v.object({
  stepMs: v.pipe(v.number(), v.gtValue(0)),
  /** The measured time: to the first token if the run streams, else the latency. */
  measured: v.picklist(['ttftNs', 'latencyNs']),
  requestsPerSecond: column,
  outputTokensPerSecond: column,
  inFlight: column,
  failed: column,
  percentilesNs: v.object(recordOf(SERIES_PERCENTILES, () => column)),
  /** What the server reported, for all its clients; missing if it reported nothing. */
  server: v.exactOptional(serverColumns),
  /** Power of the server's node, watts; missing if unknown. */
  power: v.exactOptional(powerColumns),
  /** The first requests one by one; missing while the run is in progress. */
  requests: v.exactOptional(requestColumnsSchema),
});

/** Columns of equal length; point i covers the time from i · stepMs to (i + 1) · stepMs since the run's zero. */
export type TimeSeries = Infer<typeof timeSeriesSchema>;

export const runSeriesAnswerSchema = v.object({
  runId: runIdSchema,
  isLive: v.boolean(),
  series: timeSeriesSchema,
  /** What is missing in it; '' if nothing is. */
  notice: v.pipe(v.string(), v.description('What is missing; empty if nothing is.')),
});

export type RunSeriesAnswer = Infer<typeof runSeriesAnswerSchema>;

export const stopAnswerSchema = v.object({
  runId: runIdSchema,
});

export const leaseBodySchema = v.object({
  requestsInFlight: count,
});
