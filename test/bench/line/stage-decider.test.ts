// The verdict on one load, on the virtual clock, at loads whose verdict is known.

import { describe, expect, test } from 'vitest';
import { arrivalOf } from '../../../src/core/run/run-pattern.ts';
import { stageRate } from '../../../src/core/sweep/stage.ts';
import { longCases, longCount } from '../../support/counts.ts';
import { capacityOf } from '../../support/queue-simulator.ts';
import { simulateStage } from '../../support/simulated-line.ts';

const stagesAt = (
  load: number,
  servers: number,
  seeds: number,
  { burstiness = 1, ...known }: { readonly burstiness?: number; readonly capacityPerSecond?: number } = {},
) => {
  const model = { servers, serviceNs: 25e6, serviceVariation: 0.5 };
  const rate = load * capacityOf(model);
  return Array.from({ length: seeds }, (_, seed) =>
    simulateStage(
      { model, objective: { limitNs: 1e15, share: 0.05 } },
      stageRate(rate, arrivalOf(burstiness)),
      { seed: seed + 1, durationNs: (ARRIVALS_MAX / rate) * 1e9, ...known },
    ),
  );
};

const ARRIVALS_MAX = 6_000;

const partOf = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length / all.length;

describe('a stage', { timeout: 600_000 }, () => {
  const seeds = longCount(40, 400);

  test.each(longCases([4], [1, 16]))(
    'at 1.05 times the capacity of %i servers is hardly ever reported to hold',
    servers => {
      expect(partOf(stagesAt(1.05, servers, seeds), ({ verdict }) => verdict === 'held')).toBeLessThanOrEqual(
        0.05,
      );
    },
  );

  test.each(longCases([16], [1, 4]))('at 1.3 times it is over capacity within 500 arrivals', servers => {
    const found = partOf(
      stagesAt(1.3, servers, seeds),
      ({ verdict, issued }) => verdict === 'over-capacity' && issued <= 500,
    );
    expect(found).toBeGreaterThanOrEqual(0.95);
  });

  test.each(longCases([1], [4, 16]))('at 0.9 times it is hardly ever called over capacity', servers => {
    expect(
      partOf(stagesAt(0.9, servers, seeds), ({ verdict }) => verdict === 'over-capacity'),
    ).toBeLessThanOrEqual(0.025);
  });

  test('at the line of a mean latency is hardly ever reported to hold, nor to miss it', () => {
    // M/G/4, log-normal; the mean latency is 1.5 × the service at 0.806 of the capacity, by an exact simulation.
    const model = { servers: 4, serviceNs: 25e6, serviceVariation: 0.5 };
    const rate = 0.806 * capacityOf(model);
    const stages = Array.from({ length: seeds }, (_, seed) =>
      simulateStage(
        { model, objective: { limitNs: 37.5e6, share: undefined } },
        { kind: 'rate', requestsPerSecond: rate, arrival: 'poisson' },
        { seed: seed + 1, durationNs: (4_000 / rate) * 1e9, capacityPerSecond: 157 },
      ),
    );
    expect(partOf(stages, ({ verdict }) => verdict === 'held')).toBeLessThanOrEqual(0.05);
    expect(partOf(stages, ({ verdict }) => verdict === 'missed')).toBeLessThanOrEqual(0.05);
  });

  // The capacity is known, as it is to a search after its closed loops.
  test.each([0.1, 4])(
    'of arrivals of burstiness %d is not reported to hold at 1.05 times the capacity',
    burstiness => {
      const stages = stagesAt(1.05, 4, seeds, { burstiness, capacityPerSecond: 157 });
      expect(partOf(stages, ({ verdict }) => verdict === 'held')).toBeLessThanOrEqual(0.025);
    },
  );

  test.each([0.1, 4])(
    'of arrivals of burstiness %d is hardly ever called over capacity at 0.9 times it',
    burstiness => {
      const stages = stagesAt(0.9, 4, seeds, { burstiness, capacityPerSecond: 157 });
      expect(partOf(stages, ({ verdict }) => verdict === 'over-capacity')).toBeLessThanOrEqual(0.025);
    },
  );

  test('is reported to hold only after the steady state, which bursts delay', () => {
    const fewest = (burstiness: number): number =>
      Math.min(
        ...stagesAt(0.8, 4, 10, { burstiness, capacityPerSecond: 160 })
          .filter(({ verdict }) => verdict === 'held')
          .map(({ issued }) => issued),
      );
    expect(fewest(1)).toBeLessThan(600);
    // Gaps whose squared coefficient of variation is 10 take 5.5 times as long as those of Poisson arrivals.
    expect(fewest(0.1)).toBeGreaterThan(1_300);
  });

  test('that would need many times its requests is given up long before its time', () => {
    // Exactly at the line of an objective no number of requests decides.
    const model = { servers: 16, serviceNs: 25e6, serviceVariation: 0 };
    const stage = simulateStage(
      { model, objective: { limitNs: 42.5e6, share: 0.05 } },
      { kind: 'rate', requestsPerSecond: 0.893 * capacityOf(model), arrival: 'poisson' },
      { seed: 3, durationNs: 60e9 },
    );
    expect(stage.verdict).toBe('undecided');
    expect(stage.elapsedNs).toBeLessThan(55e9);
  });
});
