import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Bucket,
  bars,
  filledBuckets,
  labelRows,
  logAxis,
  logTicks,
} from '../../../src/render/chart/log-histogram.ts';

const BUCKETS: readonly Bucket[] = [
  [10, 20, 0],
  [20, 40, 5],
  [40, 80, 0],
  [80, 160, 10],
  [160, 320, 0],
];

test('the axis spans the buckets that hold something', () => {
  const axis = logAxis(filledBuckets(BUCKETS), 300);
  expect([axis?.low, axis?.high, axis?.at(20), axis?.at(160)]).toEqual([20, 160, 0, 300]);
  expect(axis?.at(40)).toBeCloseTo(100);
});

test('there is no axis where nothing is held or all is one value', () => {
  expect(logAxis(filledBuckets([]), 300)).toBeUndefined();
  expect(logAxis(filledBuckets([[10, 20, 0]]), 300)).toBeUndefined();
  expect(logAxis([[0, 10, 3]], 300)).toBeUndefined();
});

test('the tallest bar is the height, and empty buckets have none', () => {
  const filled = filledBuckets(BUCKETS);
  const axis = logAxis(filled, 300);
  if (axis === undefined) throw new Error('no axis');
  const drawn = bars(filled, axis, { width: 300, height: 80 });
  expect(drawn.map(({ height, y, count }) => [height, y, count])).toEqual([
    [40, 40, 5],
    [80, 0, 10],
  ]);
});

test('an axis of less than a decade has ticks too, at round figures', () => {
  const axis = logAxis([[95, 105, 1]], 352);
  if (axis === undefined) throw new Error('no axis');
  expect(logTicks(axis, 52)).toEqual([96, 98, 100, 102, 104]);
});

test('ticks lie on the axis, rise, and keep their distance', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 1e9, noNaN: true }),
      fc.double({ min: 1.5, max: 1e6, noNaN: true }),
      (low, factor) => {
        const axis = logAxis([[low, low * factor, 1]], 352);
        if (axis === undefined) return;
        const ticks = logTicks(axis, 52);
        expect(ticks.length).toBeGreaterThan(0);
        for (const [index, tick] of ticks.entries()) {
          expect(tick >= axis.low && tick <= axis.high).toBe(true);
          if (index > 0) expect(tick).toBeGreaterThan(ticks[index - 1] ?? 0);
        }
      },
    ),
  );
});

test('labels that would touch stand in rows above each other', () => {
  expect(labelRows([100, 130, 300], 72)).toEqual([
    { x: 100, row: 0 },
    { x: 130, row: 1 },
    { x: 300, row: 0 },
  ]);
});
