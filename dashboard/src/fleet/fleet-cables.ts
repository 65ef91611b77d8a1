// The few lines that a fleet draws: faulty cables, inside a group or along the trunk, and the links of a picked node to its own
// group. Never across a cell: a cable leaves its group through the gutter next to its column.

import { maximumOf } from '../../../src/core/extremes.ts';
import type { LinkFault } from '../../../src/core/fleet/cable-fault.ts';
import type { FleetRoster } from '../../../src/core/fleet/fleet-picture.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { CellSpot, FleetLayout, GroupBox } from './fleet-layout.ts';

export interface DrawnCable {
  readonly key: string;
  readonly path: string;
  /** Ends of a line between two cells of one group. */
  readonly ends: readonly { readonly x: number; readonly y: number }[];
  /** Under a bracket; if a bracket has the figure, the foot need not. */
  readonly label: { readonly x: number; readonly y: number } | undefined;
  readonly fault: LinkFault;
}

export interface FleetCables {
  readonly cables: readonly DrawnCable[];
  /** Where cables come down through the foot of a group, by group. */
  readonly drops: ReadonlyMap<number, readonly number[]>;
  /** Groups with a bracket under their cells. */
  readonly bracketed: ReadonlySet<number>;
}

interface End {
  readonly group: number;
  readonly box: GroupBox;
  readonly spot: CellSpot;
  readonly middle: number;
}

export const fleetCables = (
  layout: FleetLayout,
  roster: FleetRoster,
  faults: readonly LinkFault[],
): FleetCables => {
  const ends = cellEnds(layout, roster);
  const cables: DrawnCable[] = [];
  const drops = new Map<number, number[]>();
  const bracketed = new Set<number>();
  const lanes = new Map<number, number>();
  for (const fault of faults.slice(0, CABLES_DRAWN_MAX)) {
    const [a, b] = fault.nodes.map(node => ends.get(node));
    if (a === undefined || b === undefined) continue;
    if (a.group === b.group) {
      const isBracket =
        layout.look === 'big' &&
        !layout.isPhone &&
        layout.isRacked &&
        a.spot.y === b.spot.y &&
        a.spot.isLastRow &&
        !bracketed.has(a.group);
      if (isBracket) bracketed.add(a.group);
      cables.push(isBracket ? bracket(layout, fault, a, b) : straight(layout, fault, a, b));
    } else {
      const routed = along(layout, lanes, a, b);
      if (routed === undefined) continue;
      cables.push({ key: fault.id, path: routed.path, ends: [], label: undefined, fault });
      for (const [group, x] of routed.drops) drops.set(group, [...(drops.get(group) ?? []), x]);
    }
  }
  return { cables, drops, bracketed };
};

interface PickedNode {
  readonly node: NodeId;
  /** The nodes that it has a link to. */
  readonly linked: ReadonlySet<NodeId>;
  /** Groups with a bracket under their cells. */
  readonly bracketed: ReadonlySet<number>;
}

/** From a picked node to those of its group that it has links to, under the numbers. */
export const pickArcs = (
  layout: FleetLayout,
  roster: FleetRoster,
  { node, linked, bracketed }: PickedNode,
): string => {
  if (layout.look !== 'big' || layout.isPhone || !layout.isRacked) return '';
  const { cell } = layout;
  return roster.groups
    .flatMap(({ cells }, group): string[] => {
      const cellIndex = cells.findIndex(each => each.node === node);
      const spots = layout.groups[group]?.cells ?? [];
      const from = spots[cellIndex];
      if (cellIndex < 0 || from === undefined || bracketed.has(group)) return [];
      const top = from.y + cell.height + UNDER_NUMBER;
      return spots.flatMap((spot, index) => {
        const other = cells[index]?.node;
        if (other === undefined || !linked.has(other) || spot.y !== from.y) return [];
        const [x1, x2] = [from.x + cell.width / 2, spot.x + cell.width / 2];
        const deep = top + Math.min(ARC_DEPTH, 6 + Math.abs(x1 - x2) * 0.16);
        return `M${x1} ${top}C${x1} ${deep} ${x2} ${deep} ${x2} ${top}`;
      });
    })
    .join('');
};

const cellEnds = (layout: FleetLayout, roster: FleetRoster): ReadonlyMap<NodeId, End> => {
  const ends = new Map<NodeId, End>();
  for (const [group, { cells }] of roster.groups.entries())
    for (const [index, { node }] of cells.entries()) {
      const box = layout.groups[group];
      const spot = box?.cells[index];
      // With tags a node may be in several groups: its cables go to the first.
      if (box !== undefined && spot !== undefined && !ends.has(node))
        ends.set(node, { group, box, spot, middle: spot.x + layout.cell.width / 2 });
    }
  return ends;
};

const bracket = ({ cell }: FleetLayout, fault: LinkFault, a: End, b: End): DrawnCable => {
  const [left, right] = a.middle < b.middle ? [a, b] : [b, a];
  const top = left.spot.y + cell.height + UNDER_NUMBER;
  const deep = top + 10;
  return {
    key: fault.id,
    path: `M${left.middle} ${top}V${deep - 5}q0 5 5 5H${right.middle - 5}q5 0 5 -5V${top}`,
    ends: [],
    label: { x: (left.middle + right.middle) / 2, y: deep + 14 },
    fault,
  };
};

const straight = ({ cell }: FleetLayout, fault: LinkFault, a: End, b: End): DrawnCable => {
  const ends = [a, b].map(({ middle, spot }) => ({ x: middle, y: spot.y + cell.height / 2 }));
  const [one, other] = ends;
  return {
    key: fault.id,
    path: one === undefined || other === undefined ? '' : `M${one.x} ${one.y}L${other.x} ${other.y}`,
    ends,
    label: undefined,
    fault,
  };
};

/** Down from each cell, along the trunk of its row in a lane of its own, and in the gutter left of the target between rows. */
const along = (
  layout: FleetLayout,
  lanes: Map<number, number>,
  a: End,
  b: End,
): { readonly path: string; readonly drops: readonly (readonly [number, number])[] } | undefined => {
  const [trunkA, trunkB] = [layout.trunks[a.box.row], layout.trunks[b.box.row]];
  if (trunkA === undefined || trunkB === undefined) return undefined;
  const rows = [...new Set([a.box.row, b.box.row])];
  const lane = maximumOf(rows.map(row => lanes.get(row) ?? 0));
  if (lane >= LANES_MAX) return undefined;
  for (const row of rows) lanes.set(row, lane + 1);
  const yA = trunkA.y - LANE_FIRST - lane * LANE_STEP;
  const yB = trunkB.y - LANE_FIRST - lane * LANE_STEP;
  const downA = down(layout, a);
  const downB = down(layout, b);
  // The trunk itself is to the left of the first group.
  const gutter = Math.max(TRUNK_CLEAR, b.box.x - layout.gap / 2) + lane * 2;
  const way = a.box.row === b.box.row ? `V${yA}H${downB.x}` : `V${yA}H${gutter}V${yB}H${downB.x}`;
  return {
    path: `${downA.out}${way}V${downB.top}${downB.last}`,
    drops: [
      [a.group, downA.x],
      [b.group, downB.x],
    ],
  };
};

/** Straight down from the last row; from a row above first into the gutter at the right of the cell's bar. */
const down = (
  { cell, isNumbered }: FleetLayout,
  { spot, middle }: End,
): { readonly x: number; readonly top: number; readonly out: string; readonly last: string } => {
  const foot = spot.y + cell.height;
  if (spot.isLastRow) {
    const top = foot + (isNumbered ? UNDER_NUMBER : 4);
    return { x: middle, top, out: `M${middle} ${top}`, last: '' };
  }
  const x = spot.x + cell.width + cell.gpuWidth + 3;
  return { x, top: foot + 2, out: `M${middle} ${foot + 2}H${x}`, last: `H${middle}` };
};

/** Cables above this limit are counted at the feet of their groups and shown in the list. */
const CABLES_DRAWN_MAX = 24;
const LANES_MAX = 3;
const TRUNK_CLEAR = 11;
const LANE_FIRST = 5;
const LANE_STEP = 4;
const UNDER_NUMBER = 19;
const ARC_DEPTH = 26;
