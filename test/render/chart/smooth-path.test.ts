import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logScale } from '../../../src/render/chart/line-curve.ts';
import { type ChartPoint, smoothBand, smoothLine } from '../../../src/render/chart/smooth-path.ts';

const risingX = fc
  .array(
    fc.tuple(fc.double({ min: 1, max: 100, noNaN: true }), fc.double({ min: 0, max: 500, noNaN: true })),
    {
      minLength: 2,
      maxLength: 12,
    },
  )
  .map(steps => {
    let x = 0;
    return steps.map(([step, y]): ChartPoint => {
      x += step;
      return [x, y];
    });
  });

test('a smooth line never leaves the room between the points that it joins', () => {
  fc.assert(
    fc.property(risingX, points => {
      const pieces = smoothLine(points).split('C').slice(1);
      for (const [index, piece] of pieces.entries()) {
        const numbers = piece.split(' ').map(Number);
        const [from, to] = [points[index]?.[1] ?? 0, points[index + 1]?.[1] ?? 0];
        // A piece stays within the hull of its four points.
        for (const y of [numbers[1] ?? 0, numbers[3] ?? 0]) {
          expect(y).toBeGreaterThanOrEqual(Math.min(from, to) - 0.01);
          expect(y).toBeLessThanOrEqual(Math.max(from, to) + 0.01);
        }
      }
    }),
  );
});

test('a band goes along its upper line and back along its lower one, and closes', () => {
  const low: readonly ChartPoint[] = [
    [0, 10],
    [10, 8],
    [20, 4],
  ];
  const high: readonly ChartPoint[] = [
    [0, 5],
    [10, 4],
    [20, 1],
  ];
  expect(smoothBand(low, high)).toMatch(/^M0 5C.*20 1L20 4C.*0 10Z$/);
  expect([smoothBand([], []), smoothLine([])]).toEqual(['', '']);
});

test('a logarithmic scale ends at round values around what is there', () => {
  const scale = logScale([88e6, 8.4e9], 0.05);
  expect([scale?.low, scale?.high]).toEqual([50e6, 10e9]);
  expect(scale?.ticks).toEqual([50e6, 100e6, 200e6, 500e6, 1e9, 2e9, 5e9, 10e9]);
  expect([scale?.share(50e6), scale?.share(10e9), scale?.share(1)]).toEqual([0, 1, 0]);
  expect(logScale([0, Number.NaN], 0.05)).toBeUndefined();
});
