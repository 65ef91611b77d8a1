import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lowerIndex } from '../../src/core/statistics/percentile.ts';
import { boundPercentiles } from '../../src/metrics/bound-percentiles.ts';
import { WakeLateness } from '../../src/metrics/wake-lateness.ts';
import { longCount } from '../support/counts.ts';

const ranked = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  return { length: sorted.length, at: (rank: number) => sorted[rank] };
};

describe('the bound of a percentile', () => {
  test('holds the true percentile whatever the latenesses are, as long as no more of them pass the lag than were spared', () => {
    const sample = fc.record({
      trueNs: fc.nat(1_000_000),
      ownNs: fc.nat(50_000),
      wakeNs: fc.nat(20_000),
      isSpared: fc.integer({ min: 0, max: 9 }).map(draw => draw === 0),
    });
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 60 }),
        fc.constantFrom(1, 25, 50, 90, 99),
        (samples, p) => {
          const lagNs = 20_000;
          const passing = samples.filter(({ isSpared }) => isSpared).length;
          const lateOf = ({ wakeNs, isSpared }: (typeof samples)[number]): number =>
            isSpared ? 5_000_000 : wakeNs;
          const measured = samples.map(each => each.trueNs + each.ownNs + lateOf(each));
          const bound = boundPercentiles(
            {
              measured: ranked(measured),
              least: ranked(samples.map((each, at) => (measured[at] ?? 0) - each.ownNs)),
              most: undefined,
              lagMaxNs: spared => (spared >= passing ? lagNs : 6_000_000),
              ranksPerSpared: 1,
              mean: { above: 0, below: 0 },
            },
            [p],
          ).percentiles[String(p)];
          const rank = lowerIndex(p, samples.length);
          const error =
            (ranked(measured).at(rank) ?? 0) - (ranked(samples.map(({ trueNs }) => trueNs)).at(rank) ?? 0);
          expect(bound?.above).toBeGreaterThanOrEqual(error);
        },
      ),
      { numRuns: longCount(300, 20_000) },
    );
  });
});

describe('marks', () => {
  const marks = (count: number): WakeLateness =>
    new WakeLateness(Float64Array.from({ length: count }, (_, at) => ((at + 1) / count) * 1_000_000));

  test('bound what a share of the replies may pass, a little above that share of the marks', () => {
    // 10 of 1,000 may pass it: 990 µs by the marks themselves.
    expect(marks(10_000).passedByMaxNs(1_000, 10) / 1e3).toBeGreaterThan(990);
    expect(marks(10_000).passedByMaxNs(1_000, 10) / 1e3).toBeLessThan(1_000);
    expect(marks(10_000).passedByMaxNs(1_000, 500) / 1e3).toBeGreaterThan(500);
    expect(marks(10_000).passedByMaxNs(1_000, 500) / 1e3).toBeLessThan(600);
  });

  test('that are too few for a rare lateness let it be greater than any of them', () => {
    expect(marks(50).passedByMaxNs(1_000, 0) / 1e6).toBeGreaterThan(10);
  });

  test('bound a mean by their own and by how much it may vary', () => {
    expect(marks(10_000).meanMaxNs(10_000) / 1e3).toBeCloseTo(500 + 2 * 3.09 * 288.7 * 0.01, 0);
    expect(marks(10_000).meanMaxNs(4) / 1e3).toBeGreaterThan(900);
  });
});
