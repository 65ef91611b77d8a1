// One hour of a profile's history in one row: min, median and max of each figure. Bodies of any version are read, so
// figures are found by being numbers, not by name. Pure.

import * as v from 'valibot';
import { isJsonObject } from '../core/json.ts';
import { isUnknown } from '../core/unknown.ts';
import { type FigureSummary, type HourlySummary, hourlySummarySchema } from '../wire/api/history-answers.ts';
import { recordPayload } from '../wire/durable-record.ts';
import { parseShallowBytes } from '../wire/shallow-json.ts';

/** A hostile body must not make a row of any size: figures above this number are left out. */
export const FIGURES_MAX = 64;

/** One body is in memory at a time, for any number and size; only the figures of each are stored. */
export const summarizeHour = (bodies: Iterable<Uint8Array>): HourlySummary => {
  const values = new Map<string, number[]>();
  let count = 0;
  let failedCount = 0;
  for (const body of bodies) {
    count += 1;
    const payload = recordPayload(body);
    if (payload === undefined) continue;
    if (isUnknown(payload['failure'])) failedCount += 1;
    else collect(values, payload, '');
  }
  const figures = [...values].map(([name, numbers]) => [name, summarize(numbers)] as const);
  return { version: 1, count, failedCount, figures: Object.fromEntries(figures) };
};

/**
 * Merges two summaries of one hour: a late record arrived after the hour was summarised. Min, max and counts
 * are exact; the median is that of the larger part, because the original values are gone.
 */
export const mergeSummaries = (first: HourlySummary, second: HourlySummary): HourlySummary => {
  const figures = new Map(Object.entries(first.figures));
  for (const [name, figure] of Object.entries(second.figures)) {
    const other = figures.get(name);
    if (other !== undefined || figures.size < FIGURES_MAX) figures.set(name, mergeFigure(other, figure));
  }
  return {
    version: 1,
    count: first.count + second.count,
    failedCount: first.failedCount + second.failedCount,
    figures: Object.fromEntries(figures),
  };
};

export const encodeHourlySummary = (summary: HourlySummary): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(summary));

/** Undefined if the bytes are not a summary of this version. */
export const decodeHourlySummary = (body: Uint8Array): HourlySummary | undefined => {
  const read = v.safeParse(hourlySummarySchema, parseShallowBytes(body));
  return read.success ? read.output : undefined;
};

const collect = (values: Map<string, number[]>, fields: Record<string, unknown>, prefix: string): void => {
  for (const [name, value] of Object.entries(fields)) {
    const path = prefix + name;
    if (typeof value === 'number') {
      const numbers = values.get(path);
      if (numbers !== undefined) numbers.push(value);
      else if (values.size < FIGURES_MAX) values.set(path, [value]);
    } else if (isJsonObject(value) && path.length < PATH_LENGTH_MAX) collect(values, value, `${path}.`);
  }
};

const summarize = (numbers: readonly number[]): FigureSummary => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1] ?? upper;
  return {
    min: sorted[0] ?? upper,
    // Halved first, so that two huge figures do not overflow; clamped, because tiny ones lose a bit by that.
    median: Math.min(Math.max(lower / 2 + upper / 2, lower), upper),
    max: sorted.at(-1) ?? upper,
    count: sorted.length,
  };
};

const mergeFigure = (first: FigureSummary | undefined, second: FigureSummary): FigureSummary =>
  first === undefined
    ? second
    : {
        min: Math.min(first.min, second.min),
        median: first.count >= second.count ? first.median : second.median,
        max: Math.max(first.max, second.max),
        count: first.count + second.count,
      };

/** Also limits how deep a body is read. */
const PATH_LENGTH_MAX = 200;
