import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zeroCount } from '../../src/core/statistics/log-buckets.ts';
import { rollupOf } from '../../src/metrics/decimal-text.ts';
import { MetricsRegistry } from '../../src/metrics/metrics-registry.ts';
import { SeriesSampler } from '../../src/metrics/series-sampler.ts';

const HOUR_NS = 3_600_000_000_000;
const filled = (values: readonly number[], unit: 'ns' | 'tokens' | 'ratio' = 'ns'): SeriesSampler => {
  const series = new SeriesSampler('made-up', { unit, isFailureAdjusted: true });
  for (const value of values) series.record(value);
  return series;
};

describe('a series', () => {
  test('takes final percentiles by the "lower" rule', () => {
    const { percentiles } = filled(Array.from({ length: 100 }, (_, index) => (index + 1) * 1_000)).final(0);
    expect(percentiles['50']).toBe(50_000);
    expect(percentiles['99']).toBe(99_000);
  });

  test('has buckets that add up to its values above 0, and percentiles that rise, live and final', () => {
    const value = fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 10_000_000 }), fc.nat({ max: 2 * HOUR_NS }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 300 }), fc.nat({ max: 20 }), (values, failures) => {
        const series = filled(values);
        for (const metric of [series.live(), series.final(failures)]) {
          expect(metric.histogram.reduce((sum, [, , count]) => sum + count, 0)).toBe(
            values.filter(each => each > 0).length,
          );
          expect(zeroCount(metric)).toBe(values.filter(each => each === 0).length);
          const rising = Object.entries(metric.percentiles).toSorted(([a], [b]) => Number(a) - Number(b));
          for (const [index, [, percentile]] of rising.entries()) {
            expect(percentile).toBeGreaterThanOrEqual(rising[index - 1]?.[1] ?? 0);
            expect(percentile).toBeLessThanOrEqual(metric.max ?? 0);
            expect(percentile).toBeGreaterThanOrEqual(metric.min ?? 0);
          }
          for (const [p, adjusted] of Object.entries(metric.failureAdjusted ?? {})) {
            expect(adjusted ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(metric.percentiles[p] ?? 0);
          }
          for (const [p, estimate] of Object.entries(metric.estimates ?? {})) {
            if (estimate !== null) expect(estimate).toBeGreaterThanOrEqual(metric.percentiles[p] ?? 0);
          }
        }
      }),
    );
  });

  test('begins its buckets at the least value above 0, however many are 0: chunks that came together are no short gaps', () => {
    const values = [
      ...Array.from({ length: 900 }, () => 0),
      ...Array.from({ length: 100 }, (_, at) => 1e6 + at * 1e4),
    ];
    for (const metric of [filled(values).live(), filled(values).final(0)]) {
      expect(metric.histogram[0]?.[0]).toBe(1e6);
      expect(metric.histogram[0]?.[2]).toBeLessThan(50);
      expect(zeroCount(metric)).toBe(900);
      expect(metric.percentiles['50']).toBeLessThanOrEqual(1);
    }
    expect(filled([0, 0]).final(0)).toMatchObject({ histogram: [], min: 0, max: 0 });
  });

  test('has live percentiles within 0.1% of the value at their rank', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: HOUR_NS }), { minLength: 1, maxLength: 200 }),
        values => {
          const sorted = values.toSorted((a, b) => a - b);
          for (const [p, live] of Object.entries(filled(values).live().percentiles)) {
            const rank = Math.max(1, Math.floor((Number(p) / 100) * values.length + 0.5));
            const exact = sorted[rank - 1] ?? 0;
            expect(Math.abs(live - exact)).toBeLessThanOrEqual(exact * 0.001);
          }
        },
      ),
    );
  });

  test('has a histogram of 30 buckets from its least to its greatest value, however near they are', () => {
    const wide = filled([20, 5_000]).final(0).histogram;
    expect([wide.length, wide[0]?.[0], wide.at(-1)?.[1]]).toEqual([30, 20, 5_000]);
    const near = filled(Array.from({ length: 1_000 }, (_, index) => 950_000 + 100 * index));
    for (const { histogram } of [near.live(), near.final(0)]) {
      expect([histogram.length, histogram[0]?.[0], histogram.at(-1)?.[1]]).toEqual([30, 950_000, 1_049_900]);
      expect(histogram.filter(([, , count]) => count > 0)).toHaveLength(30);
    }
    expect(filled([20, 20, 20]).final(0).histogram).toEqual([[20, 20, 3]]);
    expect(filled([]).final(0).histogram).toEqual([]);
  });

  test('has while it grows no buckets narrower than the cells that it counts in, which would lie empty', () => {
    const series = filled(Array.from({ length: 1_000 }, (_, index) => 1_000_000 + 10 * index));
    const { histogram } = series.live();
    expect(histogram.length).toBeGreaterThan(3);
    expect(histogram.every(([, , count]) => count > 0)).toBe(true);
    expect(series.final(0).histogram).toHaveLength(30);
  });

  test('counts a zero as a value like any other, outside of the buckets', () => {
    const metric = filled([0, 0, 100]).live();
    expect(metric.clampedCount).toBe(0);
    expect(metric.min).toBe(0);
    expect(metric.percentiles['1']).toBe(1);
    expect(zeroCount(metric)).toBe(2);
    expect(metric.histogram.reduce((sum, [, , count]) => sum + count, 0)).toBe(1);
  });

  test('clamps what is past an hour in the histogram only, and counts it', () => {
    const series = filled([1, 2 * HOUR_NS]);
    expect(series.live().clampedCount).toBe(1);
    expect(series.final(0).max).toBe(2 * HOUR_NS);
    expect(series.final(0).percentiles['99.9']).toBe(1);
  });

  test('past its bound of raw values answers from the histogram and reports it', () => {
    const series = new SeriesSampler('bounded', { unit: 'ns', rawValuesMax: 2 });
    for (const value of [1, 2, 3]) series.record(value);
    expect(series.final(0)).toMatchObject({ isExact: false, count: 3, leftOutCount: 1, total: '6' });
  });

  test('counts failures as endless where it is asked to', () => {
    const { failureAdjusted } = filled([1, 2, 3, 4, 5]).final(5);
    expect(failureAdjusted?.['25']).toBe(3);
    expect(failureAdjusted?.['50']).toBe(5);
    expect(failureAdjusted?.['75']).toBeNull();
    expect(filled([]).final(3).failureAdjusted?.['50']).toBeNull();
  });

  test('reports that n is too small below the floors of the early-stopping rule', () => {
    const floors = { '50': 11, '75': 24, '80': 31, '90': 64, '95': 130, '97': 219, '99': 662 };
    for (const [p, floor] of Object.entries(floors)) {
      const below = Array.from({ length: floor - 1 }, (_, index) => index);
      expect(filled(below).final(0).estimates?.[p]).toBeNull();
      expect(filled([...below, floor - 1]).final(0).estimates?.[p]).toBe(floor - 1);
    }
  });

  test('refuses values that are not there', () => {
    for (const value of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])
      expect(() => filled([value])).toThrow(RangeError);
  });

  test('without a median is refused', () => {
    expect(() => new SeriesSampler('made-up', { unit: 'ns', percentiles: [99] })).toThrow(/median/);
  });
});

describe('a series of ratios', () => {
  test('keeps millionths, so that sums are exact', () => {
    const metric = filled([4 / 3, 2, 0.5], 'ratio').final(0);
    expect(metric).toMatchObject({ total: '3.833333', min: 0.5, max: 2 });
    expect(metric.percentiles['50']).toBe(1.333333);
    expect(metric.histogram.reduce((sum, [, , count]) => sum + count, 0)).toBe(3);
  });

  test('has the mean and deviation of its values to six decimals', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1_000, noNaN: true }), { minLength: 2 }), values => {
        const { count, total, sumOfSquares } = filled(values, 'ratio').final(0);
        const { mean, stdDev } = rollupOf(count, total, sumOfSquares);
        const expected = values.reduce((sum, value) => sum + value, 0) / values.length;
        const squares = values.reduce((sum, value) => sum + (value - expected) ** 2, 0);
        expect(Math.abs((mean ?? 0) - expected)).toBeLessThan(2e-6);
        expect(Math.abs((stdDev ?? 0) - Math.sqrt(squares / (values.length - 1)))).toBeLessThan(2e-6);
      }),
    );
  });
});

describe('the rollup of a series', () => {
  test('has exact digits where doubles would cancel', () => {
    const { count, total, sumOfSquares } = filled([HOUR_NS - 1, HOUR_NS, HOUR_NS + 1]).final(0);
    expect(rollupOf(count, total, sumOfSquares)).toEqual({ mean: HOUR_NS, stdDev: 1 });
  });

  test('has no deviation of one value, and nothing of none', () => {
    expect(rollupOf(1, '5', '25')).toEqual({ mean: 5, stdDev: null });
    expect(rollupOf(0, '0', '0')).toEqual({ mean: null, stdDev: null });
    expect(rollupOf(1, 'five', '25')).toEqual({ mean: null, stdDev: null });
  });
});

describe('the registry', () => {
  test('refuses a name that is taken, of any kind', () => {
    const registry = new MetricsRegistry();
    registry.counter('a');
    expect(() => registry.counter('a')).toThrow(/registered twice/);
    expect(() => registry.series('a', { unit: 'ns' })).toThrow(/registered twice/);
  });
});
