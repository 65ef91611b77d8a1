import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawnHolds, HULL_BAR, hullPaths } from '../../../dashboard/src/chart/hull-bar.ts';

const inside = HULL_BAR.width - HULL_BAR.bow - 4;

test('holds are as wide as their share of the whole', () => {
  const [first, second] = drawnHolds([
    { share: 300, load: 0.5 },
    { share: 100, load: undefined },
  ]);
  expect(first).toEqual({ x: 4, width: inside * 0.75, waterY: 17, hasBulkhead: true });
  expect(second).toEqual({
    x: 4 + inside * 0.75,
    width: inside * 0.25 + HULL_BAR.bow,
    waterY: undefined,
    hasBulkhead: false,
  });
});

test('unknown shares are drawn in the same way', () => {
  const widths = drawnHolds([
    { share: 0, load: undefined },
    { share: 0, load: undefined },
  ]).map(hold => hold.width);
  expect(widths).toEqual([inside / 2, inside / 2 + HULL_BAR.bow]);
});

test('holds always fill the hull and water never leaves it', () => {
  const hold = fc.record({
    share: fc.double({ min: 0, max: 1e15, noNaN: true }),
    load: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(hold, { minLength: 1, maxLength: 16 }), holds => {
      const drawn = drawnHolds(holds);
      expect(drawn.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(inside + HULL_BAR.bow, 6);
      for (const { waterY } of drawn) {
        if (waterY === undefined) continue;
        expect(waterY).toBeGreaterThanOrEqual(HULL_BAR.deck);
        expect(waterY).toBeLessThanOrEqual(HULL_BAR.keel);
      }
    }),
  );
});

test('each kind of hold is one path, and bulkheads stand only where there is room between them', () => {
  expect(
    hullPaths([
      { share: 1, load: 0.5 },
      { share: 1, load: undefined },
    ]),
  ).toEqual({
    water: 'M4 17H62V30H4Z',
    waterline: 'M4 17H62',
    unknown: 'M62 4H132V30H62Z',
    bulkheads: 'M62 4V30',
  });
  expect(hullPaths(Array(200).fill({ share: 1, load: 0.5 })).bulkheads).toBe('');
});
