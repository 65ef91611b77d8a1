// The interval of a mean of times in a queue. The wait is inversely proportional to the capacity that is left,
// and chance acts on that remainder: an interval of 1 / wait is symmetric, one of the wait is not. A run whose
// waves are about as long as the run itself cannot show how long they are, so its mean has no interval.

import type { BatchedRatio } from './batched-ratio.ts';
import { studentQuantile } from './incomplete-beta.ts';

export type MeanInterval =
  | { readonly kind: 'known'; readonly low: number; readonly high: number }
  /**
   * Too few independent stretches; about `times` as many values would have enough. The mean is hardly above
   * `most`, ten times the wait that was seen.
   */
  | { readonly kind: 'too-short'; readonly times: number; readonly most: number };

/** @param ratio a mean of values of at least 0, from batches */
export const meanInterval = (
  { value, variance, degreesOfFreedom, floor }: BatchedRatio,
  confidence: number,
): MeanInterval => {
  const quantile = (degrees: number): number => studentQuantile((1 + confidence) / 2, degrees);
  const margin = quantile(degreesOfFreedom) * Math.sqrt(variance);
  const resolution = RESOLUTION * value;
  const wait = value - floor;
  const doubt = margin / wait;
  if (margin > NARROW * value && (degreesOfFreedom < DEGREES_LEAST || doubt >= DOUBT_MOST))
    return {
      kind: 'too-short',
      times: Math.max(
        (DEGREES_LEAST + 1) / (degreesOfFreedom + 1),
        ((doubt / DOUBT_MOST) * (quantile(DEGREES_LEAST) / quantile(degreesOfFreedom))) ** 2,
      ),
      most: floor + wait / (1 - DOUBT_MOST),
    };
  // Without any wait there is no margin either.
  const part = wait > 0 ? Math.min(doubt, DOUBT_MOST) : 0;
  return {
    kind: 'known',
    low: Math.max(0, Math.min(value - resolution, floor + wait / (1 + part))),
    high: Math.max(value + resolution, floor + wait / (1 - part)),
  };
};

/** Fewer stretches than about this many show neither how long they are nor the longest of them. */
const DEGREES_LEAST = 6;
/** Margin ÷ wait: near 1 the interval has no upper end. */
const DOUBT_MOST = 0.9;
/** Of the mean: so narrow a margin is right within a small multiple, even if it is poorly known. */
const NARROW = 0.01;
/** Of the mean: the resolution of a histogram (METRICS), below which no interval is stated. */
const RESOLUTION = 0.001;
