import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestIndex, turnedIndex } from '../../../dashboard/src/chart/read-off.ts';

test('a pointer means the place that is nearest to it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
      fc.double({ min: -1, max: 2, noNaN: true }),
      (positions, share) => {
        const sorted = positions.toSorted((a, b) => a - b);
        const at = (index: number): number => sorted[index] ?? Number.NaN;
        const found = nearestIndex(share, sorted.length, at);
        const distance = Math.min(...sorted.map(x => Math.abs(x - share)));
        expect(Math.abs(at(found) - share)).toBe(distance);
      },
    ),
  );
});

test('keys move from place to place and stay within the picture', () => {
  expect(turnedIndex('ArrowLeft', 5, 8)).toBe(4);
  expect(turnedIndex('ArrowRight', 7, 8)).toBe(7);
  expect(turnedIndex('Home', 5, 8)).toBe(0);
  expect(turnedIndex('End', 5, 8)).toBe(7);
  expect(turnedIndex('PageDown', 5, 8)).toBe(0);
  expect([turnedIndex('Tab', 5, 8), turnedIndex('constructor', 5, 8), turnedIndex('End', 0, 0)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
