// Points and boxes on the map, in CSS pixels.

import { maximumOf } from '../../../src/core/extremes.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface MapFrame {
  readonly width: number;
  readonly height: number;
}

export const boxAround = ({ x, y }: Point, { width, height }: MapFrame): Box => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});

/** Whether two boxes meet, or come nearer than the gap. */
export const meet = (a: Box, b: Box, gap = 0): boolean =>
  a.x < b.x + b.width + gap &&
  b.x < a.x + a.width + gap &&
  a.y < b.y + b.height + gap &&
  b.y < a.y + a.height + gap;

export const along = (p: Point, q: Point, t: number): Point => ({
  x: p.x + (q.x - p.x) * t,
  y: p.y + (q.y - p.y) * t,
});

export const distance = (p: Point, q: Point): number => Math.hypot(q.x - p.x, q.y - p.y);

/** Whether the segment from p to q enters the box widened by the gap. */
export const crosses = (box: Box, p: Point, q: Point, gap = 0): boolean =>
  crossing(box, { p, q, end: 1 }, gap) !== undefined;

/** Where the line from a point inside a shape of several boxes towards another point leaves the shape widened by the gap. */
export const leaving = (from: Point, to: Point, shape: readonly Box[], gap: number): Point => {
  const ends = shape.map(
    box => crossing(box, { p: from, q: to, end: Number.POSITIVE_INFINITY }, gap)?.[1] ?? 0,
  );
  const t = maximumOf(ends);
  return Number.isFinite(t) ? along(from, to, t) : from;
};

/** From which share of the way to which a line runs through a box widened by the gap (Liang and Barsky's clipping). */
const crossing = (
  box: Box,
  { p, q, end }: { readonly p: Point; readonly q: Point; readonly end: number },
  gap: number,
): readonly [number, number] | undefined => {
  let low = 0;
  let high = end;
  const clip = (delta: number, near: number, far: number): boolean => {
    if (Math.abs(delta) < 1e-9) return near <= 0 && far >= 0;
    const [from, to] = delta > 0 ? [near / delta, far / delta] : [far / delta, near / delta];
    low = Math.max(low, from);
    high = Math.min(high, to);
    return low <= high;
  };
  const isCrossed =
    clip(q.x - p.x, box.x - gap - p.x, box.x + box.width + gap - p.x) &&
    clip(q.y - p.y, box.y - gap - p.y, box.y + box.height + gap - p.y);
  return isCrossed ? [low, high] : undefined;
};

/** How far a point is from the segment from p to q. */
export const distanceTo = (at: Point, p: Point, q: Point): number => {
  const dx = q.x - p.x;
  const dy = q.y - p.y;
  const square = dx * dx + dy * dy;
  const t = square === 0 ? 0 : Math.min(1, Math.max(0, ((at.x - p.x) * dx + (at.y - p.y) * dy) / square));
  return Math.hypot(at.x - p.x - t * dx, at.y - p.y - t * dy);
};

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));
