// Where nodes stand on the map: a ring for few, first node on top, clockwise, stretched to the full frame. CSS
// pixels; text is never scaled. Runs when the topology or the size changes, never when a figure does.

import { maximumOf, minimumOf } from '../../../src/core/extremes.ts';
import { DRAWING_HEIGHT, DRAWING_WIDTH } from '../drawing/gauge.ts';
import { type Box, boxAround, clamp, type MapFrame, meet, type Point } from './geometry.ts';

/** Names with all figures; with memory and what was measured; with the memory's share. */
export type Detail = 'full' | 'compact' | 'phone';

/** The form of the measurements of a compact node: both figures in one line, in two, or compute alone if there is no room. */
type MeasuredLines = 'together' | 'apart' | 'compute';

export interface Placement {
  /** Centre of the node's box. */
  readonly x: number;
  readonly y: number;
  readonly box: Box;
  /** What labels may not cover, and where lines begin: the drawing first, then its words. */
  readonly solids: readonly Box[];
  /** Words stand at both sides of the drawing rather than under it. */
  readonly isNextTo: boolean;
  readonly isUpper: boolean;
}

export interface Sizes {
  readonly detail: Detail;
  readonly measuredLines: MeasuredLines;
  readonly scale: number;
  readonly drawing: MapFrame;
  readonly lineHeight: number;
  /** A node with its words under it. */
  readonly below: MapFrame;
}

export interface Arrangement extends Sizes {
  readonly placements: readonly Placement[];
}

/** The width of the text of a node if it is next to its drawing. */
export interface TextWidths {
  readonly identity: number;
  readonly figures: number;
}

export const PHONE_WIDTH = 720;
export const FULL_NODES_MAX = 4;
/** More stand closer, with smaller drawings. */
export const RELAXED_NODES = 8;
const PAD = 4;
/** Between a drawing and its words. */
const TEXT_GAP = 6;
const ARC_STEPS = 1_440;
/** Least distance between nodes of a ring, px. */
const NODES_GAP = 6;
/** Room for the words at either side of a drawing, and how far from it they begin. */
export const NEXT_TO_TEXT_WIDTH = 142;
const NEXT_TO_GAP = 18;
/** A single machine has all the room next to it. */
const ALONE_TEXT_WIDTH = 420;
/** The draught scale at the right of a drawing. */
export const DRAUGHT_WIDTH = 16;

const sizesOf = (count: number, frame: MapFrame, measuredLines: MeasuredLines = 'compute'): Sizes => {
  const detail = detailOf(count, frame);
  const scale = scaleOf(count, detail, frame);
  const drawing = { width: DRAWING_WIDTH * scale, height: DRAWING_HEIGHT * scale };
  const lineHeight = detail === 'full' ? 18 : 15;
  const text = detail === 'compact' ? COMPACT_TEXT_SIZES[measuredLines] : TEXT_SIZES[detail];
  return {
    detail,
    measuredLines,
    scale,
    drawing,
    lineHeight,
    below: {
      width: Math.max(
        drawing.width + text.pad,
        count === 1 && detail === 'full' ? ALONE_TEXT_WIDTH : text.width,
      ),
      height: drawing.height + TEXT_GAP + text.lines * lineHeight,
    },
  };
};

/** The ring. `widths` are those of the text next to the nodes, one each. With few nodes each has as much text as fits. */
export const arrangeRing = (
  count: number,
  frame: MapFrame,
  widths: readonly TextWidths[] = [],
): Arrangement => {
  const ring = (lines: MeasuredLines): Arrangement =>
    ringOf(count, { sizes: sizesOf(count, frame, lines), frame, widths });
  return MEASURED_LINES.map(ring).find(hasRoom) ?? ring('compute');
};

const hasRoom = ({ placements }: Arrangement): boolean =>
  placements.every(({ box }, index) =>
    placements.slice(index + 1).every(other => !meet(box, other.box, NODES_GAP)),
  );

interface RingInput {
  readonly sizes: Sizes;
  readonly frame: MapFrame;
  readonly widths: readonly TextWidths[];
}

const ringOf = (count: number, { sizes, frame, widths }: RingInput): Arrangement => {
  const { detail, drawing, below } = sizes;
  const angles = anglesOf(count, { sizes, frame });
  const across = stretched(angles.map(Math.cos));
  const down = stretched(angles.map(Math.sin));
  const placements = angles.map((angle, index): Placement => {
    const isNextTo = detail === 'full' && count >= 3 && Math.abs(Math.cos(angle)) < 0.5;
    const height = isNextTo ? drawing.height : below.height;
    const at = {
      x: frame.width / 2 + (across[index] ?? 0) * ((frame.width - below.width) / 2 - PAD),
      y: frame.height / 2 + (down[index] ?? 0) * ((frame.height - height) / 2 - PAD),
    };
    return isNextTo ? nextToPosition(at, sizes, frame, widths[index]) : placementBelow(at, sizes, frame);
  });
  return { ...sizes, placements };
};

/** The first on top, clockwise. If many share the ring, their distances follow the width and height of their boxes. */
const anglesOf = (count: number, { sizes, frame }: Pick<RingInput, 'sizes' | 'frame'>): readonly number[] => {
  if (count === 2) return [Math.PI, 2 * Math.PI];
  const even = Array.from({ length: count }, (_, index) => -Math.PI / 2 + (index * 2 * Math.PI) / count);
  if (count <= FULL_NODES_MAX) return even;
  const { below } = sizes;
  const reach = { x: frame.width / below.width - 1, y: frame.height / below.height - 1 };
  const step = (2 * Math.PI) / ARC_STEPS;
  const walked = [0];
  for (let index = 0; index < ARC_STEPS; index += 1) {
    const angle = -Math.PI / 2 + (index + 0.5) * step;
    const part = Math.hypot(reach.x * Math.sin(angle), reach.y * Math.cos(angle)) * step;
    walked.push((walked[index] ?? 0) + part);
  }
  const whole = walked.at(-1) ?? 0;
  return even.map((angle, index) => {
    const at = walked.findIndex(arc => arc >= (whole * index) / count - 1e-9);
    return whole > 0 ? -Math.PI / 2 + at * step : angle;
  });
};

/** A node with its words under the drawing. */
export const placementBelow = (at: Point, { below, drawing, detail }: Sizes, frame: MapFrame): Placement => {
  const box = boxAround(at, below);
  const hull: Box = { x: at.x - drawing.width / 2, y: box.y, ...drawing };
  const text: Box = {
    x: box.x,
    y: box.y + drawing.height,
    width: box.width,
    height: box.height - drawing.height,
  };
  const hasDraught = detail === 'full';
  const solids = hasDraught ? [{ ...hull, width: hull.width + DRAUGHT_WIDTH }, text] : [hull, text];
  return {
    ...at,
    box,
    solids,
    isNextTo: false,
    isUpper: at.y < frame.height / 2,
  };
};

/** Three boxes rather than one, so that lines and labels may use the room under the words. */
const nextToPosition = (
  at: Point,
  { drawing, lineHeight }: Sizes,
  frame: MapFrame,
  widths: TextWidths = { identity: NEXT_TO_TEXT_WIDTH, figures: NEXT_TO_TEXT_WIDTH },
): Placement => {
  const isUpper = at.y < frame.height / 2;
  const box = boxAround(at, {
    width: drawing.width + 2 * (NEXT_TO_TEXT_WIDTH + NEXT_TO_GAP),
    height: drawing.height,
  });
  const top = isUpper ? box.y + 4 : box.y + drawing.height - 4 - 3 * lineHeight;
  const left = at.x - drawing.width / 2;
  const right = at.x + drawing.width / 2;
  const hull: Box = {
    x: left - 4,
    y: box.y,
    width: drawing.width + 4 + DRAUGHT_WIDTH,
    height: drawing.height,
  };
  const identity: Box = {
    x: left - NEXT_TO_GAP - widths.identity - 4,
    y: isUpper ? top : top + lineHeight,
    width: widths.identity + 4,
    height: 2 * lineHeight,
  };
  const figures: Box = {
    x: right + NEXT_TO_GAP,
    y: top,
    width: widths.figures + 12,
    height: 3 * lineHeight,
  };
  return { ...at, box, solids: [hull, identity, figures], isNextTo: true, isUpper };
};

const detailOf = (count: number, { width }: MapFrame): Detail => {
  if (width < PHONE_WIDTH) return 'phone';
  return count <= FULL_NODES_MAX ? 'full' : 'compact';
};

const scaleOf = (count: number, detail: Detail, { width, height }: MapFrame): number => {
  switch (detail) {
    case 'phone':
      return count === 1 ? 0.9 : count <= FULL_NODES_MAX ? 0.62 : 0.44;
    case 'compact':
      return count <= RELAXED_NODES ? clamp(height / 800, 0.58, 0.9) : clamp(height / 1_000, 0.52, 0.8);
    case 'full':
      return count <= 2
        ? clamp(Math.min(width / 560, height / 330), 0.9, 1.7)
        : clamp(Math.min(width / 880, height / 470), 0.9, 1.5);
    default:
      return detail satisfies never;
  }
};

/** Values moved and stretched to −1..1, so that the ring fills its frame also for odd counts; 0 if all are equal. */
const stretched = (values: readonly number[]): readonly number[] => {
  const low = minimumOf(values);
  const high = maximumOf(values);
  return values.map(value => (high - low < 1e-6 ? 0 : ((value - low) / (high - low)) * 2 - 1));
};

const TEXT_SIZES: Readonly<
  Record<Detail, { readonly lines: number; readonly width: number; readonly pad: number }>
> = {
  full: { lines: 5, width: 176, pad: 18 },
  compact: { lines: 3, width: 112, pad: 18 },
  phone: { lines: 2, width: 72, pad: 18 },
};

const MEASURED_LINES: readonly MeasuredLines[] = ['together', 'apart', 'compute'];

const COMPACT_TEXT_SIZES: Readonly<Record<MeasuredLines, (typeof TEXT_SIZES)['compact']>> = {
  together: { lines: 3, width: 148, pad: 18 },
  apart: { lines: 4, width: 112, pad: 18 },
  compute: TEXT_SIZES.compact,
};
