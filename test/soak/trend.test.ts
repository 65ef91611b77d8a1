// What a soak concludes from its series.

import { expect, test } from 'vitest';
import { seriesOf } from './soak-series.ts';
import { type TrendPoint, trendOf } from './trend.ts';

const MINUTES = 125;

const series = (value: (minute: number) => number, minutes = MINUTES): readonly TrendPoint[] =>
  Array.from({ length: minutes }, (_, minute) => ({ hours: minute / 60, value: value(minute) }));

/** Numbers that repeat and have no order. */
const noise = (minute: number): number => ((minute * 7_919) % 101) / 101 - 0.5;

test('what stays where it is but for noise is flat, with the slope of nothing in its interval', () => {
  const trend = trendOf(
    series(minute => 80 + 3 * noise(minute)),
    2,
  );
  if (trend.kind === 'too short') throw new Error('too short');
  expect(trend.kind).toBe('flat');
  expect(trend.low).toBeLessThan(0);
  expect(trend.high).toBeGreaterThan(0);
});

test('what grows by more than the limit grows, by as much as it does', () => {
  const trend = trendOf(
    series(minute => 80 + 5 * (minute / 60) + noise(minute)),
    2,
  );
  if (trend.kind === 'too short') throw new Error('too short');
  expect(trend.kind).toBe('grows');
  expect(trend.slope).toBeCloseTo(5, 0);
});

test('what grows and is surely below the limit is flat', () => {
  expect(
    trendOf(
      series(minute => 80 + minute / 60 + noise(minute)),
      2,
    ).kind,
  ).toBe('flat');
});

test('how steeply it rises in the first half hour has no part in it', () => {
  const trend = trendOf(
    series(minute => 80 + 4 * Math.min(minute, 30)),
    2,
  );
  expect(trend).toMatchObject({ kind: 'flat', slope: 0 });
});

test('noise that hides any slope is undecided', () => {
  expect(
    trendOf(
      series(minute => 80 + 60 * noise(minute)),
      2,
    ).kind,
  ).toBe('undecided');
});

test('samples that resemble their neighbours make the interval wider than as many that do not', () => {
  const width = (value: (minute: number) => number): number => {
    const trend = trendOf(series(value), 2);
    return trend.kind === 'too short' ? 0 : trend.high - trend.low;
  };
  const wave = (minute: number): number => Math.sin((minute * 2 * Math.PI) / 25);
  const shuffled = (minute: number): number => wave((minute * 37) % MINUTES);
  expect(width(wave)).toBeGreaterThan(2 * width(shuffled));
});

test('less than 1.4 hours after the warm-up is too short to be judged, and so is nothing', () => {
  expect(
    trendOf(
      series(() => 80, 105),
      2,
    ),
  ).toMatchObject({ kind: 'too short', points: 75, fit: { slope: 0 } });
  expect(trendOf([], 2)).toEqual({ kind: 'too short', hours: 0, points: 0, fit: undefined });
});

test('of a process that goes on from one segment to the next only its first half hour is left out', () => {
  const aged = (fromHours: number) =>
    series(minute => 80 + (minute < 30 ? 10 : 0)).map(point => ({
      ...point,
      ageHours: fromHours + point.hours,
    }));
  expect(trendOf(aged(0), 1)).toMatchObject({ kind: 'flat', slope: 0, points: 95 });
  const second = trendOf(aged(2), 1);
  expect(second).toMatchObject({ points: 125 });
  expect(second.kind === 'too short' ? 0 : second.slope).toBeLessThan(-1);
});

test('a process that was restarted starts another series, of which the longest is reported', () => {
  const row = (minute: number, pid: number) => ({
    atMs: minute * 60_000,
    load: 1,
    process: 'cyr',
    pid,
    threads: pid,
  });
  const [reported, ...others] = seriesOf(2, [row(1, 10), row(2, 11), row(3, 11), row(4, 12)]);
  expect(others).toEqual([]);
  expect(reported).toMatchObject({ piece: 2, process: 'cyr', measure: { key: 'threads' } });
  expect(reported?.points.map(({ value }) => value)).toEqual([11, 11]);
});
