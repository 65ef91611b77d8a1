// Exact percentiles over sorted raw values.

import { counted } from '../figure/figure.ts';

/** The default set of METRICS §5, ascending. */
export const DEFAULT_PERCENTILES: readonly number[] = [1, 5, 10, 25, 50, 75, 80, 90, 95, 97, 99, 99.9];

/** Index of a percentile by the "lower" rule: ⌊p/100·(n−1)⌋, in whole numbers so that 99.9 is not 99.90000000000001. */
export const lowerIndex = (percentile: number, count: number): number =>
  Math.floor((Math.round(percentile * 1_000) * (count - 1)) / 100_000);

/**
 * sorted[⌊p/100·(n−1)⌋].
 * @throws RangeError for an empty series or a percentile outside 0..100.
 */
export const lowerPercentile = (sorted: ArrayLike<number>, percentile: number): number => {
  const value = sorted[lowerIndex(percentile, sorted.length)];
  if (value === undefined || !(percentile >= 0 && percentile <= 100)) {
    throw new RangeError(`no percentile ${percentile} of ${counted(sorted.length, 'value')}`);
  }
  return value;
};

/**
 * As `lowerPercentile` over the values and `infiniteCount` more of +∞: the way in which failures are counted
 * in a latency.
 */
export const failureAdjustedPercentile = (
  sorted: RankedValues,
  infiniteCount: number,
  percentile: number,
): number => {
  const count = sorted.length + infiniteCount;
  if (count === 0) throw new RangeError('no percentile without values');
  return sorted.at(lowerIndex(percentile, count)) ?? Number.POSITIVE_INFINITY;
};

/** As NumPy by default: interpolated between the two nearest values; undefined without values. */
export const linearPercentile = (values: RankedValues, percentile: number): number | undefined => {
  const position = (percentile / 100) * (values.length - 1);
  const below = values.at(Math.floor(position));
  if (below === undefined) return undefined;
  const above = values.at(Math.ceil(position)) ?? below;
  return below + (position - Math.floor(position)) * (above - below);
};

// Values by rank, for any way of storing them.

/** Ascending values, as far as they are known. */
export interface RankedValues {
  readonly length: number;
  /** From 0; undefined past the last. */
  at(rank: number): number | undefined;
  /** Announces ranks that will be read: together they cost one reading of all values. */
  prepare?(requested: RequestedPositions): void;
}

/** Also the position of any value among them. */
export interface PlacedValues extends RankedValues {
  /** How many are less than `value`. */
  countBelow(value: number): number;
  prepare(requested: RequestedPositions): void;
}

export interface RequestedPositions {
  readonly ranks?: readonly number[];
  readonly values?: readonly number[];
}

/** @param sorted ascending */
export const placedArray = (sorted: Float64Array): PlacedValues => ({
  length: sorted.length,
  at: rank => sorted[rank],
  countBelow: value => firstAtLeast(sorted, value),
  prepare: () => {},
});

/** The first index of ascending numbers whose number is at least `bound`; their count if there is none. */
export const firstAtLeast = (sorted: ArrayLike<number>, bound: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

// Jitter of a series of round trips: the mean of |Δ| of consecutive values (METRICS §5).

/** In the unit of the values; undefined below two values. */
export const meanAbsoluteDifference = (values: ArrayLike<number>): number | undefined => {
  if (values.length < 2) return undefined;
  let sum = 0;
  for (let index = 1; index < values.length; index += 1) {
    sum += Math.abs((values[index] ?? 0) - (values[index - 1] ?? 0));
  }
  return sum / (values.length - 1);
};
