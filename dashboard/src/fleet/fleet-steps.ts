// Where the keyboard goes on the grid of a fleet: arrows to the next cell, Home and End to the ends of a group, Page keys to
// the next group, F to the next fault.

import type { FleetRoster } from '../../../src/core/fleet/fleet-picture.ts';
import type { FleetLayout } from './fleet-layout.ts';

export interface CellPosition {
  readonly group: number;
  readonly cell: number;
}

interface FocusMove {
  readonly layout: FleetLayout;
  readonly roster: FleetRoster;
  /** By node. */
  readonly faulty: ReadonlyMap<string, unknown>;
  readonly focus: CellPosition;
  /** As a KeyboardEvent names it. */
  readonly key: string;
}

/** undefined: the key is none of ours. */
export const movedFocus = (move: FocusMove): CellPosition | undefined => {
  const { layout, roster, focus, key } = move;
  const count = (group: number): number => roster.groups[group]?.cells.length ?? 0;
  const columns = layout.groups[focus.group]?.columns ?? 1;
  const last = count(focus.group) - 1;
  switch (key) {
    case 'ArrowRight':
      return focus.cell < last ? { ...focus, cell: focus.cell + 1 } : nextGroup(move, 1, 'first');
    case 'ArrowLeft':
      return focus.cell > 0 ? { ...focus, cell: focus.cell - 1 } : nextGroup(move, -1, 'last');
    case 'ArrowDown':
      return focus.cell + columns <= last ? { ...focus, cell: focus.cell + columns } : besides(move, 1);
    case 'ArrowUp':
      return focus.cell - columns >= 0 ? { ...focus, cell: focus.cell - columns } : besides(move, -1);
    case 'Home':
      return { ...focus, cell: 0 };
    case 'End':
      return { ...focus, cell: Math.max(0, last) };
    case 'PageDown':
      return nextGroup(move, 1, 'first');
    case 'PageUp':
      return nextGroup(move, -1, 'first');
    case 'f':
    case 'F':
      return nextFault(move);
    default:
      return undefined;
  }
};

const nextGroup = ({ roster, focus }: FocusMove, step: 1 | -1, end: 'first' | 'last'): CellPosition => {
  for (let group = focus.group + step; group >= 0 && group < roster.groups.length; group += step) {
    const count = roster.groups[group]?.cells.length ?? 0;
    if (count > 0) return { group, cell: end === 'first' ? 0 : count - 1 };
  }
  return focus;
};

/** Below the last row of a group, or above its first, comes the next group there. */
const besides = ({ layout, roster, focus }: FocusMove, step: 1 | -1): CellPosition => {
  const box = layout.groups[focus.group];
  const spot = box?.cells[focus.cell];
  if (box === undefined || spot === undefined) return focus;
  let best: { readonly group: number; readonly away: number } | undefined;
  for (const [group, other] of layout.groups.entries()) {
    if (other.row !== box.row + step || (roster.groups[group]?.cells.length ?? 0) === 0) continue;
    const away = Math.abs(other.x - box.x);
    if (best === undefined || away < best.away) best = { group, away };
  }
  if (best === undefined) return focus;
  const count = roster.groups[best.group]?.cells.length ?? 0;
  const column = focus.cell % box.columns;
  const columns = layout.groups[best.group]?.columns ?? 1;
  const row = step === 1 ? 0 : Math.floor((count - 1) / columns);
  return { group: best.group, cell: Math.min(count - 1, row * columns + Math.min(column, columns - 1)) };
};

const nextFault = ({ roster, faulty, focus }: FocusMove): CellPosition => {
  const positions = roster.groups.flatMap(({ cells }, group) =>
    cells.flatMap(({ node }, cell) => (faulty.has(node) ? [{ group, cell }] : [])),
  );
  const after = positions.find(
    ({ group, cell }) => group > focus.group || (group === focus.group && cell > focus.cell),
  );
  return after ?? positions[0] ?? focus;
};
