import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawnSegments, hullPaths, SEGMENT_BAR } from '../../../dashboard/src/chart/segment-bar.ts';

const inside = SEGMENT_BAR.width - SEGMENT_BAR.bow - 4;

test('segments are as wide as their share of the whole', () => {
  const [first, second] = drawnSegments([
    { share: 300, load: 0.5 },
    { share: 100, load: undefined },
  ]);
  expect(first).toEqual({ x: 4, width: inside * 0.75, waterY: 17, hasBulkhead: true });
  expect(second).toEqual({
    x: 4 + inside * 0.75,
    width: inside * 0.25 + SEGMENT_BAR.bow,
    waterY: undefined,
    hasBulkhead: false,
  });
});

test('unknown shares are drawn in the same way', () => {
  const widths = drawnSegments([
    { share: 0, load: undefined },
    { share: 0, load: undefined },
  ]).map(segment => segment.width);
  expect(widths).toEqual([inside / 2, inside / 2 + SEGMENT_BAR.bow]);
});

test('segments always fill the hull and water never leaves it', () => {
  const segment = fc.record({
    share: fc.double({ min: 0, max: 1e15, noNaN: true }),
    load: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 16 }), segments => {
      const drawn = drawnSegments(segments);
      expect(drawn.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(inside + SEGMENT_BAR.bow, 6);
      for (const { waterY } of drawn) {
        if (waterY === undefined) continue;
        expect(waterY).toBeGreaterThanOrEqual(SEGMENT_BAR.deck);
        expect(waterY).toBeLessThanOrEqual(SEGMENT_BAR.keel);
      }
    }),
  );
});

test('each kind of segment is one path, and bulkheads stand only where there is room between them', () => {
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
