// The interval of a percentile of few samples: when there is one, and how often it contains the percentile.

import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/random.ts';
import { tailInterval } from '../../../src/core/statistics/early-stopping.ts';
import { placedArray } from '../../../src/core/statistics/percentile.ts';

const ranked = (values: readonly number[]) => placedArray(Float64Array.from(values).sort());
const upTo = (count: number) => ranked(Array.from({ length: count }, (_, index) => index + 1));

test('p90 of 20 to 63 values has an interval; fewer have none, and more have the estimate of early stopping', () => {
  expect(tailInterval(upTo(19), 90)).toBeUndefined();
  expect(tailInterval(upTo(20), 90)).toEqual({ low: 15, high: null });
  // 0.9^36 is below 2.5 %: from there on the greatest value bounds it.
  expect(tailInterval(upTo(35), 90)).toEqual({ low: expect.any(Number), high: null });
  expect(tailInterval(upTo(36), 90)).toEqual({ low: expect.any(Number), high: 36 });
  expect(tailInterval(upTo(63), 90)).toEqual({ low: 52, high: 62 });
  expect(tailInterval(upTo(64), 90)).toBeUndefined();
  expect(tailInterval(upTo(100), 99)).toBeUndefined();
  expect(tailInterval(upTo(300), 99)).toEqual({ low: expect.any(Number), high: null });
});

test('contains the percentile of what independent values are drawn from, in 95 of 100 runs and more', () => {
  const random = seededRandom(5);
  for (const count of [20, 35, 50, 63]) {
    const misses = Array.from({ length: 1_000 }, () => {
      const found = tailInterval(ranked(Array.from({ length: count }, () => random.next())), 90);
      return found === undefined || found.low > 0.9 || (found.high !== null && found.high < 0.9);
    }).filter(isMiss => isMiss);
    // 5 % of a thousand, and what chance adds to it once in a thousand series.
    expect(misses.length).toBeLessThanOrEqual(73);
  }
});
