// Reads another tool's file, and refuses it with the position of the error. Everything in such a file is validated
// before it is used, because files of results are passed around.

import * as v from 'valibot';
import {
  EXPLAINED_RATE_KEYS,
  type ExplainedRate,
  type FigureKey,
  type PrintedFigures,
  percentileOf,
  TIME_STATISTICS,
  type TimeFamily,
} from '../../core/explanation/explained-figures.ts';
import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { type Problem, ProblemError } from '../../core/problem.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import type { ForeignTool, UnreportedFact } from '../../core/run/foreign-run.ts';
import type { ReportRun } from '../../core/run/report.ts';
import type { Reported } from '../../core/unknown.ts';
import type { ForeignSummary } from '../../metrics/foreign-report.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';

export interface ForeignRun {
  readonly tool: ForeignTool;
  readonly version: Reported<string>;
  readonly run: Pick<
    ReportRun,
    'startedAt' | 'target' | 'api' | 'model' | 'pattern' | 'dataset' | 'streaming' | 'name'
  >;
  /** What the tool itself printed, under its own names. */
  readonly printed: PrintedFigures;
  readonly figures:
    | { readonly kind: 'requests'; readonly samples: readonly EndedSample[] }
    | { readonly kind: 'summary'; readonly summary: ForeignSummary };
  readonly unreported: readonly UnreportedFact[];
}

/** Of a family; a percentile by its number. */
export const printedTimes = (
  family: TimeFamily,
  { mean, percentiles }: PrintedTimes,
  unitNs: number,
): PrintedFigures =>
  Object.fromEntries(
    TIME_STATISTICS.flatMap((statistic): readonly (readonly [FigureKey, number])[] => {
      const percentile = percentileOf(statistic);
      const value = percentile === undefined ? mean : percentiles(percentile);
      return typeof value === 'number' ? [[`${family}.${statistic}`, value * unitNs]] : [];
    }),
  );

interface PrintedTimes {
  readonly mean: number | null | undefined;
  readonly percentiles: (percentile: number) => number | null | undefined;
}

/** Those that it printed. */
export const printedRates = (
  rates: Readonly<Record<ExplainedRate, number | null | undefined>>,
): PrintedFigures =>
  Object.fromEntries(
    EXPLAINED_RATE_KEYS.flatMap(key => (typeof rates[key] === 'number' ? [[key, rates[key]] as const] : [])),
  );

/** What no other tool records of a request. */
export const UNRECORDED = {
  connectNs: 0,
  heldBackNs: 0,
  finishReason: 'other',
  bytesSent: 0,
  bytesReceived: 0,
} as const;

export class ForeignFileError extends ProblemError<Problem<'foreign-file', { readonly location: string }>> {
  override readonly name = 'ForeignFileError';
}

/** @param location where in the file: "line 12", "benchmarks.0.requests" */
export const wrongForeignFile = (location: string, problem: string): ForeignFileError =>
  new ForeignFileError({
    code: 'foreign-file',
    location,
    problem: `${location}: ${problem}`,
    advice: 'Nothing was imported. Give the file as its tool wrote it.',
  });

/** @throws ForeignFileError with the position that JSON.parse reports */
export const parsedJson = (text: string, location: string): unknown => {
  new ExpansionBudget('importedReport', ({ problem }) => wrongForeignFile(location, problem)).addJson(text);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw wrongForeignFile(location, `no JSON: ${error.message.replace(/\s+/g, ' ').slice(0, 200)}`);
  }
};

/** @throws ForeignFileError with the path that does not fit */
export const checkedBy = <T>(schema: v.GenericSchema<unknown, T>, value: unknown, location: string): T => {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  throw wrongForeignFile(path === null ? location : `${location}, ${path}`, issue.message.slice(0, 200));
};

/** @throws ForeignFileError where the stamps of a request contradict each other */
export const checkedSample = (sample: EndedSample, location: string): EndedSample => {
  const stamps = [sample.intendedNs, sample.sentNs, sample.endNs, ...sample.chunkGapsNs];
  if (!stamps.every(stamp => Number.isSafeInteger(stamp) && stamp >= 0))
    throw wrongForeignFile(location, 'a time is negative, or of more than a hundred days');
  if (sample.outcome === 'completed' && sampleFigures(sample, true) === undefined)
    throw wrongForeignFile(
      location,
      'its times contradict each other: sent, first token, last token and end must follow in turn',
    );
  return sample;
};

/** Shortens a foreign text to what a report may contain. */
export const shortened = (text: string): string => text.slice(0, TEXT_CHARACTERS_MAX);

/** Seconds. */
export const seconds: v.GenericSchema<unknown, number> = v.pipe(
  v.number(),
  v.finite(),
  v.minValue(0),
  // The last moment of a Date: beyond it nanoseconds may exceed all numbers.
  v.maxValue(8.64e12),
);
export const foreignTokens: v.GenericSchema<unknown, number> = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
);

export const toNs = (value: number): number => Math.round(value * 1e9);

const TEXT_CHARACTERS_MAX = 300;
/** Requests of one file: about a gigabyte while it is read. */
export const IMPORTED_REQUESTS_MAX = 1_000_000;
