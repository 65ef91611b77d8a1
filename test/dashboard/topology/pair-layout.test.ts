import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meet } from '../../../dashboard/src/topology/geometry.ts';
import { pairLayout } from '../../../dashboard/src/topology/pair-layout.ts';

describe('the map of two nodes', () => {
  test('gives most of its width to machines and lanes, and shows both ends of every line', () => {
    const { placements, left, right } = pairLayout({ width: 1_056, height: 459 }, 4);
    const [one, two] = placements;
    expect(one.box.x).toBeLessThan(20);
    expect(two.box.x + two.box.width).toBeGreaterThan(1_000);
    expect(left).toBeGreaterThan(one.box.x + one.box.width);
    expect(right).toBeLessThan(two.box.x);
    expect(right - left).toBeGreaterThan(300);
  });

  test('puts the lanes under the machines where it is narrow, in full width', () => {
    const { placements, left, right, there, others, isPhone } = pairLayout({ width: 374, height: 476 }, 4);
    expect(isPhone).toBe(true);
    expect(right - left).toBeGreaterThan(340);
    for (const { box } of placements) expect(box.y + box.height).toBeLessThan(there);
    expect(others).toHaveLength(3);
  });

  test('overlaps nothing and stays in its frame, in any frame of a page', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 2_000 }),
        fc.integer({ min: 350, max: 1_000 }),
        fc.integer({ min: 1, max: 9 }),
        (width, height, lanes) => {
          const frame = { width, height: Math.max(height, width < 720 ? 476 : 350) };
          const { placements, left, right, there, back, others } = pairLayout(frame, lanes);
          expect(meet(placements[0].box, placements[1].box)).toBe(false);
          for (const { box } of placements) {
            expect(box.x).toBeGreaterThanOrEqual(0);
            expect(box.x + box.width).toBeLessThanOrEqual(width);
            expect(box.y).toBeGreaterThanOrEqual(0);
          }
          expect(right - left).toBeGreaterThan(150);
          expect(back).toBeGreaterThan(there);
          for (const y of [there, back, ...others]) expect(y).toBeLessThanOrEqual(frame.height);
          expect(others.length).toBeLessThan(lanes);
        },
      ),
    );
  });
});
