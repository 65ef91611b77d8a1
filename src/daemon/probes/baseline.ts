// The medians of the last week from a journal's rows: raw ones weigh one, hourly ones as many as they sum up. Pure.

import { BASELINE_WINDOW_MS, type ProbeBaseline } from '../../core/probe/probe-baseline.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import { DEVICE_FIGURES, LINK_FIGURES } from '../../core/probe/unusual-figures.ts';
import { decodeHourlySummary } from '../../journal/hourly-summary.ts';
import type { HistoryRow } from '../../journal/journal.ts';
import { recordPayload } from '../../wire/durable-record.ts';

/** Undefined where no row has a good measurement. */
export const baselineOf = (
  subject: ProbeSubject,
  rows: readonly Pick<HistoryRow, 'body' | 'isHourly' | 'atWallMs'>[],
): ProbeBaseline | undefined => {
  const names = subject.kind === 'gpu' ? DEVICE_FIGURES : LINK_MEDIANS;
  const values = new Map<string, Weighted[]>(names.map(name => [name, []]));
  let count = 0;
  let [oldestMs, newestMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const reported = row.isHourly ? addHour(values, row.body) : addProfile(values, row.body);
    if (reported === 0) continue;
    count += reported;
    oldestMs = Math.min(oldestMs, row.atWallMs);
    newestMs = Math.max(newestMs, row.atWallMs);
  }
  if (count === 0) return undefined;
  const spanMs = newestMs - oldestMs;
  const medians = [...values].flatMap(([name, weighted]) => {
    const median = weightedMedian(weighted);
    return median === undefined ? [] : [[name, median] as const];
  });
  return { subject, windowMs: BASELINE_WINDOW_MS, spanMs, count, medians: Object.fromEntries(medians) };
};

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** @returns the number of measurements in the row */
const addHour = (values: Map<string, Weighted[]>, body: Uint8Array): number => {
  const summary = decodeHourlySummary(body);
  if (summary === undefined) return 0;
  for (const [name, list] of values) {
    const figure = Object.hasOwn(summary.figures, name) ? summary.figures[name] : undefined;
    if (figure !== undefined) list.push({ value: figure.median, weight: figure.count });
  }
  return Math.max(0, summary.count - summary.failedCount);
};

const addProfile = (values: Map<string, Weighted[]>, body: Uint8Array): number => {
  const payload = recordPayload(body);
  if (payload === undefined || payload['failure'] !== 'none') return 0;
  for (const [name, list] of values) {
    const value = payload[name];
    if (typeof value === 'number' && Number.isFinite(value)) list.push({ value, weight: 1 });
  }
  return 1;
};

const weightedMedian = (weighted: readonly Weighted[]): number | undefined => {
  const sorted = weighted.toSorted((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  for (const { value, weight } of sorted) {
    sum += weight;
    if (sum >= half) return value;
  }
  return undefined;
};

const LINK_MEDIANS: readonly string[] = [...LINK_FIGURES, 'roundTripNsP99', 'jitterNs'];
