import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateEstimate } from '../../../src/probe/socket/rate-estimate.ts';

const LAN = { roundTripMs: 0.1, durationMsMax: 5_000 };

/** Samples every 50 ms of a link whose bytes by a time are given; stops when the estimate is done. */
const measured = (bytesBy: (elapsedMs: number) => number, options = LAN): RateEstimate => {
  const estimate = new RateEstimate(options);
  for (let elapsedMs = 50; !estimate.isDone; elapsedMs += 50) {
    estimate.add({ elapsedMs, bytes: bytesBy(elapsedMs) });
  }
  return estimate;
};

const steady =
  (bitsPerSecond: number) =>
  (elapsedMs: number): number =>
    (bitsPerSecond * elapsedMs) / 8_000;

describe('an estimate of bandwidth', () => {
  test('of a steady fast link is exact after 400 ms', () => {
    const estimate = measured(steady(1e9));
    expect(estimate.elapsedMs).toBe(400);
    expect(estimate.bitsPerSecond).toBeCloseTo(1e9, 0);
  });

  test('of a fast link leaves a burst in its first 100 ms out', () => {
    const estimate = measured(elapsedMs => 3e6 + steady(1e9)(elapsedMs));
    expect(estimate.bitsPerSecond).toBeCloseTo(1e9, 0);
  });

  test('of a fast link leaves ten round trips out where those are longer', () => {
    const slowStart = (elapsedMs: number): number =>
      elapsedMs <= 500 ? steady(2e8)(elapsedMs) : steady(2e8)(500) + steady(1e9)(elapsedMs - 500);
    const estimate = measured(slowStart, { roundTripMs: 50, durationMsMax: 5_000 });
    expect(estimate.bitsPerSecond).toBeCloseTo(1e9, 0);
    expect(estimate.elapsedMs).toBeGreaterThanOrEqual(1_000);
  });

  test('of a long link is what it carries in the end, not what slow start and its losses leave of it', () => {
    // 193 Mb/s at 100 ms: doubled each round trip to twice what is in flight, nothing for three, then all at once.
    const [rate, roundTripMs] = [193e6, 100];
    const arrived = (elapsedMs: number): number => {
      const doubled = 14_480 * 2 ** (elapsedMs / roundTripMs);
      if (elapsedMs <= 850) return doubled;
      return elapsedMs < 1_200 ? 14_480 * 2 ** 8.5 : steady(rate)(elapsedMs - 700);
    };
    for (const durationMsMax of [5_000, 4_000]) {
      const estimate = measured(arrived, { roundTripMs, durationMsMax });
      expect(estimate.bitsPerSecond).toBeCloseTo(rate, -6);
      expect(estimate.elapsedMs).toBeGreaterThanOrEqual(3_000);
    }
  });

  test('of a slow link takes two seconds, and counts from the first byte', () => {
    const estimate = measured(steady(5e6));
    expect(estimate.elapsedMs).toBe(2_000);
    expect(estimate.bitsPerSecond).toBeCloseTo(5e6, 0);
  });

  test('goes on while it still changes by two per cent over its last half', () => {
    const slowing = measured(elapsedMs => steady(100e6)(elapsedMs) + 3e5 * Math.log1p(elapsedMs));
    expect(slowing.elapsedMs).toBeGreaterThan(400);
    expect(slowing.elapsedMs).toBeLessThan(5_000);
  });

  test('ends at its time where it never settles', () => {
    const wild = measured(elapsedMs => 1e5 * 1.05 ** (elapsedMs / 10));
    expect(wild.elapsedMs).toBeLessThanOrEqual(5_000);
  });

  test('of nothing is unknown, and takes no sample from the past', () => {
    const estimate = new RateEstimate(LAN);
    expect(estimate.bitsPerSecond).toBeUndefined();
    estimate.add({ elapsedMs: 100, bytes: 1_000 });
    estimate.add({ elapsedMs: 50, bytes: 9_000 });
    expect(estimate).toMatchObject({ elapsedMs: 100, bytes: 1_000, bitsPerSecond: 80_000 });
  });

  test('never passes the fastest that any two samples show', () => {
    const increments = fc.array(fc.nat(10_000_000), { minLength: 2, maxLength: 100 });
    fc.assert(
      fc.property(increments, steps => {
        const estimate = new RateEstimate(LAN);
        let bytes = 0;
        for (const [index, step] of steps.entries()) {
          bytes += step;
          estimate.add({ elapsedMs: (index + 1) * 50, bytes });
        }
        const fastest = (Math.max(...steps) * 8_000) / 50;
        expect(estimate.bitsPerSecond ?? 0).toBeLessThanOrEqual(fastest * 1.000001);
      }),
    );
  });
});
