// Where groups and cells stand on the page of a fleet, in CSS pixels. Only names, counts and the page's width decide: a level,
// a fault or a figure moves nothing, because each has its room from the beginning.

import { maximumOf } from '../../../src/core/extremes.ts';

interface FleetFrame {
  readonly width: number;
  /** One a group: how many nodes it has. */
  readonly sizes: readonly number[];
  /** One group alone, opened from the others: its cells are larger. */
  readonly isZoomed: boolean;
}

export interface CellSize {
  readonly width: number;
  readonly height: number;
  /** Of the bar at its right. */
  readonly gpuWidth: number;
  /** From one row of cells to the next. */
  readonly rowHeight: number;
}

export interface CellSpot {
  /** Left and top of the hull. */
  readonly x: number;
  readonly y: number;
  readonly isLastRow: boolean;
}

export interface GroupBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Lower edge of the foot. */
  readonly bottom: number;
  /** Where the lines of the foot begin. */
  readonly footTop: number;
  readonly footLines: number;
  /** From one cell to the next. */
  readonly pitch: number;
  readonly columns: number;
  /** Of groups, from 0. */
  readonly row: number;
  readonly cells: readonly CellSpot[];
}

type FleetLook = 'big' | 'middle' | 'tiny';

export interface FleetLayout {
  readonly look: FleetLook;
  readonly isPhone: boolean;
  readonly width: number;
  readonly height: number;
  readonly cell: CellSize;
  /** Under each cell its number in the group. */
  readonly isNumbered: boolean;
  /** Groups have so few nodes that each is drawn as a rack: eight in a row. */
  readonly isRacked: boolean;
  readonly groups: readonly GroupBox[];
  /** The line under each row of groups; none on a phone and for one group. */
  readonly trunks: readonly Trunk[];
  /** Between two groups of a row. */
  readonly gap: number;
}

interface Trunk {
  readonly y: number;
  readonly right: number;
}

export const fleetLayout = (frame: FleetFrame): FleetLayout => {
  const { sizes, width, isZoomed } = frame;
  const count = sizes.reduce((sum, size) => sum + size, 0);
  const isPhone = width < FLEET_PHONE_WIDTH;
  const look = lookOf(isZoomed ? Math.min(count, BIG_NODES) : count);
  const size = (isPhone ? PHONE_CELLS : CELLS)[look];
  const isBig = look === 'big' && !isPhone;
  const isNumbered = size.width > NUMBERED_WIDTH_MIN && !(isPhone && look !== 'big');
  const pitch = size.width + size.gpuWidth + size.gap;
  const isRacked = maximumOf([0, ...sizes]) <= RACK_NODES;
  const left = isPhone ? 0 : TRUNK_MARGIN;
  const gap = isPhone ? 16 : look === 'tiny' ? 22 : 26;
  const across = groupsAcross({
    width: width - left,
    isPhone,
    isRacked,
    gap,
    pitch,
    look,
    count: sizes.length,
  });
  // Whole pixels: outlines of cells are equally sharp in every group.
  const room = Math.floor((width - left - gap * (across - 1)) / across);
  const columns =
    isRacked && sizes.length > 1 ? RACK_COLUMNS : Math.max(RACK_COLUMNS, Math.floor(room / pitch));
  const spread = isRacked
    ? Math.min(pitch * size.spread, room / Math.min(columns, maximumOf([1, ...sizes])))
    : pitch;
  const rowHeight = size.height + (isNumbered || isBig ? NUMBER_ROOM : ROW_GAP);
  const head = isBig ? 42 : look === 'tiny' ? 32 : 34;
  const trunkRoom = isPhone || sizes.length < 2 ? 0 : look === 'tiny' ? 32 : 38;
  const arcRoom = isBig && isRacked ? ARC_ROOM : 0;
  const footLines = isRacked ? 1 : FOOT_LINES_MAX;
  const foot = (isPhone ? 18 : 20) + (footLines - 1) * FOOT_LINE;
  const groups: GroupBox[] = [];
  const trunks: Trunk[] = [];
  let y = 4;
  for (let first = 0; first < sizes.length; first += across) {
    const line = sizes.slice(first, first + across);
    const rows = maximumOf([1, ...line.map(nodes => Math.ceil(nodes / columns))]);
    const footTop = y + head + rows * rowHeight + arcRoom;
    const bottom = footTop + foot;
    for (const [position, nodes] of line.entries()) {
      const x = left + position * (room + gap);
      const drawn = (Math.min(columns, Math.max(1, nodes)) - 1) * spread + size.width + size.gpuWidth + 1;
      groups.push({
        x,
        y,
        width: Math.min(
          room,
          Math.max(drawn, isRacked ? columnsWidth(columns, spread, size) : 0, HEAD_WIDTH_MIN),
        ),
        bottom,
        footTop,
        footLines,
        pitch: spread,
        columns,
        row: trunks.length,
        cells: Array.from({ length: nodes }, (_, index) => ({
          x: tenth(x + (index % columns) * spread),
          y: y + head + Math.floor(index / columns) * rowHeight,
          isLastRow: Math.floor(index / columns) === rows - 1,
        })),
      });
    }
    const last = groups.at(-1);
    if (last !== undefined) trunks.push({ y: bottom + TRUNK_DROP, right: last.x + last.width / 2 });
    y = bottom + trunkRoom + (isPhone ? 10 : look === 'tiny' ? 6 : 10);
  }
  return {
    look,
    isPhone,
    width,
    height: Math.max(y, HEIGHT_MIN),
    cell: { width: size.width, height: size.height, gpuWidth: size.gpuWidth, rowHeight },
    isNumbered,
    isRacked,
    groups,
    trunks: trunkRoom === 0 ? [] : trunks,
    gap,
  };
};

/** The cell at a point: its group and its index. By arithmetic, because a thousand elements would cost more than they are worth. */
export const cellAt = (
  layout: FleetLayout,
  { x, y }: { readonly x: number; readonly y: number },
): { readonly group: number; readonly cell: number } | undefined => {
  const { cell } = layout;
  for (const [group, box] of layout.groups.entries()) {
    if (x < box.x - MISS || x > box.x + box.width + MISS || y < box.y || y > box.bottom) continue;
    const first = box.cells[0];
    if (first === undefined) return undefined;
    const column = Math.floor((x - box.x + MISS) / box.pitch);
    const row = Math.floor((y - first.y + MISS) / cell.rowHeight);
    if (column < 0 || column >= box.columns || row < 0) return undefined;
    const index = row * box.columns + column;
    return index < box.cells.length ? { group, cell: index } : undefined;
  }
  return undefined;
};

/** Which group's room a point is in. */
export const groupAt = (
  { groups }: FleetLayout,
  { x, y }: { readonly x: number; readonly y: number },
): number | undefined => {
  const index = groups.findIndex(
    box => x >= box.x - MISS && x <= box.x + box.width + MISS && y >= box.y - MISS && y <= box.bottom,
  );
  return index < 0 ? undefined : index;
};

const groupsAcross = (room: {
  readonly width: number;
  readonly isPhone: boolean;
  readonly isRacked: boolean;
  readonly gap: number;
  readonly pitch: number;
  readonly look: FleetLook;
  readonly count: number;
}): number => {
  const { width, isPhone, isRacked, gap, pitch, look, count } = room;
  if (!isRacked) return Math.max(1, Math.min(count, isPhone ? 1 : width > 700 ? 3 : 2));
  const fitting = Math.floor((width + gap) / (RACK_COLUMNS * pitch + gap));
  const most = look === 'big' ? (width > 740 ? 4 : 3) : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(count, fitting, most));
};

const columnsWidth = (columns: number, spread: number, { width, gpuWidth }: LookSize): number =>
  (columns - 1) * spread + width + gpuWidth + 1;

const lookOf = (count: number): FleetLook =>
  count <= BIG_NODES ? 'big' : count <= MIDDLE_NODES ? 'middle' : 'tiny';

const tenth = (value: number): number => Math.round(value * 10) / 10;

interface LookSize {
  readonly width: number;
  readonly height: number;
  readonly gpuWidth: number;
  readonly gap: number;
  /** How far apart cells may stand where there is room. */
  readonly spread: number;
}

const CELLS: Readonly<Record<FleetLook, LookSize>> = {
  big: { width: 17, height: 58, gpuWidth: 4, gap: 9, spread: 1.35 },
  middle: { width: 13, height: 34, gpuWidth: 3, gap: 6, spread: 1.25 },
  tiny: { width: 8, height: 17, gpuWidth: 2, gap: 3, spread: 1.25 },
};
const PHONE_CELLS: Readonly<Record<FleetLook, LookSize>> = {
  big: { width: 22, height: 38, gpuWidth: 3, gap: 6, spread: 1.6 },
  middle: { width: 12, height: 22, gpuWidth: 3, gap: 4, spread: 1.6 },
  tiny: { width: 10, height: 16, gpuWidth: 2, gap: 3, spread: 1.6 },
};
const FLEET_PHONE_WIDTH = 560;
const BIG_NODES = 64;
const MIDDLE_NODES = 200;
/** A group up to here is drawn as a rack. */
const RACK_NODES = 40;
const RACK_COLUMNS = 8;
const NUMBERED_WIDTH_MIN = 10;
/** Left of the first group, for the trunk. */
const TRUNK_MARGIN = 18;
const TRUNK_DROP = 16;
const NUMBER_ROOM = 18;
const ROW_GAP = 5;
const ARC_ROOM = 32;
const FOOT_LINES_MAX = 4;
export const FOOT_LINE = 16;
/** For a name and two figures beneath it. */
const HEAD_WIDTH_MIN = 90;
const HEIGHT_MIN = 40;
/** The distance from a cell that still counts as a hit, px. */
const MISS = 3;
