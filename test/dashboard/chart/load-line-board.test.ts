// The load-line board: for any values, the names can be read apart and the water is at the height of the scale.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boardScale, layoutBoard } from '../../../dashboard/src/chart/load-line-board.ts';

const line = (at: number, name = `at ${at}`) => ({ at, name, isRing: false });

describe('the load-line board', () => {
  it('counts in round steps, two of which hold every value', () => {
    expect(boardScale([38.9, 48])).toEqual({ max: 60, step: 30 });
    expect(boardScale([100])).toEqual({ max: 120, step: 60 });
    expect(boardScale([1_240, 1_842])).toEqual({ max: 2_000, step: 1_000 });
    expect(boardScale([9.41])).toEqual({ max: 12, step: 6 });
  });

  it('leaves no value above its scale, and at least a third of it in use', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), value => {
        const { max } = boardScale([value]);
        expect(max).toBeGreaterThanOrEqual(value);
        expect(value / max).toBeGreaterThan(1 / 3);
      }),
    );
  });

  it('ends where there is nothing beyond: a share at 100, its line at the brim', () => {
    const scale = boardScale([3, 100], 100);
    expect(scale).toEqual({ max: 100, step: 50 });
    const { lines, ticks } = layoutBoard(3, [line(100)], scale);
    expect(ticks.flatMap(({ value }) => value ?? [])).toEqual([0, 50, 100]);
    expect(lines[0]?.y).toBe(ticks.at(-1)?.y);
  });

  it('writes "now" next to the water, but not over the name of a line', () => {
    expect(layoutBoard(30, [line(48)], { max: 60, step: 30 }).nowY).toBe(68);
    expect(layoutBoard(47, [line(48)], { max: 60, step: 30 }).nowY).toBeUndefined();
    expect(layoutBoard(undefined, [line(48)], { max: 60, step: 30 }).waterY).toBeUndefined();
  });

  it('keeps the names of lines at least 16 px apart, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 5 }), values => {
        const { lines } = layoutBoard(
          50,
          values.map((value, index) => line(value, `${index}`)),
          { max: 100, step: 50 },
        );
        for (const [index, { textY, at }] of lines.entries()) {
          const above = lines[index - 1];
          if (above === undefined) continue;
          expect(textY - above.textY).toBeGreaterThan(15.99);
          expect(above.at).toBeGreaterThanOrEqual(at);
        }
      }),
    );
  });
});
