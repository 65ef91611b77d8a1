// The past measurements of a device, and where its newest level differs from the previous one.

import {
  DEVICE_FIGURES,
  type DeviceFigure,
  HABIT_COUNT_MIN,
  VARIATION_SHARE,
} from '../../../src/core/probe/unusual-figures.ts';
import { type FigurePoint, figurePoints } from '../../../src/wire/api/figure-points.ts';
import type { ProfileRow } from '../../../src/wire/api/history-answers.ts';

export const profilePoints = (rows: readonly ProfileRow[]): readonly FigurePoint[] =>
  figurePoints(rows, DEVICE_FIGURES);

export interface Change {
  /** Of the level before: -0.75 is three quarters less. */
  readonly share: number;
  /** The first measurement at the new level. */
  readonly sinceMs: number;
}

/** How far the newest figure is from the median of those before its level began; undefined where it is the same level. */
export const changeOf = (points: readonly FigurePoint[], name: DeviceFigure): Change | undefined => {
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
export const changeLabel = ({ share, sinceMs }: Change, nowMs: number): string =>
  `${share < 0 ? '−' : '+'}${Math.round(Math.abs(share) * 100)}\u202f% since ${momentText(sinceMs, nowMs)}`;

/** The day, or within the last one the time. */
export const momentText = (atMs: number, nowMs: number): string => {
  const at = new Date(atMs);
  return nowMs - atMs < DAY_MS
    ? at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
};

/** Day and time: of one point, where a day alone would be many points. */
export const instantText = (atMs: number): string => {
  const at = new Date(atMs);
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  return `${day} ${at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
};

const DAY_MS = 24 * 3_600_000;
