// Columns over time as SVG paths. A missing value breaks the line, so that nothing is interpolated.

import { coordinate } from '../text/markup.ts';

/** One value per point in time; null if unknown. */
export type PathColumn = readonly (number | null)[];

export interface PathScale {
  /** The middle of a point; halves are the edges between points. */
  x(index: number): number;
  y(value: number): number;
}

export const columnLine = (values: PathColumn, scale: PathScale): string =>
  spans(values.length, index => isThere(values[index]))
    .map(span => outlined(span, scale, values))
    .join('');

/** The area between two columns. */
export const columnBand = (low: PathColumn, high: PathColumn, scale: PathScale): string =>
  spans(Math.min(low.length, high.length), index => isThere(low[index]) && isThere(high[index]))
    .map(span => `${outlined(span, scale, high)}${outlined(span, scale, low, true)}Z`)
    .join('');

/** The area between a column and 0. */
export const columnArea = (values: PathColumn, scale: PathScale): string =>
  columnBand(
    values.map(value => (isThere(value) ? 0 : null)),
    values,
    scale,
  );

interface Span {
  readonly from: number;
  /** Index of the last point. */
  readonly to: number;
}

const spans = (length: number, isKnown: (index: number) => boolean): readonly Span[] => {
  const found: Span[] = [];
  let from: number | undefined;
  for (let index = 0; index <= length; index += 1) {
    if (index < length && isKnown(index)) from ??= index;
    else if (from !== undefined) {
      found.push({ from, to: index - 1 });
      from = undefined;
    }
  }
  return found;
};

/**
 * Starts with M, or with L when it runs backwards to close a band. A single point is as wide as its step.
 */
const outlined = ({ from, to }: Span, { x, y }: PathScale, values: PathColumn, isBack = false): string => {
  const positions = Array.from(
    { length: to - from + 1 },
    (_, index) => [from + index, from + index] as const,
  );
  const points = (from === to ? [[from - 0.5, from] as const, [from + 0.5, from] as const] : positions).map(
    ([position, index]) => `${coordinate(x(position))} ${coordinate(y(values[index] ?? 0))}`,
  );
  return `${isBack ? 'L' : 'M'}${(isBack ? points.toReversed() : points).join('L')}`;
};

const isThere = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && Number.isFinite(value);
