// Confidence bounds for the true share behind a share of observations: the exact binomial bounds of Clopper
// and Pearson (1934), over the number of independent observations that correlated ones are worth (Korn and
// Graubard, Survey Methodology 24, 1998). Wilson's interval is narrower, but its coverage falls below the
// stated one for shares near 0 and 1, which objectives are about. The bounds of an order statistic are the
// same beta quantiles, inverted.

import type { BatchedRatio } from './batched-ratio.ts';
import { betaQuantile, regularisedIncompleteBeta } from './incomplete-beta.ts';
import { upperStudent } from './student-quantile.ts';

interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/** Two-sided: each bound is wrong with a chance of at most (1 − confidence) / 2. `hits` and `of` need not be whole. */
export const shareInterval = ({
  hits,
  of,
  confidence,
}: {
  readonly hits: number;
  readonly of: number;
  readonly confidence: number;
}): ShareInterval => {
  const doubt = (1 - confidence) / 2;
  return {
    low: hits <= 0 ? 0 : betaQuantile({ share: doubt, a: hits, b: of - hits + 1 }),
    high: hits >= of ? 1 : betaQuantile({ share: 1 - doubt, a: hits + 1, b: of - hits }),
  };
};

/** Whether the bounds of the share are on one side of `share`, without computing them. */
export const sideOfShare = ({
  hits,
  of,
  share,
  confidence,
}: {
  readonly hits: number;
  readonly of: number;
  readonly share: number;
  readonly confidence: number;
}): 'above' | 'below' | 'unsure' => {
  const doubt = (1 - confidence) / 2;
  // The probability of at least this many hits if the share is the given one; then of at most this many.
  if (hits > 0 && regularisedIncompleteBeta({ x: share, a: hits, b: of - hits + 1 }) <= doubt) return 'above';
  if (hits < of && regularisedIncompleteBeta({ x: share, a: hits + 1, b: of - hits }) >= 1 - doubt)
    return 'below';
  return 'unsure';
};

/**
 * Shares of the sorted observations that enclose the percentile: bounds by order statistics (Woodruff 1952).
 * `high` is undefined while `of` is so small that not even the greatest observation limits it; `low`
 * accordingly.
 */
export const percentileShares = ({
  share,
  of,
  confidence,
}: {
  readonly share: number;
  readonly of: number;
  readonly confidence: number;
}): { readonly low: number | undefined; readonly high: number | undefined } => {
  const doubt = (1 - confidence) / 2;
  const atLeast = (hits: number): number =>
    hits <= 0 ? 1 : regularisedIncompleteBeta({ x: share, a: hits, b: of - hits + 1 });
  const atMost = (hits: number): number =>
    hits >= of ? 1 : 1 - regularisedIncompleteBeta({ x: share, a: hits + 1, b: of - hits });
  return {
    low: atMost(0) > doubt ? undefined : falling(hits => doubt - atMost(hits), of) / of,
    high: atLeast(of) > doubt ? undefined : falling(hits => atLeast(hits) - doubt, of) / of,
  };
};

/**
 * How many independent observations the correlated ones are worth: those with the same variance of their
 * share, fewer still because that variance is itself an estimate from few batches.
 * @param count of the observations
 * @param ratio of hits to observations, from batches; undefined if there are too few of them
 */
export const effectiveCount = (
  count: number,
  ratio: BatchedRatio | undefined,
  confidence: number,
): number => {
  if (ratio === undefined) return count;
  const { value, variance, degreesOfFreedom } = ratio;
  const independent = value * (1 - value);
  // If all or none are hits, their clustering is not visible.
  if (independent <= 0 || variance <= 0) return count;
  return Math.max(
    1,
    Math.min(count, independent / variance) * fewBatches({ count, degreesOfFreedom, confidence }),
  );
};

/** Korn and Graubard's factor: the cost of Student's t with few degrees of freedom, in observations. */
export const fewBatches = ({
  count,
  degreesOfFreedom,
  confidence,
}: {
  readonly count: number;
  readonly degreesOfFreedom: number;
  readonly confidence: number;
}): number => {
  const doubt = (1 - confidence) / 2;
  return (upperStudent(doubt, Math.max(1, count - 1)) / upperStudent(doubt, degreesOfFreedom)) ** 2;
};

/** The last argument from 0 to `most` at which a falling function is not negative. */
const falling = (of: (argument: number) => number, most: number): number => {
  let low = 0;
  let high = most;
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (of(middle) >= 0) low = middle;
    else high = middle;
  }
  return high;
};

const HALVINGS = 50;
