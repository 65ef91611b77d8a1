import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestPlace, turnedPlace } from '../../../dashboard/src/chart/read-off.ts';

test('a pointer means the place that is nearest to it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
      fc.double({ min: -1, max: 2, noNaN: true }),
      (places, share) => {
        const sorted = places.toSorted((a, b) => a - b);
        const at = (index: number): number => sorted[index] ?? Number.NaN;
        const found = nearestPlace(share, sorted.length, at);
        const distance = Math.min(...sorted.map(x => Math.abs(x - share)));
        expect(Math.abs(at(found) - share)).toBe(distance);
      },
    ),
  );
});

test('keys move from place to place and stay within the picture', () => {
  expect(turnedPlace('ArrowLeft', 5, 8)).toBe(4);
  expect(turnedPlace('ArrowRight', 7, 8)).toBe(7);
  expect(turnedPlace('Home', 5, 8)).toBe(0);
  expect(turnedPlace('End', 5, 8)).toBe(7);
  expect(turnedPlace('PageDown', 5, 8)).toBe(0);
  expect([turnedPlace('Tab', 5, 8), turnedPlace('constructor', 5, 8), turnedPlace('End', 0, 0)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
