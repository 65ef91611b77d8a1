// The line of a link: between the centres of two nodes, cut where it leaves each of them, and as wide as what it carries.

import type { Placement } from './arrangement.ts';
import { type LinkCurve, lengthOf, samplesOf } from './curve.ts';
import { type Box, clamp, distance, leaving, type Point } from './geometry.ts';

export interface LinkRoute extends LinkCurve {
  /** Points along it, near enough to one another to stand for it. */
  readonly line: readonly Point[];
  readonly length: number;
}

/** Between a node and the end of a line, px. */
export const LINE_END_GAP = 5;

/** From the first node to the second, straight. */
export const routeBetween = (a: Placement, b: Placement): LinkRoute => {
  const p = leaving(a, b, shapeOf(a), LINE_END_GAP);
  const q = leaving(b, a, shapeOf(b), LINE_END_GAP);
  // Nodes so near that their gaps meet leave no line between them.
  const isBackwards = (q.x - p.x) * (b.x - a.x) + (q.y - p.y) * (b.y - a.y) <= 0;
  return { p, q, bend: undefined, line: [p, q], length: isBackwards ? 0 : distance(p, q) };
};

export const bentRoute = (curve: LinkCurve): LinkRoute => {
  const line = samplesOf(curve);
  return { ...curve, line, length: lengthOf(line) };
};

/** Words at the sides of a drawing let lines pass under them: there they begin at the drawing. */
const shapeOf = ({ solids, isNextTo }: Placement): readonly Box[] => (isNextTo ? solids.slice(0, 1) : solids);

/** By the logarithm of the rate, 1 to 5 px; thinner where many nodes share the map. */
export const strokeWidth = (bitsPerSecond: number | undefined, isFull: boolean): number => {
  const width =
    bitsPerSecond === undefined || bitsPerSecond <= 0
      ? UNKNOWN_WIDTH
      : clamp(UNKNOWN_WIDTH + (Math.log10(bitsPerSecond) - 8) * WIDTH_PER_DECADE, 1, 5);
  return isFull ? width : width * COMPACT_SHARE;
};

/** Two lines for RDMA: an outer one, and the page's colour inside it. */
export const doubleWidths = (width: number): { readonly outer: number; readonly core: number } => ({
  outer: width + 2,
  core: Math.max(1.4, width - 1),
});

const UNKNOWN_WIDTH = 1.25;
const WIDTH_PER_DECADE = 0.95;
const COMPACT_SHARE = 0.55;
