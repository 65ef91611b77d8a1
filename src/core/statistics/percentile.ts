// Exact percentiles over sorted raw values.

import { counted } from '../figure/figure.ts';
import type { RankedValues } from './ranked-values.ts';

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
