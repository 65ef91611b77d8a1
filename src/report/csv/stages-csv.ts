// The stages of a load line or a sweep as CSV: a line each, in the order in which they ran.

import type { Stage } from '../../core/sweep/stage.ts';
import { showable } from '../../core/text/single-line.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { type CsvCell, type CsvColumn, csvTable } from './csv-line.ts';

export const stagesCsv = (stages: readonly Stage[]): string => csvTable(COLUMNS, stages);

/** A value that exists once a stage has figures. */
const figure =
  (of: (figures: Figures) => CsvCell): ((stage: Stage) => CsvCell) =>
  ({ figures }) =>
    isUnknown(figures) ? undefined : of(figures);

type Figures = Extract<Stage['figures'], { readonly issued: number }>;

const COLUMNS: readonly CsvColumn<Stage>[] = [
  { name: 'stage', of: ({ number }) => number },
  { name: 'run', of: ({ runId }) => showable(runId, ' ') },
  { name: 'directory', of: ({ directory }) => showable(directory, ' ') },
  { name: 'started_at', of: ({ startedAt }) => showable(startedAt, ' ') },
  { name: 'purpose', of: ({ purpose }) => purpose },
  // A report covers the past: a stage that never ended was cut off with its process.
  { name: 'state', of: ({ state }) => (state === 'ended' ? state : 'cut-off') },
  { name: 'verdict', of: ({ verdict }) => knownOr(verdict, undefined) },
  { name: 'reason', of: ({ reasons }) => showable(reasons[0] ?? '', ' ') },
  {
    name: 'requests_per_second',
    of: ({ load }) => (load.kind === 'rate' ? load.requestsPerSecond : undefined),
  },
  { name: 'concurrency', of: ({ load }) => (load.kind === 'concurrency' ? load.concurrency : undefined) },
  { name: 'issued', of: figure(({ issued }) => issued) },
  { name: 'completed', of: figure(({ completed }) => completed) },
  { name: 'failed', of: figure(({ failed }) => failed) },
  { name: 'cancelled', of: figure(({ cancelled }) => cancelled) },
  { name: 'elapsed_ns', of: figure(({ elapsedNs }) => elapsedNs) },
  {
    name: 'completed_per_second',
    of: figure(({ completedPerSecond }) => knownOr(completedPerSecond, undefined)),
  },
  {
    name: 'output_tokens_per_second',
    of: figure(({ outputTokensPerSecond }) => knownOr(outputTokensPerSecond, undefined)),
  },
  {
    name: 'tokens_per_second_of_one_user',
    of: figure(({ perUserTokensPerSecond }) => knownOr(perUserTokensPerSecond, undefined)),
  },
  { name: 'attainment', of: figure(({ attainment }) => knownOr(attainment, undefined)?.value) },
  { name: 'attainment_low', of: figure(({ attainment }) => knownOr(attainment, undefined)?.low) },
  { name: 'attainment_high', of: figure(({ attainment }) => knownOr(attainment, undefined)?.high) },
  { name: 'series', of: figure(({ curve }) => knownOr(curve, undefined)?.series) },
  { name: 'p50_ns', of: figure(({ curve }) => knownOr(curve, undefined)?.p50) },
  { name: 'percentile', of: figure(({ curve }) => knownOr(curve, undefined)?.percentile) },
  { name: 'at_percentile_ns', of: figure(({ curve }) => knownOr(curve, undefined)?.atPercentile) },
  { name: 'p99_ns', of: figure(({ curve }) => knownOr(curve, undefined)?.p99) },
  {
    name: 'growth_per_minute',
    of: figure(({ inFlightGrowthPerMinute }) => knownOr(inFlightGrowthPerMinute, undefined)?.value),
  },
];
