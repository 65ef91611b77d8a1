// Bounds of percentiles (docs/metrics.md, "Error bounds"). Where each true value is at least `least`, but for a lag that at most j of
// them pass, the true value of rank k is at least that of rank k − j, less the lag: whichever j tells most is taken.

import type { ErrorBound, SeriesErrorBound } from '../core/run/error-bound.ts';
import { lowerIndex } from '../core/statistics/percentile.ts';

/** Ascending values, as far as they are known. */
export interface RankedValues {
  readonly length: number;
  /** From 0. */
  at(rank: number): number | undefined;
}

export interface BoundedValues {
  readonly measured: RankedValues;
  /** Of each value what it may be at the least. */
  readonly least: RankedValues;
  /** … and at the most; undefined: what was measured. */
  readonly most: RankedValues | undefined;
  /** A lag that at most so many of the values pass, ns. */
  lagMaxNs(spared: number): number;
  /** Ranks that one spared value costs: 2 where two lags come together. */
  readonly ranksPerSpared: 1 | 2;
  readonly mean: ErrorBound;
}

export const boundPercentiles = (
  values: BoundedValues,
  percentiles: readonly number[],
): SeriesErrorBound => ({
  mean: rounded(values.mean),
  percentiles: Object.fromEntries(percentiles.map(p => [String(p), rounded(boundOne(values, p))])),
});

const boundOne = (values: BoundedValues, percentile: number): ErrorBound => {
  const { measured, least, most, ranksPerSpared } = values;
  const count = measured.length;
  const rank = lowerIndex(percentile, count);
  const value = measured.at(rank) ?? 0;
  let [above, below] = [value, most === undefined ? 0 : Number.POSITIVE_INFINITY];
  for (const spared of sparedCounts(count)) {
    const lagNs = values.lagMaxNs(spared);
    const low = least.at(rank - spared * ranksPerSpared);
    if (low !== undefined) above = Math.min(above, value - low + lagNs);
    const high = most?.at(rank + spared * ranksPerSpared);
    if (high !== undefined) below = Math.min(below, high - value + lagNs);
  }
  return { above, below };
};

/** Of so many values those that are worth a try. */
const sparedCounts = (count: number): ReadonlySet<number> =>
  new Set(SPARED_PARTS.map(part => Math.ceil(part * count)));

const rounded = ({ above, below }: ErrorBound): ErrorBound => ({
  above: Math.max(0, Math.ceil(above)),
  below: Math.max(0, Math.ceil(below)),
});

const SPARED_PARTS: readonly number[] = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3];
