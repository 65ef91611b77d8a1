import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  extremes,
  SLOT_SECONDS,
  SLOTS,
  slotsOf,
  sparklinePath,
} from '../../../dashboard/src/chart/sparkline.ts';

const SIZE = { width: 200, height: 34 };

describe('slots', () => {
  test('there are always as many, however few reports there were', () => {
    expect(slotsOf([], 4_000)).toHaveLength(SLOTS);
    expect(slotsOf([1, 2, 3], 4_000)).toHaveLength(SLOTS);
  });

  test('hold the mean of their seconds', () => {
    // Seconds 10 to 14 are one slot, 15 begins the next.
    expect(slotsOf([1, 2, 3, 4, 5, 9], 15).slice(-2)).toEqual([3, 9]);
  });

  test('lie still on the clock: a second later only the newest one changes', () => {
    const values = [1, 2, 3, 4, 5, 6, 7];
    expect(slotsOf(values, 16).slice(-3, -1)).toEqual(slotsOf([...values, 8], 17).slice(-3, -1));
  });

  test('a slot without reports is a gap, and a zero is not', () => {
    expect(slotsOf([null, null, null, null, null, 0], 15).slice(-2)).toEqual([null, 0]);
  });

  test('what is older than the window falls out', () => {
    const values = Array.from({ length: 2_000 }, (_, index) => index);
    const slots = slotsOf(values, 1_999);
    expect(slots).toHaveLength(SLOTS);
    expect(slots[0]).toBe(2_000 - SLOTS * SLOT_SECONDS + 2);
  });
});

describe('the line', () => {
  test('never leaves its box, for any reports', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.double({ noNaN: true, min: -1e12, max: 1e12 })), { maxLength: SLOTS }),
        values => {
          const { d } = sparklinePath(values, { low: 0, high: 1 }, SIZE);
          for (const [, x, y] of d.matchAll(/[ML](\S+) (\S+?)(?=[ML]|$)/g)) {
            expect(Number(x)).toBeGreaterThanOrEqual(0);
            expect(Number(x)).toBeLessThanOrEqual(SIZE.width);
            expect(Number(y)).toBeGreaterThanOrEqual(0);
            expect(Number(y)).toBeLessThanOrEqual(SIZE.height);
          }
        },
      ),
    );
  });

  test('breaks where a source was silent', () => {
    const slots = Array.from({ length: SLOTS }, (_, slot) => (slot > 100 && slot < 110 ? null : 0.5));
    expect(sparklinePath(slots, { low: 0, high: 1 }, SIZE).d.match(/M/g)).toHaveLength(2);
  });

  test('does not break at one missing slot, as with a source that reports every ten seconds', () => {
    const slots = Array.from({ length: SLOTS }, (_, slot) => (slot % 2 === 0 ? 0.5 : null));
    expect(sparklinePath(slots, { low: 0, high: 1 }, SIZE).d.match(/M/g)).toHaveLength(1);
  });

  test('has an end only while reports arrive', () => {
    const reported = Array.from({ length: SLOTS }, () => 0.5);
    expect(sparklinePath(reported, { low: 0, high: 1 }, SIZE).end).toEqual({ x: 196, y: 17 });
    const silent = reported.map((value, slot) => (slot > 150 ? null : value));
    expect(sparklinePath(silent, { low: 0, high: 1 }, SIZE).end).toBeUndefined();
  });

  test('no reports draw nothing', () => {
    expect(sparklinePath(slotsOf([], 10), { low: 0, high: 1 }, SIZE)).toEqual({ d: '', end: undefined });
  });
});

test('extremes leave out what was not reported', () => {
  expect(extremes([null, 3, null, 1, 2])).toEqual({ low: 1, high: 3 });
  expect(extremes([null, null])).toBeUndefined();
});
