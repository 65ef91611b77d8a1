// What n samples allow one to claim about a tail percentile with 99% confidence: the early-stopping estimate
// of MLPerf inference (rules, appendix "Early stopping criterion"). A p99 of a hundred samples is an
// anecdote, and this detects it.

import { regularisedIncompleteBeta } from './incomplete-beta.ts';
import type { RankedValues } from './ranked-values.ts';

/** The probability that the claim is wrong. */
const DOUBT = 0.01;

/**
 * The number t such that the t-th highest of n samples bounds the percentile: the largest t with n ≥
 * minpass(t) + t, where minpass(t) is the smallest h with I_p(h, t + 1) < 0.01.
 * @returns 0 if n is too small for any claim.
 */
export const earlyStoppingRank = (count: number, percentile: number): number => {
  const p = percentile / 100;
  if (!(p >= 0.5 && p < 1))
    throw new RangeError(`early stopping is for percentiles from 50 to below 100, not ${percentile}`);
  const isAllowed = (t: number): boolean => isAllowedRank(t, count, p);
  if (!isAllowed(1)) return 0;
  let allowed = 1;
  let refused = count;
  while (refused - allowed > 1) {
    const middle = Math.floor((allowed + refused) / 2);
    if (isAllowed(middle)) allowed = middle;
    else refused = middle;
  }
  return allowed;
};

/**
 * Whether this many samples are enough for a claim about the percentile, with 99 % confidence: the one rule
 * of every view.
 */
export const hasEnoughFor = (percentile: number, count: number): boolean =>
  percentile <= 50 || percentile >= 100 || isAllowedRank(1, count, percentile / 100);

/** The estimate itself: sorted[n − t], or undefined if n is too small. */
export const earlyStoppingEstimate = (sorted: RankedValues, percentile: number): number | undefined => {
  const rank = earlyStoppingRank(sorted.length, percentile);
  return rank === 0 ? undefined : sorted.at(sorted.length - rank);
};

/**
 * I_p(n − t, t + 1) is the probability of at most t values above the percentile among n: it rises with t.
 */
const isAllowedRank = (t: number, count: number, p: number): boolean =>
  count >= 2 && regularisedIncompleteBeta({ x: p, a: count - t, b: t + 1 }) < DOUBT;
