// Where the keyboard goes on the grid of a fleet.

import { describe, expect, test } from 'vitest';
import { fleetLayout } from '../../../dashboard/src/fleet/fleet-layout.ts';
import { movedFocus } from '../../../dashboard/src/fleet/fleet-steps.ts';
import { rosterOf } from './made-up-fleet.ts';

const SIZES = [16, 16, 16, 16, 16, 16, 16, 16, 16, 9];
const roster = rosterOf(SIZES);
const layout = fleetLayout({ width: 1_056, sizes: SIZES, isZoomed: false });
const faulty = new Map([[roster.groups[2]?.cells[5]?.node ?? '', true]]);
const from = (group: number, cell: number, key: string) =>
  movedFocus({ layout, roster, faulty, focus: { group, cell }, key });

describe('the keyboard on the grid of a fleet', () => {
  test('arrows go to the next cell, and from the end of a group into the next', () => {
    expect(from(0, 0, 'ArrowRight')).toEqual({ group: 0, cell: 1 });
    expect(from(0, 15, 'ArrowRight')).toEqual({ group: 1, cell: 0 });
    expect(from(1, 0, 'ArrowLeft')).toEqual({ group: 0, cell: 15 });
    expect(from(0, 3, 'ArrowDown')).toEqual({ group: 0, cell: 11 });
    expect(from(0, 0, 'ArrowLeft')).toEqual({ group: 0, cell: 0 });
  });

  test('arrows go down into the group that is below, and up again', () => {
    const across = layout.groups.filter(({ row }) => row === 0).length;
    expect(from(1, 11, 'ArrowDown')).toEqual({ group: 1 + across, cell: 3 });
    expect(from(1 + across, 3, 'ArrowUp')).toEqual({ group: 1, cell: 11 });
  });

  test('Home, End and the Page keys go by groups', () => {
    expect(from(1, 5, 'Home')).toEqual({ group: 1, cell: 0 });
    expect(from(9, 2, 'End')).toEqual({ group: 9, cell: 8 });
    expect(from(1, 5, 'PageDown')).toEqual({ group: 2, cell: 0 });
    expect(from(0, 5, 'PageUp')).toEqual({ group: 0, cell: 5 });
  });

  test('F goes to the next fault, and round to the first', () => {
    expect(from(0, 0, 'f')).toEqual({ group: 2, cell: 5 });
    expect(from(2, 5, 'F')).toEqual({ group: 2, cell: 5 });
    expect(from(8, 0, 'f')).toEqual({ group: 2, cell: 5 });
  });

  test('other keys are left to the page', () => {
    expect(from(0, 0, 'x')).toBeUndefined();
  });
});
