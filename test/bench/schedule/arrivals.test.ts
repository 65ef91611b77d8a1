import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ArrivalPattern, arrivals, shareOf } from '../../../src/bench/schedule/arrivals.ts';

const take = (count: number, pattern: ArrivalPattern, seed: number): readonly number[] => {
  const schedule = arrivals(pattern, seed);
  return Array.from({ length: count }, () => schedule.nextNs());
};

const anyPattern: fc.Arbitrary<ArrivalPattern> = fc.record({
  kind: fc.constantFrom('poisson', 'constant'),
  requestsPerSecond: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
});

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
