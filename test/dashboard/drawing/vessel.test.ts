import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markY, surfaceY } from '../../../dashboard/src/drawing/vessel.ts';
import { SAFE_LOAD } from '../../../src/core/node/memory-use.ts';

const TUB = { x: 5, width: 102, top: 15, bottom: 78, depth: 5.5, radius: 11 };

describe('water in a tub', () => {
  test('rises with the level, from the floor to the rim', () => {
    expect(surfaceY(TUB, 1)).toBe(TUB.top);
    expect(surfaceY(TUB, 0.5)).toBe((TUB.top + TUB.bottom - TUB.depth) / 2);
    expect(surfaceY(TUB, 0)).toBeLessThan(TUB.bottom - TUB.depth);
  });

  test('never leaves the tub', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), level => {
        const y = surfaceY(TUB, level);
        return y >= TUB.top && y <= TUB.bottom - TUB.depth;
      }),
    );
  });

  test('its front edge meets the mark at the safe load', () => {
    expect(surfaceY(TUB, SAFE_LOAD) + TUB.depth).toBeCloseTo(markY(TUB), 6);
  });
});
