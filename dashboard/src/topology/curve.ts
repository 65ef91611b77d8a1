// The course of a line on the map: straight, or bent once (a quadratic Bézier curve) if a straight one would be too
// short to see or would run through another node. Everything placed on a line gets its position here.

import { along, type Box, crosses, distance, type Point } from './geometry.ts';

export interface LinkCurve {
  readonly p: Point;
  readonly q: Point;
  /** The control point of a bent line. */
  readonly bend: Point | undefined;
}

/** At a share of the way, 0 at p, 1 at q. */
export const pointAt = ({ p, q, bend }: LinkCurve, t: number): Point =>
  bend === undefined ? along(p, q, t) : along(along(p, bend, t), along(bend, q, t), t);

/** The direction in which it runs there, of length 1. */
export const directionAt = ({ p, q, bend }: LinkCurve, t: number): Point => {
  const from = bend === undefined ? p : along(p, bend, t);
  const to = bend === undefined ? q : along(bend, q, t);
  const length = Math.max(1e-9, distance(from, to));
  return { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
};

/** Degrees, 0 to the right. */
export const headingAt = (curve: LinkCurve, t: number): number => {
  const { x, y } = directionAt(curve, t);
  return (Math.atan2(y, x) * 180) / Math.PI;
};

/** Points along it, both ends among them: two of a straight line. */
export const samplesOf = (curve: LinkCurve, steps: number = STEPS): readonly Point[] =>
  curve.bend === undefined
    ? [curve.p, curve.q]
    : Array.from({ length: steps + 1 }, (_, index) => pointAt(curve, index / steps));

export const lengthOf = (line: readonly Point[]): number =>
  line.reduce((sum, at, index) => sum + distance(line[index - 1] ?? at, at), 0);

/** Whether a line, as its samples, enters the box widened by the gap. */
export const entersBox = (line: readonly Point[], box: Box, gap = 0): boolean => {
  for (let index = 1; index < line.length; index += 1) {
    const [from, to] = [line[index - 1], line[index]];
    if (from !== undefined && to !== undefined && crosses(box, from, to, gap)) return true;
  }
  return false;
};

/** As SVG draws it: the part from one share of the way to another. */
export const curvePath = (curve: LinkCurve, from = 0, to = 1): string => {
  const [start, end] = [pointAt(curve, from), pointAt(curve, to)];
  const { p, q, bend } = curve;
  if (bend === undefined) return `M${fine(start)}L${fine(end)}`;
  // The control point of a part is where the tangents at its ends meet (the blossom of the curve).
  const middle = along(along(p, bend, from), along(bend, q, from), to);
  return `M${fine(start)}Q${fine(middle)} ${fine(end)}`;
};

const fine = ({ x, y }: Point): string => `${round(x)} ${round(y)}`;

const round = (value: number): number => Math.round(value * 100) / 100;

const STEPS = 12;
