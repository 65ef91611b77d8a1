import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lowerIndex } from '../../src/core/statistics/percentile.ts';
import { boundPercentiles } from '../../src/metrics/bound-percentiles.ts';
import { TimeBins } from '../../src/metrics/time-bins.ts';
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
          const passing = samples.filter(({ isSpared }) => isSpared).length;
          const lateOf = ({ wakeNs, isSpared }: (typeof samples)[number]): number =>
            isSpared ? 5_000_000 : wakeNs;
          const measured = samples.map(each => each.trueNs + each.ownNs + lateOf(each));
          const all = ranked(measured);
          const least = ranked(samples.map((each, at) => (measured[at] ?? 0) - each.ownNs));
          const lags = [
            { spared: passing, lagNs: 20_000 },
            { spared: 0, lagNs: 6_000_000 },
          ];
          const bound = boundPercentiles(all, [{ least, most: undefined, lags }], [p])[String(p)];
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
  /** Evenly up to a millisecond, in groups of twenty that have all latenesses. */
  const marks = (count: number): WakeLateness =>
    new WakeLateness(
      Array.from({ length: count / 20 }, (_, group) =>
        Array.from({ length: 20 }, (__, at) => ((at * (count / 20) + group + 1) / count) * 1_000_000),
      ),
    );

  /** Each reply woken by itself. */
  const bins = (count: number): TimeBins => {
    const all = new TimeBins();
    for (let at = 0; at < count; at += 1) all.add(at * 1e9);
    return all;
  };

  const lagAt = (wake: WakeLateness, replies: number, spared: number): number =>
    wake.lags(bins(replies)).find(lag => lag.spared === spared)?.lagNs ?? Number.NaN;

  test('bound what a share of the replies may pass, a little above that share of the marks', () => {
    expect(lagAt(marks(10_000), 1_000, 10) / 1e3).toBeGreaterThan(990);
    expect(lagAt(marks(10_000), 1_000, 10) / 1e3).toBeLessThan(1_000);
    expect(lagAt(marks(10_000), 1_000, 400) / 1e3).toBeGreaterThan(600);
    expect(lagAt(marks(10_000), 1_000, 400) / 1e3).toBeLessThan(700);
  });

  test('that are too few for a rare lateness let it be greater than any of them', () => {
    expect(lagAt(marks(60), 1_000, 0) / 1e6).toBeGreaterThan(10);
  });

  test('bound a mean by their own and by how much it may vary', () => {
    expect(marks(10_000).meanMaxNs(10_000) / 1e3).toBeCloseTo(500 + 2 * 3.09 * 288.7 * 0.01, 0);
    expect(marks(10_000).meanMaxNs(4) / 1e3).toBeGreaterThan(900);
  });

  test('that are late together count as one', () => {
    const evenly = Array.from({ length: 100 }, () => [...Array(18).fill(1_000), 5e6, 5e6]);
    const together = Array.from({ length: 100 }, (_, at) => Array(20).fill(at < 10 ? 5e6 : 1_000));
    expect(new WakeLateness(together).meanMaxNs(1_000)).toBeGreaterThan(
      1.2 * new WakeLateness(evenly).meanMaxNs(1_000),
    );
  });

  test('replies that came together may have waited together', () => {
    const all = bins(10);
    for (let more = 0; more < 90; more += 1) all.add(0);
    expect(
      marks(10_000)
        .lags(all)
        .map(({ spared }) => spared),
    ).toEqual([0, 91, 92, 93, 94]);
    expect(all.effectiveCount).toBeCloseTo(100 ** 2 / (91 ** 2 + 9), 5);
  });
});
