// What n samples allow one to claim about a tail percentile with 99% confidence: the early-stopping estimate
// of MLPerf inference (rules, appendix "Early stopping criterion"). A p99 of a hundred samples is an
// anecdote, and this detects it.

import { regularisedIncompleteBeta } from './incomplete-beta.ts';
import type { RankedValues } from './percentile.ts';
import { percentileShares } from './share-interval.ts';

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

// Between which values a percentile of few samples is: bounds by order statistics, for numbers of samples
// that are too small for the early-stopping estimate but still informative. 20 requests have a p90 if its
// possible error is given.
export interface TailInterval {
  readonly low: number;
  /** null: not even the greatest sample limits it. */
  readonly high: number | null;
}

/**
 * The ranks of the two bounds, from 0, with 95 % confidence for independent samples (Woodruff 1952);
 * undefined if no interval is needed, or there are too few samples.
 */
export const tailRanks = (
  count: number,
  percentile: number,
): { readonly low: number; readonly high: number | undefined } | undefined => {
  const share = percentile / 100;
  if (hasEnoughFor(percentile, count) || count * (1 - share) < BEYOND_LEAST - ROUNDING) return undefined;
  const { low, high } = percentileShares({ share, of: count, confidence: CONFIDENCE });
  if (low === undefined) return undefined;
  const rankOf = (part: number): number => Math.max(1, Math.ceil(part * count - ROUNDING)) - 1;
  return { low: rankOf(low), high: high === undefined ? undefined : rankOf(high) };
};

export const tailInterval = (sorted: RankedValues, percentile: number): TailInterval | undefined => {
  const ranks = tailRanks(sorted.length, percentile);
  const low = ranks === undefined ? undefined : sorted.at(ranks.low);
  if (ranks === undefined || low === undefined) return undefined;
  return { low, high: ranks.high === undefined ? null : (sorted.at(ranks.high) ?? null) };
};

const CONFIDENCE = 0.95;
/** Two samples above it, so that it is not the slowest of all: 20 for p90, 40 for p95, 200 for p99. */
const BEYOND_LEAST = 2;
const ROUNDING = 1e-9;
