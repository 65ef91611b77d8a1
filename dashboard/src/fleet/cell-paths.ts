// The cells of one group as paths, one for each state and not one for each node: a thousand nodes are some two hundred
// elements, and an update touches three paths of a group.

import type { GroupLevels } from '../../../src/core/fleet/fleet-picture.ts';
import { SAFE_LOAD } from '../../../src/core/node/memory-use.ts';
import type { CellSize, CellSpot } from './fleet-layout.ts';

/** What a level changes. */
interface LevelPaths {
  readonly water: string;
  readonly waterline: string;
  readonly busy: string;
  /** Of cells over the load line. */
  readonly over: string;
  /** Cells without a reported memory: hatched, not empty. */
  readonly unknown: string;
  /** The same two for cells whose figures are old. */
  readonly paleWater: string;
  readonly paleLine: string;
}

/** What only a node that comes or goes changes. */
interface CellHulls {
  readonly hull: string;
  /** Of cells that are being measured: dashed. */
  readonly measured: string;
  readonly bed: string;
  readonly safe: string;
  readonly gone: string;
  readonly cross: string;
  /** Stopped on purpose: a fault needs nobody, so it has no cross. */
  readonly stopped: string;
}

export const levelPaths = (
  spots: readonly CellSpot[],
  { memory, gpu, states }: GroupLevels,
  size: CellSize,
): LevelPaths => {
  const paths = { water: '', waterline: '', busy: '', over: '', unknown: '', paleWater: '', paleLine: '' };
  for (const [index, { x, y }] of spots.entries()) {
    const state = states[index];
    if (state === 'o' || state === 't') continue;
    const isPale = state === 's';
    const level = memory[index] ?? undefined;
    if (level === undefined) paths.unknown += waterPath({ x, top: y, bottom: y + size.height }, size);
    else {
      const top = tenth(y + size.height * (1 - Math.min(1, level / 100)));
      const water = waterPath({ x, top, bottom: y + size.height }, size);
      if (isPale) paths.paleWater += water;
      else paths.water += water;
      const line = `M${x} ${top}h${size.width}`;
      if (isPale) paths.paleLine += line;
      else paths.waterline += line;
      if (level > SAFE_LOAD * 100) paths.over += overMark(x, y, size);
    }
    const use = gpu[index] ?? undefined;
    if (use !== undefined && !isPale) {
      const height = tenth(Math.max(1, (size.height * Math.min(100, use)) / 100));
      paths.busy += `M${tenth(x + size.width + 1.5)} ${y + size.height}h${size.gpuWidth}v${-height}h${-size.gpuWidth}Z`;
    }
  }
  return paths;
};

export const cellHulls = (spots: readonly CellSpot[], states: string, size: CellSize): CellHulls => {
  const paths = { hull: '', measured: '', bed: '', safe: '', gone: '', cross: '', stopped: '' };
  const { width, height, gpuWidth } = size;
  const corner = cornerOf(size);
  for (const [index, { x, y }] of spots.entries()) {
    const state = states[index];
    if (state === 'o' || state === 't') {
      const box = `M${x} ${y}V${y + height}H${x + width}V${y}`;
      if (state === 't') paths.stopped += box;
      else {
        paths.gone += box;
        const half = width / 4;
        const [middleX, middleY] = [x + width / 2, y + height / 2];
        paths.cross += `M${tenth(middleX - half)} ${tenth(middleY - half)}l${2 * half} ${2 * half}m0 ${-2 * half}l${-2 * half} ${2 * half}`;
      }
      continue;
    }
    const hull = `M${x} ${y}V${y + height - corner}q0 ${corner} ${corner} ${corner}h${width - 2 * corner}q${corner} 0 ${corner} ${-corner}V${y}`;
    if (state === 'm') paths.measured += hull;
    else paths.hull += hull;
    paths.bed += `M${tenth(x + width + 1.5)} ${y + height}h${gpuWidth}v${-height}h${-gpuWidth}Z`;
    if (width > TICK_WIDTH_MIN)
      paths.safe += `M${tenth(x + width * 0.72)} ${tenth(y + height * (1 - SAFE_LOAD))}h${tenth(width * 0.28)}`;
  }
  return paths;
};

/** The Plimsoll mark, or at a small cell the line of it. */
const overMark = (x: number, y: number, { width, height }: CellSize): string => {
  const at = tenth(y + height * (1 - SAFE_LOAD));
  if (width <= TICK_WIDTH_MIN) return `M${tenth(x - 1.5)} ${at}h${width + 3}`;
  const radius = Math.min(4, tenth(width / 3.4));
  const middle = x + width / 2;
  return `M${tenth(middle - radius)} ${at}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0M${tenth(middle - radius * 2.1)} ${at}h${tenth(radius * 4.2)}`;
};

const waterPath = (
  { x, top, bottom }: { readonly x: number; readonly top: number; readonly bottom: number },
  size: CellSize,
): string => {
  const { width } = size;
  const corner = Math.min(cornerOf(size), Math.max(0, bottom - top));
  const shown = tenth(corner);
  return `M${x} ${top}V${tenth(bottom - corner)}q0 ${shown} ${shown} ${shown}h${tenth(width - 2 * corner)}q${shown} 0 ${shown} ${-shown}V${top}Z`;
};

const cornerOf = ({ width }: CellSize): number => Math.min(4, width / 4);

const tenth = (value: number): number => Math.round(value * 10) / 10;

/** Of the pattern that a drawing of cells defines once. */
export const HATCH_ID = 'cells-unknown';

/** Narrower cells have no room for a tick at the load line. */
const TICK_WIDTH_MIN = 10;
