import { expect, test } from 'vitest';
import { roundTripFigures } from '../../../src/probe/socket/round-trip-figures.ts';

test('figures of round trips are exact percentiles, and jitter follows their order', () => {
  const roundTrips = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 100_000 : 140_000));
  expect(roundTripFigures(roundTrips)).toEqual({
    roundTripNsMin: 100_000,
    roundTripNsP50: 100_000,
    roundTripNsP99: 140_000,
    jitterNs: 40_000,
    roundTripCount: 200,
  });
});

test('fewer than ten round trips are no figures', () => {
  const few = roundTripFigures(Array.from({ length: 9 }, () => 1_000));
  expect(few.roundTripNsP50).toEqual({
    kind: 'unknown',
    reason: '9 round trips in the time given, fewer than 10',
  });
  expect(roundTripFigures(Array.from({ length: 10 }, () => 1_000)).jitterNs).toBe(0);
});
