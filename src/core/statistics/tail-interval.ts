// Between which values a percentile of few samples is: bounds by order statistics, for numbers of samples
// that are too small for the early-stopping estimate but still informative. 20 requests have a p90 if its
// possible error is given.

import { hasEnoughFor } from './early-stopping.ts';
import type { RankedValues } from './ranked-values.ts';
import { percentileShares } from './share-interval.ts';

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
