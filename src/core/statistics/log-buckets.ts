// The histogram for display: 30 buckets of equal logarithmic width over the observed range.

import type { PlacedValues } from './percentile.ts';

export const LOG_BUCKET_COUNT = 30;

/** [low edge, high edge, count]; the last bucket is closed. */
type LogBucket = readonly [number, number, number];

/**
 * Edges of 30 buckets from max(min, 1) to max, which are exactly the first and the last; two if all values
 * are equal, none if nothing was observed. A narrow range is not padded, because its shape is what matters.
 */
export const logEdges = (
  min: number,
  max: number,
  bucketCount: number = LOG_BUCKET_COUNT,
): readonly number[] => {
  if (!(min <= max)) return [];
  const low = Math.max(min, 1);
  const high = Math.max(max, low);
  if (high === low) return [low, high];
  const step = Math.log(high / low) / bucketCount;
  return Array.from({ length: bucketCount + 1 }, (_, index) => {
    if (index === 0) return low;
    return index === bucketCount ? high : low * Math.exp(step * index);
  });
};

export const logBuckets = (edges: readonly number[], counts: readonly number[]): readonly LogBucket[] =>
  counts.map((count, index) => [edges[index] ?? 0, edges[index + 1] ?? 0, count]);

/**
 * How many values of a series are 0. No logarithmic bucket can hold them, and they are another matter than short ones: of the
 * gaps between chunks they are the chunks that arrived together.
 */
export const zeroCount = ({
  count,
  min,
  histogram,
}: {
  readonly count: number;
  readonly min: number | null;
  readonly histogram: readonly LogBucket[];
}): number => (min === 0 ? count - histogram.reduce((sum, [, , bucketCount]) => sum + bucketCount, 0) : 0);

/**
 * Exact counts of values between edges, without the lowest `leftOut`; values outside go to the first and the
 * last bucket.
 */
export const countBetween = (
  values: PlacedValues,
  edges: readonly number[],
  leftOut: number,
): readonly number[] => {
  const bucketCount = Math.max(0, edges.length - 1);
  let from = leftOut;
  return Array.from({ length: bucketCount }, (_, bucket) => {
    const isLast = bucket === bucketCount - 1;
    const to = isLast ? values.length : Math.max(from, values.countBelow(edges[bucket + 1] ?? 0));
    const count = to - from;
    from = to;
    return count;
  });
};
