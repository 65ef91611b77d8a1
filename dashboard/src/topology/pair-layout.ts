// The map of two nodes: most room goes to their connections. The best one has a lane per direction, every other one a
// line. Side by side; where that is too narrow, the machines on top and the lanes under them in full width. Pure, CSS
// pixels.

import { DRAWING_HEIGHT, DRAWING_WIDTH } from '../drawing/gauge.ts';
import { DRAUGHT_WIDTH, PHONE_WIDTH, type Placement, placementBelow, type Sizes } from './arrangement.ts';
import { clamp, type MapFrame } from './geometry.ts';

export interface PairLayout {
  readonly isPhone: boolean;
  readonly sizes: Sizes;
  readonly placements: readonly [Placement, Placement];
  /** Left and right end of every lane. */
  readonly left: number;
  readonly right: number;
  /** Heights of the lane to the second node, and of the lane to the first. */
  readonly there: number;
  readonly back: number;
  /** Of the figures on those two. */
  readonly figureSize: number;
  /** Heights of the lines of further connections; fewer than there are where there is no room for all. */
  readonly others: readonly number[];
}

export const pairLayout = (frame: MapFrame, laneCount: number): PairLayout =>
  frame.width < PHONE_WIDTH ? stacked(frame, laneCount) : sideBySide(frame, laneCount);

const sideBySide = (frame: MapFrame, laneCount: number): PairLayout => {
  const scale = clamp(Math.min(frame.width / 452, frame.height / 196), 1.2, 2.6);
  const sizes = sizesAt(scale, { lineHeight: LINE_HEIGHT, textWidth: TEXT_WIDTH });
  const { drawing, below } = sizes;
  const y = Math.max(below.height / 2 + 4, frame.height / 2);
  const top = y - below.height / 2;
  const [one, two] = [below.width / 2 + 6, frame.width - below.width / 2 - DRAUGHT_WIDTH * scale];
  const gap = clamp(frame.height * 0.165, 66, 88);
  const there = top + Math.max(FIGURE_SIZE + 16, drawing.height * 0.18);
  const back = there + gap;
  const step = clamp(frame.height * 0.085, 34, 44);
  return {
    isPhone: false,
    sizes,
    placements: [placementBelow({ x: one, y }, sizes, frame), placementBelow({ x: two, y }, sizes, frame)],
    left: one + Math.max(drawing.width / 2 + DRAUGHT_WIDTH * scale, below.width / 2) + LANE_GAP,
    right: two - below.width / 2 - LANE_GAP,
    there,
    back,
    figureSize: FIGURE_SIZE,
    others: othersFrom(back + 104, { step, count: laneCount - 1, bottom: frame.height }),
  };
};

const stacked = (frame: MapFrame, laneCount: number): PairLayout => {
  const sizes = sizesAt(PHONE_SCALE, {
    lineHeight: PHONE_LINE_HEIGHT,
    textWidth: Math.min(TEXT_WIDTH, frame.width / 2 - 4),
  });
  const { below } = sizes;
  const y = below.height / 2;
  const there = below.height + PHONE_FIGURE_SIZE + 26;
  const back = there + 64;
  return {
    isPhone: true,
    sizes,
    placements: [
      placementBelow({ x: frame.width / 4, y }, sizes, frame),
      placementBelow({ x: (frame.width * 3) / 4, y }, sizes, frame),
    ],
    left: LANE_EDGE,
    right: frame.width - LANE_EDGE,
    there,
    back,
    figureSize: PHONE_FIGURE_SIZE,
    others: othersFrom(back + 84, { step: 40, count: laneCount - 1, bottom: frame.height }),
  };
};

const othersFrom = (
  first: number,
  { step, count, bottom }: { readonly step: number; readonly count: number; readonly bottom: number },
): readonly number[] => {
  const room = Math.max(0, Math.floor((bottom - OTHER_FOOT - first) / step) + 1);
  return Array.from({ length: Math.min(Math.max(0, count), room) }, (_, index) => first + index * step);
};

const sizesAt = (
  scale: number,
  { lineHeight, textWidth }: { readonly lineHeight: number; readonly textWidth: number },
): Sizes => {
  const drawing = { width: DRAWING_WIDTH * scale, height: DRAWING_HEIGHT * scale };
  return {
    detail: 'full',
    measuredLines: 'together',
    scale,
    drawing,
    lineHeight,
    below: { width: Math.max(drawing.width, textWidth), height: drawing.height + 6 + 5 * lineHeight },
  };
};

const LINE_HEIGHT = 20;
const PHONE_LINE_HEIGHT = 17;
const PHONE_SCALE = 1;
const TEXT_WIDTH = 176;
const FIGURE_SIZE = 26;
const PHONE_FIGURE_SIZE = 22;
/** Between a machine and the lanes. */
const LANE_GAP = 18;
const LANE_EDGE = 8;
/** Under the last line. */
const OTHER_FOOT = 10;
