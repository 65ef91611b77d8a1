import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrivals, shareOf } from '../../../src/bench/schedule/arrivals.ts';
import type { SchedulePattern } from '../../../src/core/run/run-pattern.ts';

const take = (count: number, pattern: SchedulePattern, seed: number): readonly number[] => {
  const schedule = arrivals(pattern, seed);
  return Array.from({ length: count }, () => schedule.nextNs());
};

const anyRate = fc.double({ min: 0.01, max: 1e6, noNaN: true });

const anyPattern: fc.Arbitrary<SchedulePattern> = fc.oneof(
  fc.record({ kind: fc.constantFrom('poisson', 'constant'), requestsPerSecond: anyRate }),
  fc.record({
    kind: fc.constant('gamma'),
    requestsPerSecond: anyRate,
    burstiness: fc.double({ min: 0.001, max: 1_000, noNaN: true }),
  }),
);

const anyPoisson = fc.record({
  kind: fc.constant<'poisson'>('poisson'),
  requestsPerSecond: fc.double({ min: 0.1, max: 1e6, noNaN: true }),
});

describe('a schedule of arrivals', () => {
  test('is the same for the same seed, never goes back, and has whole nanoseconds', () => {
    fc.assert(
      fc.property(anyPattern, fc.maxSafeNat(), (pattern, seed) => {
        const times = take(200, pattern, seed);
        expect(take(200, pattern, seed)).toEqual(times);
        let previous = 0;
        for (const time of times) {
          expect(Number.isSafeInteger(time) && time >= previous).toBe(true);
          previous = time;
        }
      }),
    );
  });

  test('of another seed is another one, where it is random', () => {
    fc.assert(
      fc.property(anyPoisson, fc.maxSafeNat(), (pattern, seed) => {
        expect(take(20, pattern, seed)).not.toEqual(take(20, pattern, seed + 1));
      }),
    );
  });

  test('at a constant rate is evenly spaced and has not drifted after ten million arrivals', () => {
    const perSecond = 3; // a third of a second is no whole number of nanoseconds
    const schedule = arrivals({ kind: 'constant', requestsPerSecond: perSecond }, 1);
    let last = 0;
    for (let index = 0; index <= 3_000_000; index += 1) last = schedule.nextNs();
    expect(last).toBe(1_000_000 * 1e9);
    expect(take(4, { kind: 'constant', requestsPerSecond: perSecond }, 1)).toEqual([
      0, 333_333_333, 666_666_667, 1_000_000_000,
    ]);
  });

  test('by Poisson has exponential gaps: the mean and the spread of the rate, 63.2% below the mean', () => {
    fc.assert(
      fc.property(anyPoisson, fc.maxSafeNat(), (pattern, seed) => {
        const count = 50_000;
        const times = take(count, pattern, seed);
        const gaps = times.map((time, index) => time - (times[index - 1] ?? 0));
        const meanNs = 1e9 / pattern.requestsPerSecond;
        const mean = (times.at(-1) ?? 0) / count;
        // The mean of n exponential gaps deviates by mean/√n = 0.45%: six times that is one in 10⁹.
        expect(Math.abs(mean / meanNs - 1)).toBeLessThan(0.027);
        if (meanNs < 10_000) return; // rounding to whole nanoseconds would show in the rest
        const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (count - 1);
        expect(Math.abs(Math.sqrt(variance) / meanNs - 1)).toBeLessThan(0.05);
        const below = gaps.filter(gap => gap < meanNs).length / count;
        expect(Math.abs(below - (1 - Math.exp(-1)))).toBeLessThan(0.015);
      }),
      { numRuns: 20 },
    );
  });
});

describe('gamma arrivals', () => {
  const RATE = 8.5;
  const COUNT = 100_000;
  const gapsOf = (burstiness: number, seed = 5): readonly number[] => {
    const times = take(COUNT, { kind: 'gamma', requestsPerSecond: RATE, burstiness }, seed);
    return times.map((time, index) => ((time - (times[index - 1] ?? 0)) * RATE) / 1e9);
  };

  test.each([0.25, 1, 4])(
    'of burstiness %d have gaps of the mean of the rate, which vary by 1/√B',
    burstiness => {
      const gaps = gapsOf(burstiness);
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / COUNT;
      const variation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (COUNT - 1)) / mean;
      const squared = 1 / burstiness;
      // Four standard errors; that of a coefficient of variation c of gamma numbers is c √((1 + c²) / 2n) (delta method).
      expect(Math.abs(mean - 1)).toBeLessThan(4 * Math.sqrt(squared / COUNT));
      expect(Math.abs(variation - Math.sqrt(squared))).toBeLessThan(
        4 * Math.sqrt((squared * (1 + squared)) / (2 * COUNT)),
      );
    },
  );

  test('of burstiness 1 have the distribution of Poisson arrivals', () => {
    const gamma = gapsOf(1).toSorted((a, b) => a - b);
    const times = take(COUNT, { kind: 'poisson', requestsPerSecond: RATE }, 99);
    const poisson = times
      .map((time, index) => ((time - (times[index - 1] ?? 0)) * RATE) / 1e9)
      .toSorted((a, b) => a - b);
    let [at, distance] = [0, 0];
    for (const [index, gap] of gamma.entries()) {
      while (at < COUNT && (poisson[at] ?? 0) <= gap) at += 1;
      distance = Math.max(distance, Math.abs((index + 1 - at) / COUNT));
    }
    // Kolmogorov and Smirnov: at a doubt of one in 10,000 two samples of n differ by less than 2.23 √(2/n).
    expect(distance).toBeLessThan(2.23 * Math.sqrt(2 / COUNT));
  });

  test('are independent: a gap is not related to the next one', () => {
    const gaps = gapsOf(0.25);
    const products = gaps.slice(1).reduce((sum, gap, index) => sum + (gap - 1) * ((gaps[index] ?? 0) - 1), 0);
    expect(Math.abs(products / COUNT / 4)).toBeLessThan(4 / Math.sqrt(COUNT));
  });
});

describe('dealing out to threads', () => {
  test('gives shares that add up and differ by one at most', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 64 }), (total, of) => {
        const shares = Array.from({ length: of }, (_, index) => shareOf(total, { index, of }));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
