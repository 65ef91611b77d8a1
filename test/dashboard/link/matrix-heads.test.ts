// The names over the matrix: they lie where all of them fit, and stand upright where one would be cut.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GROUP_GAP_PX, matrixHeads } from '../../../dashboard/src/link/matrix-heads.ts';
import { nodeId } from '../../../src/core/ids.ts';

const columnsOf = (names: readonly string[], groupEnds: readonly number[] = []) =>
  names.map((name, index) => ({
    id: nodeId(`${index}`.padStart(26, 'n')),
    name,
    isGroupEnd: index === names.length - 1 || groupEnds.includes(index),
  }));

const numbered = (count: number, stem: string) =>
  columnsOf(Array.from({ length: count }, (_, index) => `${stem}${index + 1}`));

test('short names lie, long ones stand upright, at the same width', () => {
  expect(matrixHeads(numbered(16, 'n-'), 836).isUpright).toBe(false);
  expect(matrixHeads(numbered(16, 'spark-07-'), 836).isUpright).toBe(true);
  expect(matrixHeads(numbered(4, 'spark-07-'), 836).isUpright).toBe(false);
});

test('one long name turns all of them', () => {
  expect(matrixHeads(columnsOf(['a', 'b', 'workstation-in-the-corner']), 300).isUpright).toBe(true);
});

test('a table too dense for figures has its names upright and takes the width that it needs', () => {
  expect(matrixHeads(numbered(25, 'n'), 836)).toEqual({ columnPx: undefined, isUpright: true });
});

test('nothing is decided before the table was drawn', () => {
  expect(matrixHeads(numbered(16, 'spark-07-'), 0)).toEqual({ columnPx: undefined, isUpright: false });
});

test('columns of equal width and the gaps between groups fill the table, for any groups', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 24 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 22 }), { maxLength: 6 }),
      (count, ends) => {
        const inner = ends.filter(end => end < count - 1);
        const columns = columnsOf(Array<string>(count).fill('n'), inner);
        const { columnPx = 0 } = matrixHeads(columns, 1_000);
        expect(76 + (count + 2) + count * columnPx + inner.length * GROUP_GAP_PX).toBeCloseTo(1_000);
      },
    ),
  );
});
