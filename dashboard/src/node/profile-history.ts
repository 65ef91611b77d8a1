// What a device was measured at before: rows of the journal as points, and where its newest level departs from the one
// before. Old rows are sums of an hour, of which the median is taken; an attempt that failed is no point.

import type { DeviceFigure } from '../../../src/core/probe/unusual-figures.ts';
import { DEVICE_FIGURES, HABIT_COUNT_MIN, VARIATION_SHARE } from '../../../src/core/probe/unusual-figures.ts';

export interface ProfilePoint {
  /** On the daemon's wall clock, ms. */
  readonly atMs: number;
  readonly figures: Readonly<Partial<Record<DeviceFigure, number>>>;
}

/** Of the answer of /api/history with slot=gpu; none of an answer that is something else. */
export const profilePoints = (body: unknown): readonly ProfilePoint[] => {
  const rows = field(body, 'rows');
  return Array.isArray(rows) ? rows.flatMap(pointOf) : [];
};

export interface Change {
  /** Of the level before: -0.75 is three quarters less. */
  readonly share: number;
  /** The first measurement at the new level. */
  readonly sinceMs: number;
}

/** How far the newest figure is from the median of those before its level began; undefined where it is the same level. */
export const changeOf = (points: readonly ProfilePoint[], name: DeviceFigure): Change | undefined => {
  const known = points.flatMap(({ atMs, figures }) => {
    const value = figures[name];
    return value === undefined ? [] : { atMs, value };
  });
  const last = known.at(-1);
  if (last === undefined || last.value <= 0) return undefined;
  const isOther = (value: number): boolean => Math.abs(value / last.value - 1) > VARIATION_SHARE;
  const begin = known.findLastIndex(({ value }) => isOther(value)) + 1;
  const before = known
    .slice(0, begin)
    .map(({ value }) => value)
    .toSorted((a, b) => a - b);
  const median = before[Math.floor(before.length / 2)];
  const since = known[begin];
  if (median === undefined || median <= 0 || since === undefined || before.length < HABIT_COUNT_MIN)
    return undefined;
  const share = last.value / median - 1;
  return Math.abs(share) > VARIATION_SHARE ? { share, sinceMs: since.atMs } : undefined;
};

/** "−75 % since 14 Nov". */
export const changeWords = ({ share, sinceMs }: Change, nowMs: number): string =>
  `${share < 0 ? '−' : '+'}${Math.round(Math.abs(share) * 100)}\u202f% since ${momentText(sinceMs, nowMs)}`;

/** The day, or within the last one the time. */
export const momentText = (atMs: number, nowMs: number): string => {
  const at = new Date(atMs);
  return nowMs - atMs < DAY_MS
    ? at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
};

const pointOf = (row: unknown): readonly ProfilePoint[] => {
  const atMs = field(row, 'atWallMs');
  if (typeof atMs !== 'number' || !Number.isFinite(atMs)) return [];
  const record = field(row, 'record');
  const isHourly = field(row, 'isHourly') === true;
  const payload = field(record, 'payload');
  if (!isHourly && field(payload, 'failure') !== 'none') return [];
  const figures = DEVICE_FIGURES.flatMap(name => {
    const value = isHourly ? field(field(field(record, 'figures'), name), 'median') : field(payload, name);
    return typeof value === 'number' && Number.isFinite(value) ? [[name, value] as const] : [];
  });
  return figures.length === 0 ? [] : [{ atMs, figures: Object.fromEntries(figures) }];
};

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

const DAY_MS = 24 * 3_600_000;
