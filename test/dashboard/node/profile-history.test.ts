import { describe, expect, test } from 'vitest';
import {
  changeLabel,
  changeOf,
  momentText,
  profilePoints,
} from '../../../dashboard/src/node/profile-history.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { gpuRow, hourRow } from '../../support/profile-rows.ts';

const DAY_MS = 24 * 3_600_000;

test('the past of a device is of raw rows and of hourly sums, without attempts that failed', () => {
  const rows = [
    hourRow(1, { memoryReadBytesPerSecond: 5 }),
    gpuRow(2, { failure: unknown('no driver'), memoryReadBytesPerSecond: 7 }),
    gpuRow(3, { memoryReadBytesPerSecond: 6, fp16FlopsPerSecond: unknown('no FP16') }),
    { atWallMs: 4, isHourly: false, record: unknown('it cannot be read') } as const,
  ];
  expect(profilePoints(rows)).toEqual([
    { atMs: 1, figures: { memoryReadBytesPerSecond: 5 } },
    { atMs: 3, figures: { memoryReadBytesPerSecond: 6 } },
  ]);
});

describe('a change of level', () => {
  const of = (...values: readonly number[]) =>
    changeOf(
      values.map((value, index) => ({ atMs: index, figures: { memoryReadBytesPerSecond: value } })),
      'memoryReadBytesPerSecond',
    );

  test('is shown against the median before, since its first measurement', () => {
    expect(of(100, 104, 98, 101, 99, 25, 26, 25)).toEqual({ share: -0.75, sinceMs: 5 });
  });

  test('is not what trembles, nor what few measurements report', () => {
    expect(of(100, 104, 98, 90, 85, 84)).toBeUndefined();
    expect(of(100, 100, 100, 100, 25)).toBeUndefined();
    expect(of()).toBeUndefined();
  });

  test('is not an outlier that is over', () => {
    expect(of(100, 101, 99, 100, 20, 100)).toBeUndefined();
  });

  test('upwards is shown too', () => {
    expect(of(50, 50, 50, 50, 50, 100)).toEqual({ share: 1, sinceMs: 5 });
  });
});

test('the words of a change name the day, or within the last one the time', () => {
  const nowMs = new Date(2026, 10, 20, 15, 0).getTime();
  const sinceMs = new Date(2026, 10, 14, 9, 30).getTime();
  expect(changeLabel({ share: -0.75, sinceMs }, nowMs)).toBe('−75\u202f% since 14 Nov');
  expect(momentText(nowMs - DAY_MS / 24, nowMs)).toBe('14:00');
});
