import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markY, surfaceY } from '../../../dashboard/src/drawing/gauge.ts';
import { SAFE_LOAD } from '../../../src/core/node/memory-use.ts';

const SHAPE = { x: 5, width: 102, top: 15, bottom: 78, depth: 5.5, radius: 11 };

describe('water in a gauge', () => {
  test('rises with the level, from the floor to the rim', () => {
    expect(surfaceY(SHAPE, 1)).toBe(SHAPE.top);
    expect(surfaceY(SHAPE, 0.5)).toBe((SHAPE.top + SHAPE.bottom - SHAPE.depth) / 2);
    expect(surfaceY(SHAPE, 0)).toBeLessThan(SHAPE.bottom - SHAPE.depth);
  });

  test('never leaves the gauge', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), level => {
        const y = surfaceY(SHAPE, level);
        return y >= SHAPE.top && y <= SHAPE.bottom - SHAPE.depth;
      }),
    );
  });

  test('its front edge meets the mark at the safe load', () => {
    expect(surfaceY(SHAPE, SAFE_LOAD) + SHAPE.depth).toBeCloseTo(markY(SHAPE), 6);
  });
});
