// Benchmark runs in the HTTP API, and what a benchmark reports to it: responses and bodies under /api/runs.

import * as v from 'valibot';
import type { RunId } from '../../core/ids.ts';
import { recordOf } from '../../core/record-of.ts';
import { ENERGY_SCOPES, type EnergyScope } from '../../core/run/energy.ts';
import { reportSchema } from '../../core/run/report.ts';
import { type RunProgress, runProgressSchema, runSchema } from '../../core/run/run.ts';
import type { RunView } from '../../core/run/run-selectors.ts';
import { count, figure, type Infer, nodeIdSchema, runIdSchema, unknownSchema } from '../../core/schema.ts';
import type { Unknown } from '../../core/unknown.ts';

/** A run as it is listed. */
export type ListedRun = Omit<RunView, 'progress'> & { readonly progress: RunProgress | Unknown };

export const listedRunSchema: v.GenericSchema<unknown, ListedRun> = v.object({
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

export const runsAnswerSchema: v.GenericSchema<unknown, { readonly runs: readonly ListedRun[] }> = v.object({
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
type SeriesPercentile = (typeof SERIES_PERCENTILES)[number];

/** One value per point; null if nothing ended in it. */
export type SeriesColumn = readonly (number | null)[];

/** Columns of equal length; point i covers the time from i · stepMs to (i + 1) · stepMs since the run's zero. */
export interface TimeSeries {
  readonly stepMs: number;
  /** The measured time: to the first token if the run streams, else the latency. */
  readonly measured: 'ttftNs' | 'latencyNs';
  readonly requestsPerSecond: SeriesColumn;
  readonly outputTokensPerSecond: SeriesColumn;
  readonly inFlight: SeriesColumn;
  readonly failed: SeriesColumn;
  readonly percentilesNs: Readonly<Record<SeriesPercentile, SeriesColumn>>;
  /** What the server reported, for all its clients; missing if it reported nothing. */
  readonly server?: ServerColumns;
  /** Power of the server's node, watts; missing if unknown. */
  readonly power?: PowerColumns;
}

export type PowerColumns = Readonly<Record<EnergyScope, SeriesColumn>>;

export const SERVER_COLUMN_KEYS = [
  'running',
  'waiting',
  'kvUsage',
  'prefixHitShare',
  'preemptions',
  'readBytes',
  'writtenBytes',
] as const;

export type ServerColumns = Readonly<Record<(typeof SERVER_COLUMN_KEYS)[number], SeriesColumn>>;

const column: v.GenericSchema<unknown, SeriesColumn> = v.array(v.nullable(figure));

export const runSeriesAnswerSchema = v.object({
  runId: runIdSchema,
  isLive: v.boolean(),
  series: v.object({
    stepMs: v.pipe(v.number(), v.gtValue(0)),
    measured: v.picklist(['ttftNs', 'latencyNs']),
    requestsPerSecond: column,
    outputTokensPerSecond: column,
    inFlight: column,
    failed: column,
    percentilesNs: v.object({
      1: column,
      10: column,
      25: column,
      50: column,
      75: column,
      90: column,
      99: column,
    }),
    server: v.exactOptional(v.object(recordOf(SERVER_COLUMN_KEYS, () => column))),
    power: v.exactOptional(v.object(recordOf(ENERGY_SCOPES, () => column))),
  }),
  /** What is missing in it; '' if nothing is. */
  notice: v.pipe(v.string(), v.description('What is missing; empty if nothing is.')),
});

export type RunSeriesAnswer = Infer<typeof runSeriesAnswerSchema>;

export const stopAnswerSchema: v.GenericSchema<unknown, { readonly runId: RunId }> = v.object({
  runId: runIdSchema,
});

export const leaseBodySchema: v.GenericSchema<unknown, { readonly requestsInFlight: number }> = v.object({
  requestsInFlight: count,
});
