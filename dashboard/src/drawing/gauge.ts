// Geometry of the drawings: every machine is a gauge in a 112 × 84 box, seen from slightly above. Water is load, and the
// water line, the front edge of its surface, is what is read against the mark.

import { SAFE_LOAD } from '../../../src/core/node/memory-use.ts';

export const DRAWING_WIDTH = 112;
export const DRAWING_HEIGHT = 84;

/** A round-cornered box: left edge, width, y of its rim and of its keel, depth of its rim, corner radius. */
export interface GaugeShape {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly bottom: number;
  readonly depth: number;
  readonly radius: number;
}

/** The ring of a surface at height y. */
export const facePath = ({ x, width, depth, radius }: GaugeShape, y: number): string => {
  const [k, c] = corners(radius);
  const right = x + width;
  return (
    `M${x} ${y}C${x} ${f(y - depth)} ${f(x + c)} ${f(y - depth)} ${f(x + k)} ${f(y - depth)}` +
    `H${f(right - k)}C${f(right - c)} ${f(y - depth)} ${right} ${f(y - depth)} ${right} ${y}` +
    `C${right} ${f(y + depth)} ${f(right - c)} ${f(y + depth)} ${f(right - k)} ${f(y + depth)}` +
    `H${f(x + k)}C${f(x + c)} ${f(y + depth)} ${x} ${f(y + depth)} ${x} ${y}Z`
  );
};

/** The wall from height y down to the keel, open above. */
export const sidePath = ({ x, width, bottom, depth, radius }: GaugeShape, y: number): string => {
  const [k, c] = corners(radius);
  const right = x + width;
  const floor = bottom - depth;
  return (
    `M${x} ${y}V${f(floor)}C${x} ${bottom} ${f(x + c)} ${bottom} ${f(x + k)} ${bottom}` +
    `H${f(right - k)}C${f(right - c)} ${bottom} ${right} ${bottom} ${right} ${f(floor)}V${y}`
  );
};

/** The front edge of a surface at height y: the water line. */
export const lipPath = ({ x, width, depth, radius }: GaugeShape, y: number): string => {
  const [k, c] = corners(radius);
  const right = x + width;
  return (
    `M${x} ${y}C${x} ${f(y + depth)} ${f(x + c)} ${f(y + depth)} ${f(x + k)} ${f(y + depth)}` +
    `H${f(right - k)}C${f(right - c)} ${f(y + depth)} ${right} ${f(y + depth)} ${right} ${y}`
  );
};

/** The y coordinate of the surface at a level of 0..1; a trace of water stays visible at 0. */
export const surfaceY = ({ top, bottom, depth }: GaugeShape, level: number): number => {
  const floor = bottom - depth;
  return f(floor + (top - floor) * Math.min(1, Math.max(0.015, level)));
};

/** The y coordinate of the mark on the front: level with a water line at the safe load. */
export const markY = (shape: GaugeShape): number => f(surfaceY(shape, SAFE_LOAD) + shape.depth);

/** Perforations of a front, row by row, every second row set off by half a step. */
export const foam = (x0: number, y0: number, x1: number, y1: number): readonly { x: number; y: number }[] => {
  const dots: { x: number; y: number }[] = [];
  for (let row = 0, y = y0; y <= y1; y += 4.2, row += 1) {
    for (let x = x0 + (row % 2) * 2.4; x <= x1; x += 4.8) dots.push({ x: f(x), y: f(y) });
  }
  return dots;
};

const corners = (radius: number): readonly [number, number] => [radius * 1.7, radius * 0.7];

/** Two decimals are a hundredth of a pixel: more is noise in the document. */
const f = (value: number): number => Math.round(value * 100) / 100;
