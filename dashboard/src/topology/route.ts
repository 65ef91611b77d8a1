// The line of a link: between the centres of two nodes, cut where it leaves each of them, and as wide as what it carries.

import type { Placement } from './arrangement.ts';
import type { Point } from './geometry.ts';
import { clamp, distance, leaving } from './geometry.ts';

export interface LinkRoute {
  readonly p: Point;
  readonly q: Point;
  readonly length: number;
}

const GAP = 5;

/** From the first node to the second. */
export const routeBetween = (a: Placement, b: Placement): LinkRoute => {
  const p = leaving(a, b, a.hull, GAP);
  const q = leaving(b, a, b.hull, GAP);
  return { p, q, length: distance(p, q) };
};

/** By the logarithm of the rate, 1 to 5 px; thinner where many nodes share the map. */
export const strokeWidth = (bitsPerSecond: number | undefined, isFull: boolean): number => {
  const width =
    bitsPerSecond === undefined || bitsPerSecond <= 0
      ? UNKNOWN_WIDTH
      : clamp(UNKNOWN_WIDTH + (Math.log10(bitsPerSecond) - 8) * WIDTH_PER_DECADE, 1, 5);
  return isFull ? width : width * COMPACT_SHARE;
};

/** Two lines for RDMA: an outer one, and the page's colour inside it. */
export const doubleWidths = (
  width: number,
  isFaint = false,
): { readonly outer: number; readonly core: number } =>
  isFaint ? { outer: 3, core: 1.2 } : { outer: width + 2, core: Math.max(1.4, width - 1) };

const UNKNOWN_WIDTH = 1.25;
const WIDTH_PER_DECADE = 0.95;
const COMPACT_SHARE = 0.55;
