// Smooth lines through points: cubic pieces that never rise above or fall below the points they join (Fritsch and Carlson,
// SIAM J. Numer. Anal. 17, 1980), so that a curve shows no value that was not measured.

import { coordinate } from '../text/markup.ts';

export type ChartPoint = readonly [x: number, y: number];

/** "M…C…" through points of rising x; '' if there are none. A single point gives a short level line. */
export const smoothLine = (points: readonly ChartPoint[]): string => {
  const [first] = points;
  if (first === undefined) return '';
  if (points.length === 1)
    return `M${at([first[0] - ALONE_PX, first[1]])}L${at([first[0] + ALONE_PX, first[1]])}`;
  return `M${at(first)}${pieces(points, tangents(points))}`;
};

/** The area between two lines over the same x. */
export const smoothBand = (low: readonly ChartPoint[], high: readonly ChartPoint[]): string => {
  const last = low.at(-1);
  if (last === undefined || low.length < 2) return '';
  const back = low.toReversed();
  return `${smoothLine(high)}L${at(last)}${pieces(back, tangents(low).toReversed())}Z`;
};

/** @param slopes dy/dx at each point; x may rise or fall */
const pieces = (points: readonly ChartPoint[], slopes: readonly number[]): string =>
  points
    .slice(1)
    .map((to, index) => {
      const from = points[index] ?? to;
      const third = (to[0] - from[0]) / 3;
      const leave: ChartPoint = [from[0] + third, from[1] + (slopes[index] ?? 0) * third];
      const arrive: ChartPoint = [to[0] - third, to[1] - (slopes[index + 1] ?? 0) * third];
      return `C${at(leave)} ${at(arrive)} ${at(to)}`;
    })
    .join('');

const tangents = (points: readonly ChartPoint[]): readonly number[] => {
  const secants = points.slice(1).map(([x, y], index) => {
    const [fromX, fromY] = points[index] ?? [x, y];
    return x === fromX ? 0 : (y - fromY) / (x - fromX);
  });
  return points.map((_, index) => {
    const before = secants[index - 1] ?? secants[index] ?? 0;
    const after = secants[index] ?? before;
    if (before * after <= 0) return 0;
    // The harmonic mean is within three times the smaller of the two, which is what keeps a piece monotone.
    return (2 * before * after) / (before + after);
  });
};

const at = ([x, y]: ChartPoint): string => `${coordinate(x)} ${coordinate(y)}`;

const ALONE_PX = 6;
