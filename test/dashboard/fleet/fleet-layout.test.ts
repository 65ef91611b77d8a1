// Where cells stand: nothing over anything, at any size and width, and nothing that moves when figures do.

import { describe, expect, test } from 'vitest';
import { cellAt, type FleetLayout, fleetLayout, groupAt } from '../../../dashboard/src/fleet/fleet-layout.ts';

const WIDTHS = [358, 512, 852, 1_056, 1_500];
const FLEETS: readonly (readonly number[])[] = [
  [13],
  [1, 2, 10],
  [8, 5],
  Array.from({ length: 8 }, () => 8),
  Array.from({ length: 13 }, (_, index) => (index === 12 ? 8 : 16)),
  [...Array.from({ length: 31 }, () => 32), 8],
  [334, 333, 333],
  [1_000],
  Array.from({ length: 64 }, (_, index) => (index * 7) % 23),
];
const CASES = FLEETS.flatMap(sizes =>
  WIDTHS.map(width => ({ sizes, width, nodes: sizes.reduce((a, b) => a + b, 0) })),
);

const boxesOf = ({ groups }: FleetLayout) =>
  groups.map(({ x, y, width, bottom }) => ({ left: x, top: y, right: x + width, bottom }));

describe('the cells of a fleet', () => {
  test.for(CASES)(
    '$nodes nodes in $sizes.length groups at $width px lie apart, inside their groups and the page',
    ({ sizes, width }) => {
      const layout = fleetLayout({ width, sizes, isZoomed: false });
      const boxes = boxesOf(layout);
      for (const [index, box] of boxes.entries()) {
        expect(box.left).toBeGreaterThanOrEqual(0);
        expect(box.right).toBeLessThanOrEqual(width + 0.5);
        expect(box.bottom).toBeLessThanOrEqual(layout.height);
        for (const other of boxes.slice(index + 1)) {
          const isApart =
            box.right <= other.left ||
            other.right <= box.left ||
            box.bottom <= other.top ||
            other.bottom <= box.top;
          expect(isApart).toBe(true);
        }
      }
      const { cell } = layout;
      for (const group of layout.groups) {
        for (const spot of group.cells) {
          expect(spot.x).toBeGreaterThanOrEqual(group.x);
          expect(spot.x + cell.width + cell.gpuWidth).toBeLessThanOrEqual(group.x + group.width + 0.5);
          expect(spot.y + cell.height).toBeLessThanOrEqual(group.footTop);
        }
        expect(group.pitch).toBeGreaterThanOrEqual(cell.width + cell.gpuWidth + 2);
      }
    },
  );

  test.for(CASES)('a point in a cell of $nodes nodes at $width px is that cell', ({ sizes, width }) => {
    const layout = fleetLayout({ width, sizes, isZoomed: false });
    for (const [group, box] of layout.groups.entries())
      for (const [cell, spot] of box.cells.entries()) {
        const point = { x: spot.x + layout.cell.width / 2, y: spot.y + layout.cell.height / 2 };
        expect(cellAt(layout, point)).toEqual({ group, cell });
        expect(groupAt(layout, point)).toBe(group);
      }
  });

  test('grow smaller with the number of nodes, and larger where one group is opened', () => {
    const widthOf = (sizes: readonly number[], isZoomed = false): number =>
      fleetLayout({ width: 1_056, sizes, isZoomed }).cell.width;
    expect([widthOf([32, 32]), widthOf([100, 100]), widthOf([500, 500])]).toEqual([17, 13, 8]);
    expect(widthOf([100], true)).toBe(17);
  });

  test('have a trunk to stand on except on a phone and in one group', () => {
    const trunks = (width: number, sizes: readonly number[]): number =>
      fleetLayout({ width, sizes, isZoomed: false }).trunks.length;
    expect([trunks(1_056, [8, 8, 8, 8, 8]), trunks(358, [8, 8]), trunks(1_056, [40])]).toEqual([2, 0, 0]);
  });

  test('a point outside every cell is none', () => {
    const layout = fleetLayout({ width: 1_056, sizes: [8, 8], isZoomed: false });
    expect(cellAt(layout, { x: 1, y: 1 })).toBeUndefined();
    expect(groupAt(layout, { x: 1, y: layout.height + 50 })).toBeUndefined();
  });
});
