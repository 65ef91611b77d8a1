import { describe, expect, test } from 'vitest';
import { type SeededRandom, seededRandom } from '../../../src/core/random.ts';
import { steadyStateStart } from '../../../src/core/statistics/steady-state-start.ts';

const COUNT = 1_000;

const series = (seed: number, valueAt: (index: number, random: SeededRandom) => number): Float64Array => {
  const random = seededRandom(seed);
  return Float64Array.from({ length: COUNT }, (_, index) => valueAt(index, random));
};

const startOf = (values: Float64Array): number | undefined => steadyStateStart(values, values.length);

describe('the start of the steady state', () => {
  test('is behind a warm-up of 50 series, and close to its end in most of them', () => {
    const starts = Array.from({ length: 50 }, (_, seed) =>
      // 200 requests of a cold endpoint that gets faster, then level.
      startOf(series(seed, (index, random) => 100 + Math.max(0, 200 - index) + 20 * random.next())),
    );
    const close = starts.filter(start => start !== undefined && start >= 180 && start <= 260);
    expect(close.length).toBeGreaterThanOrEqual(45);
    expect(starts.filter(start => start !== undefined && start < 150)).toEqual([]);
  });

  test('of a series that is level from the beginning cuts little', () => {
    const starts = Array.from({ length: 50 }, (_, seed) =>
      startOf(series(seed, (_, random) => 100 + 20 * random.next())),
    );
    expect(starts.filter(start => start !== undefined && start <= COUNT / 4).length).toBeGreaterThanOrEqual(
      40,
    );
  });

  test('is not there while the series still climbs', () => {
    const climbs = series(1, (index, random) => index + 20 * random.next());
    expect(startOf(climbs)).toBeUndefined();
    // The queue began to grow in the last third.
    const late = series(1, (index, random) => Math.max(0, index - 660) + 20 * random.next());
    expect(startOf(late)).toBeUndefined();
  });

  test('is there where most requests take the same time and the last ones all do', () => {
    const rare = series(3, (index, random) => (index < 970 && random.next() < 0.05 ? 120 : 100));
    expect(startOf(rare)).toBeLessThanOrEqual(COUNT / 2);
  });

  test('is not there for fewer than ten batches of five', () => {
    expect(steadyStateStart(new Float64Array(49), 49)).toBeUndefined();
    expect(steadyStateStart(new Float64Array(50), 50)).toBe(0);
  });
});
