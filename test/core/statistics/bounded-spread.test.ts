import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedSpread, SPREAD_VALUES_MAX } from '../../../src/core/statistics/bounded-spread.ts';

const spreadOf = (values: Iterable<number>): BoundedSpread => {
  const spread = new BoundedSpread();
  for (const value of values) spread.add(value);
  return spread;
};

test('a spread has the values at the ranks of the "lower" rule, and none without values', () => {
  expect(spreadOf([]).figures()).toBeUndefined();
  expect(spreadOf([7]).figures()).toEqual({ p50: 7, p90: 7, max: 7 });
  expect(spreadOf([50, 10, 40, 30, 20]).figures()).toEqual({ p50: 30, p90: 40, max: 50 });
});

test('past its bound a spread keeps counting, its percentiles at most 0.1 % too high and its maximum exact', () => {
  const count = SPREAD_VALUES_MAX + 4_465;
  const values = Float64Array.from({ length: count }, (_, index) => 1e6 + ((index * 7_919) % count) * 1e4);
  const spread = spreadOf(values);
  const sorted = values.toSorted();
  const [p50 = 0, p90 = 0, max = 0] = [0.5, 0.9, 1].map(share => sorted[Math.floor(share * (count - 1))]);
  const figures = spread.figures();
  expect(spread.count).toBe(count);
  expect(figures?.max).toBe(max);
  for (const [reported, exact] of [
    [figures?.p50 ?? 0, p50],
    [figures?.p90 ?? 0, p90],
  ] as const) {
    expect(reported).toBeGreaterThanOrEqual(exact);
    expect(reported).toBeLessThanOrEqual(exact * 1.001);
  }
  // The result does not depend on the order: merged runs give what one machine would.
  expect(spreadOf(sorted).figures()).toEqual(figures);
});

test('the order of values changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), values => {
      expect(spreadOf(values.toReversed()).figures()).toEqual(spreadOf(values).figures());
    }),
  );
});
