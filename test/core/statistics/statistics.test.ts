import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  earlyStoppingEstimate,
  earlyStoppingRank,
  hasEnoughFor,
} from '../../../src/core/statistics/early-stopping.ts';
import { ExactSums } from '../../../src/core/statistics/exact-sums.ts';
import { Histogram } from '../../../src/core/statistics/histogram.ts';
import {
  betaQuantile,
  logGamma,
  regularisedIncompleteBeta,
  studentQuantile,
} from '../../../src/core/statistics/incomplete-beta.ts';
import { countBetween, logEdges } from '../../../src/core/statistics/log-buckets.ts';
import {
  DEFAULT_PERCENTILES,
  failureAdjustedPercentile,
  lowerPercentile,
  meanAbsoluteDifference,
  placedArray,
} from '../../../src/core/statistics/percentile.ts';
import { RawValues } from '../../../src/core/statistics/raw-values.ts';

const HOUR_NS = 3_600_000_000_000;
const nanoseconds = fc.integer({ min: 0, max: HOUR_NS });

describe('exact sums', () => {
  it('equal the sums taken in whole numbers of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nanoseconds, fc.maxSafeNat()), { maxLength: 300 }), values => {
        const sums = new ExactSums();
        for (const value of values) sums.record(value);
        expect(sums.total()).toBe(values.reduce((sum, value) => sum + BigInt(value), 0n));
        expect(sums.sumOfSquares()).toBe(values.reduce((sum, value) => sum + BigInt(value) ** 2n, 0n));
      }),
    );
  });

  it('stay exact over many more values than a double could add up', () => {
    const sums = new ExactSums();
    const value = HOUR_NS - 1;
    for (let index = 0; index < 10_000; index += 1) sums.record(value);
    expect(sums.sumOfSquares()).toBe(BigInt(value) ** 2n * 10_000n);
    expect(sums.standardDeviation()).toBe(0);
    expect(sums.mean()).toBe(value);
  });

  it('give the deviation of values that differ by one nanosecond in an hour', () => {
    const sums = new ExactSums();
    for (const value of [HOUR_NS, HOUR_NS + 1, HOUR_NS + 2]) sums.record(value);
    expect(sums.standardDeviation()).toBe(1);
  });

  it('refuse what is not a whole number from zero on', () => {
    for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new ExactSums().record(value)).toThrow(RangeError);
    }
  });

  it('know no mean of nothing and no deviation of one', () => {
    const sums = new ExactSums();
    expect(sums.mean()).toBeUndefined();
    sums.record(5);
    expect(sums.standardDeviation()).toBeUndefined();
  });
});

describe('exact percentiles', () => {
  it('take the lower value: of 1..100 thousand the median is 50 and p99 is 99 thousand', () => {
    const sorted = Array.from({ length: 100 }, (_, index) => (index + 1) * 1_000);
    expect(lowerPercentile(sorted, 50)).toBe(50_000);
    expect(lowerPercentile(sorted, 99)).toBe(99_000);
    expect(lowerPercentile(sorted, 100)).toBe(100_000);
  });

  it('rise', () => {
    fc.assert(
      fc.property(fc.array(nanoseconds, { minLength: 1 }), values => {
        const sorted = Float64Array.from(values).sort();
        const percentiles = DEFAULT_PERCENTILES.map(p => lowerPercentile(sorted, p));
        expect(percentiles).toEqual([...percentiles].sort((a, b) => a - b));
      }),
    );
  });

  it('do not lose p99.9 of 1,001 values to rounding', () => {
    const sorted = Array.from({ length: 1_001 }, (_, index) => index);
    expect(lowerPercentile(sorted, 99.9)).toBe(999);
  });

  it('count a failure as infinitely late', () => {
    expect(failureAdjustedPercentile([1, 2, 3], 1, 50)).toBe(2);
    expect(failureAdjustedPercentile([1, 2, 3], 1, 100)).toBe(Number.POSITIVE_INFINITY);
    expect(failureAdjustedPercentile([], 2, 50)).toBe(Number.POSITIVE_INFINITY);
  });

  it('of nothing are an error, not a number', () => {
    expect(() => lowerPercentile([], 50)).toThrow(RangeError);
  });
});

describe('early stopping', () => {
  it('has enough for a percentile exactly where there is an estimate of it, and always for a median', () => {
    for (const percentile of [75, 90, 95, 99, 99.9])
      for (const count of [0, 1, 2, 29, 63, 64, 65, 90, 661, 662, 663, 7_000])
        expect(hasEnoughFor(percentile, count)).toBe(earlyStoppingRank(count, percentile) > 0);
    expect([hasEnoughFor(50, 1), hasEnoughFor(1, 0), hasEnoughFor(100, 1)]).toEqual([true, true, true]);
    expect([hasEnoughFor(99, 90), hasEnoughFor(90, 90), hasEnoughFor(99, 1_000)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it.each([
    [50, 11, 14],
    [75, 24, 31],
    [80, 31, 39],
    [90, 64, 81],
    [95, 130, 165],
    [97, 219, 277],
    [99, 662, 838],
    [99.9, 6_636, 8_403],
  ])('at p%d allows a first claim from %i samples on and a second from %i', (percentile, first, second) => {
    expect(earlyStoppingRank(first - 1, percentile)).toBe(0);
    expect(earlyStoppingRank(first, percentile)).toBe(1);
    expect(earlyStoppingRank(second - 1, percentile)).toBe(1);
    expect(earlyStoppingRank(second, percentile)).toBe(2);
  });

  it('of 10,000 samples takes the 77th highest for p99', () => {
    expect(earlyStoppingRank(10_000, 99)).toBe(77);
    const sorted = Array.from({ length: 10_000 }, (_, index) => index + 1);
    expect(earlyStoppingEstimate(sorted, 99)).toBe(10_000 - 77 + 1);
  });

  it('is never below the percentile itself', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 700, max: 50_000 }),
        fc.constantFrom(50, 75, 80, 90, 95, 97, 99),
        (count, p) => {
          const sorted = Array.from({ length: count }, (_, index) => index);
          expect(earlyStoppingEstimate(sorted, p)).toBeGreaterThanOrEqual(lowerPercentile(sorted, p));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('answers for 64 million samples', () => {
    const rank = earlyStoppingRank(64_000_000, 99);
    expect(rank).toBeGreaterThan(636_000);
    expect(rank).toBeLessThan(640_000);
  });

  it('rests on a beta function that fits its closed forms', () => {
    expect(regularisedIncompleteBeta({ x: 0.3, a: 1, b: 1 })).toBeCloseTo(0.3, 12);
    expect(regularisedIncompleteBeta({ x: 0.9, a: 5, b: 1 })).toBeCloseTo(0.9 ** 5, 12);
    expect(regularisedIncompleteBeta({ x: 0.5, a: 7, b: 7 })).toBeCloseTo(0.5, 12);
    expect(logGamma(10)).toBeCloseTo(Math.log(362_880), 11);
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 11);
  });

  it('gives back the quantiles that tables print', () => {
    expect(betaQuantile({ share: 0.9 ** 5, a: 5, b: 1 })).toBeCloseTo(0.9, 10);
    expect(studentQuantile(0.975, 1)).toBeCloseTo(12.706_2, 3);
    expect(studentQuantile(0.975, 10)).toBeCloseTo(2.228_1, 4);
    expect(studentQuantile(0.95, 1_000_000)).toBeCloseTo(1.644_9, 4);
  });
});

describe('the live histogram', () => {
  it('returns every percentile within 0.1% of the exact one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: HOUR_NS }), { minLength: 1, maxLength: 500 }),
        values => {
          const histogram = new Histogram({ low: 1, high: HOUR_NS });
          for (const value of values) histogram.record(value);
          const sorted = Float64Array.from(values).sort();
          const reported = histogram.percentiles(DEFAULT_PERCENTILES);
          DEFAULT_PERCENTILES.forEach((p, index) => {
            const rank = Math.max(1, Math.floor((p / 100) * values.length + 0.5));
            const exact = sorted[rank - 1] ?? 0;
            expect(Math.abs((reported[index] ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.001);
          });
        },
      ),
    );
  });

  it('returns small whole numbers exactly', () => {
    const histogram = new Histogram({ low: 1, high: 1_000_000 });
    for (const value of [3, 7, 1_023]) histogram.record(value);
    expect(histogram.percentiles([1, 50, 99.9])).toEqual([3, 7, 1_023]);
  });

  it('counts what is beyond its bounds at the bound, and reports how many', () => {
    const histogram = new Histogram({ low: 1, high: 1_000 });
    for (const value of [0, -5, 2_000, Number.NaN]) histogram.record(value);
    expect(histogram.clampedCount).toBe(4);
    expect(histogram.percentiles([50, 99.9])).toEqual([1, 1_000]);
  });

  it('puts every value into one bucket', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: HOUR_NS }), { minLength: 1 }), values => {
        const histogram = new Histogram({ low: 1, high: HOUR_NS });
        for (const value of values) histogram.record(value);
        const counts = histogram.bucketCounts(logEdges(Math.min(...values), Math.max(...values)));
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
      }),
    );
  });
});

describe('log buckets', () => {
  it('begin at the least and end at the greatest value, however near they are', () => {
    expect(logEdges(200, 50_000)).toHaveLength(31);
    expect(logEdges(200, 50_000)[0]).toBe(200);
    expect(logEdges(200, 50_000).at(-1)).toBe(50_000);
    expect(logEdges(95, 105)).toHaveLength(31);
    expect([logEdges(95, 105)[0], logEdges(95, 105).at(-1)]).toEqual([95, 105]);
    expect(logEdges(7, 7)).toEqual([7, 7]);
    expect(logEdges(0, 0)).toEqual([1, 1]);
    expect(logEdges(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)).toEqual([]);
  });

  it('hold every sorted value, the greatest too', () => {
    fc.assert(
      fc.property(fc.array(nanoseconds, { minLength: 1 }), values => {
        const sorted = Float64Array.from(values).sort();
        const counts = countBetween(placedArray(sorted), logEdges(sorted[0] ?? 0, sorted.at(-1) ?? 0), 0);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
      }),
    );
  });
});

describe('raw values', () => {
  it('come back ascending over any number of blocks', () => {
    const raw = new RawValues();
    for (let index = 0; index < 150_000; index += 1) raw.add((index * 7_919) % 150_000);
    expect(raw.sorted()).toEqual(Float64Array.from({ length: 150_000 }, (_, index) => index));
  });

  it('have ranks, few values as many', () => {
    const raw = new RawValues();
    for (let index = 0; index < 1_000_001; index += 1) raw.add((index * 7_919) % 1_000_001);
    const ranked = raw.ranked();
    for (const rank of [0, 1, 65_536, 999_999, 1_000_000]) expect(ranked.at(rank)).toBe(rank);
    expect(ranked.countBelow(123_456)).toBe(123_456);
  });

  it('past their bound are counted, not kept', () => {
    const raw = new RawValues(2);
    for (const value of [3, 2, 1]) raw.add(value);
    expect([...raw.sorted()]).toEqual([2, 3]);
    expect(raw.leftOut).toBe(1);
  });
});

describe('jitter', () => {
  it('is the mean of the differences of neighbours', () => {
    expect(meanAbsoluteDifference([10, 12, 9, 9])).toBeCloseTo(5 / 3);
    expect(meanAbsoluteDifference([10])).toBeUndefined();
  });
});

it('a histogram counts the same for any octave in which its values start', () => {
  const bounds = { low: 1, high: 3_600_000_000_000 };
  const values = [5_000, 3_600_000_000_000, 1, 70_000_000, 5_001, 1_023, 1_024, 2_047, 2_048];
  const cellsOf = (order: readonly number[]) => {
    const histogram = new Histogram(bounds);
    for (const value of order) histogram.record(value);
    const again = new Histogram(bounds);
    for (const [cell, count] of histogram.cells()) again.addCell(cell, count);
    expect([...again.cells()]).toEqual([...histogram.cells()]);
    return [histogram.count, histogram.percentiles([0, 50, 100]), [...histogram.cells()]];
  };
  const rising = cellsOf(values.toSorted((a, b) => a - b));
  expect(cellsOf(values)).toEqual(rising);
  expect(cellsOf(values.toReversed())).toEqual(rising);
  expect(cellsOf(values.toSorted((a, b) => b - a))).toEqual(rising);
});
