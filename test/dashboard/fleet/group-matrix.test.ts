import { expect, test } from 'vitest';
import { groupMatrix } from '../../../dashboard/src/fleet/group-matrix.ts';
import { rosterOf } from './made-up-fleet.ts';

test('shows links within a group on the diagonal, and nothing for a group of one', () => {
  const { cells } = groupMatrix({
    roster: rosterOf([2, 1]),
    pairs: [{ groups: [0, 0], linkCount: 1, median: 9.4e9, worst: 9.4e9, isFlagged: false }],
    nodeCount: 3,
    unit: 'bits',
    nameOf: node => node,
  });
  expect(cells.map(row => row.map(({ kind }) => kind))).toEqual([
    ['measured', 'unmeasured'],
    ['unmeasured', 'self'],
  ]);
  const [[within] = []] = cells;
  expect(within?.kind === 'measured' && within.reported).toMatch(/^within rack 1: 9\.4.* median of one link/);
});
