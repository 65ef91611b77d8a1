// Clocks of agents, an hour apart and drifting: a time that an offset converts is within its stated error.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CLOCK_ROUND_TRIPS,
  clockErrorNsMax,
  clockLine,
  clockOffset,
  type RoundTrip,
  startLeadNs,
} from '../../../src/bench/fleet/clock-offset.ts';

const HOUR_NS = 3_600e9;

interface World {
  readonly offsetNs: number;
  /** 5e-5: 50 ppm. */
  readonly drift: number;
  /** Delay of each round trip: to the agent and back, µs. They need not be equal. */
  readonly delays: readonly (readonly [number, number])[];
}

const agentClock =
  ({ offsetNs, drift }: World) =>
  (atNs: number): number =>
    atNs + offsetNs + drift * atNs;

const tripsAt = (world: World, startNs: number): readonly RoundTrip[] => {
  let atNs = startNs;
  return world.delays.map(([there, back]) => {
    const sentNs = atNs;
    const stampedNs = sentNs + there * 1e3;
    atNs = stampedNs + back * 1e3;
    return { sentNs, receivedNs: atNs, agentNs: agentClock(world)(stampedNs) };
  });
};

const delayUs = fc.double({ min: 10, max: 5_000, noNaN: true });
const anyWorld: fc.Arbitrary<World> = fc.record({
  offsetNs: fc.double({ min: -HOUR_NS, max: HOUR_NS, noNaN: true }),
  drift: fc.double({ min: -5e-5, max: 5e-5, noNaN: true }),
  delays: fc.array(fc.tuple(delayUs, delayUs), {
    minLength: CLOCK_ROUND_TRIPS,
    maxLength: CLOCK_ROUND_TRIPS,
  }),
});

describe('the offset of an agent’s clock', () => {
  test('is within its stated error of the truth, up to an hour apart, at both measurements and between', () => {
    fc.assert(
      fc.property(anyWorld, fc.double({ min: 10e9, max: 600e9, noNaN: true }), (world, lengthNs) => {
        const before = clockOffset(tripsAt(world, 5e9));
        const after = clockOffset(tripsAt(world, 5e9 + lengthNs));
        const line = clockLine(before, after);
        for (const share of [0, 0.1, 0.5, 0.9, 1]) {
          const atNs = before.atNs + share * (after.atNs - before.atNs);
          const error = Math.abs(line.toCoordinatorNs(agentClock(world)(atNs)) - atNs);
          // Doubles of an hour in ns are exact to a nanosecond or so.
          expect(error).toBeLessThanOrEqual(line.errorNs * (1 + 1e-3) + 4);
        }
      }),
    );
  });

  test('drifts away by 30 ms in ten minutes at 50 ppm where it is measured once, and by none measured twice', () => {
    const delays = Array.from({ length: CLOCK_ROUND_TRIPS }, () => [100, 100] as const);
    const world: World = { offsetNs: HOUR_NS, drift: 5e-5, delays };
    const before = clockOffset(tripsAt(world, 0));
    const after = clockOffset(tripsAt(world, 600e9));
    const lateNs = 600e9;
    const off = (line: { toCoordinatorNs(agentNs: number): number }): number =>
      Math.abs(line.toCoordinatorNs(agentClock(world)(lateNs)) - lateNs);
    expect(off(clockLine(before, undefined)) / 1e6).toBeCloseTo(30, 0);
    expect(off(clockLine(before, after)) / 1e6).toBeLessThan(0.1);
    expect(clockLine(before, after).drift).toBeCloseTo(5e-5, 7);
  });

  test('is taken from the shortest round trip: one that waited reports nothing', () => {
    const trips = [
      { sentNs: 0, receivedNs: 10e6, agentNs: 9e6 },
      { sentNs: 20e6, receivedNs: 20.2e6, agentNs: 1e9 + 20.1e6 },
    ];
    expect(clockOffset(trips)).toEqual({
      atNs: 20.1e6,
      offsetNs: 1e9,
      errorNs: 0.1e6,
      worstRoundTripNs: 10e6,
    });
  });

  test('may be wrong by a tenth of the median gap, and by 50 ms at most', () => {
    expect(clockErrorNsMax(2e6)).toBe(0.2e6);
    expect(clockErrorNsMax(10e9)).toBe(50e6);
    expect(clockErrorNsMax(undefined)).toBe(50e6);
  });

  test('a start is announced 3 s ahead, and earlier if messages take long', () => {
    expect(startLeadNs(1e6, 3_000)).toBe(3e9);
    expect(startLeadNs(400e6, 3_000)).toBe(8e9);
  });
});
