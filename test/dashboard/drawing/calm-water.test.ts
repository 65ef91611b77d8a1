import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CalmWater, LARGE_CHANGE, VISIBLE_CHANGE } from '../../../dashboard/src/drawing/calm-water.ts';

test('a level that trembles by less than one can see does not move the water', () => {
  const water = new CalmWater();
  water.settle(0.6);
  expect(water.settle(0.6 + VISIBLE_CHANGE / 2)).toEqual({ level: 0.6, isMoving: false });
  expect(water.settle(0.6 - VISIBLE_CHANGE / 2)).toEqual({ level: 0.6, isMoving: false });
});

test('a slow rise is followed, though each step is too small to see', () => {
  const water = new CalmWater();
  let drawn: number | undefined;
  for (let step = 0; step <= 1_000; step += 1) drawn = water.settle(step / 1_000).level;
  expect(drawn).toBeGreaterThan(1 - VISIBLE_CHANGE);
});

test('only a large change is animated, and never the first level', () => {
  const water = new CalmWater();
  expect(water.settle(0.2)).toEqual({ level: 0.2, isMoving: false });
  expect(water.settle(0.21)).toEqual({ level: 0.21, isMoving: false });
  expect(water.settle(0.21 + LARGE_CHANGE).isMoving).toBe(true);
});

test('an unknown level empties the hull, and the next known one is there at once', () => {
  const water = new CalmWater();
  water.settle(0.2);
  expect(water.settle(undefined)).toEqual({ level: undefined, isMoving: false });
  expect(water.settle(0.9)).toEqual({ level: 0.9, isMoving: false });
});

test('what is drawn is never further from the truth than one can see', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: 0, max: 1 })), levels => {
      const water = new CalmWater();
      return levels.every(level => Math.abs((water.settle(level).level ?? 0) - level) < VISIBLE_CHANGE);
    }),
  );
});
