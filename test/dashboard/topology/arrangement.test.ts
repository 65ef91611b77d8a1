import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrangeRing } from '../../../dashboard/src/topology/arrangement.ts';

const FRAME = { width: 896, height: 394 };

describe('nodes on the map', () => {
  test('one is in the middle', () => {
    expect(arrangeRing(1, FRAME).placements[0]).toMatchObject({ x: FRAME.width / 2, y: FRAME.height / 2 });
  });

  test('two stand left and right', () => {
    const [left, right] = arrangeRing(2, FRAME).placements;
    expect(left?.x).toBeLessThan(FRAME.width / 2);
    expect(right?.x).toBeGreaterThan(FRAME.width / 2);
    expect(left?.y).toBeCloseTo(right?.y ?? 0, 9);
  });

  test('four are a diamond, the first on top, clockwise', () => {
    const [top, right, bottom, left] = arrangeRing(4, FRAME).placements;
    expect(top?.x).toBeCloseTo(bottom?.x ?? 0, 6);
    expect(left?.y).toBeCloseTo(right?.y ?? 0, 6);
    expect(top?.y).toBeLessThan(bottom?.y ?? 0);
    expect(left?.x).toBeLessThan(right?.x ?? 0);
  });

  test('words are in full for up to four, then short, and shortest on a phone', () => {
    expect([1, 4, 5].map(count => arrangeRing(count, FRAME).detail)).toEqual(['full', 'full', 'compact']);
    expect(arrangeRing(1, { width: 374, height: 216 }).detail).toBe('phone');
  });

  test('every box is in the frame', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16 }),
        fc.integer({ min: 320, max: 2_000 }),
        fc.integer({ min: 380, max: 1_200 }),
        (count, width, height) => {
          for (const { box } of arrangeRing(count, { width, height }).placements) {
            expect(box.x).toBeGreaterThanOrEqual(0);
            expect(box.y).toBeGreaterThanOrEqual(0);
            expect(box.x + box.width).toBeLessThanOrEqual(width);
            expect(box.y + box.height).toBeLessThanOrEqual(height);
          }
        },
      ),
    );
  });

  test('the same nodes in the same frame stand at the same places', () => {
    expect(arrangeRing(7, FRAME)).toEqual(arrangeRing(7, FRAME));
  });
});
