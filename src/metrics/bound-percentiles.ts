// Bounds of percentiles (docs/metrics.md, "Error bounds"). If each true value is at least `least` minus a lag, except
// for so many that may be greater, the true value of rank k is at least that of rank k − so many, minus the lag: the
// tightest of the ways is used.

import type { ErrorBound, SeriesErrorBound } from '../core/run/event-record.ts';
import { lowerIndex, type RankedValues } from '../core/statistics/percentile.ts';

/**
 * Lower limits of the values, upper limits, or both, each sorted separately, except for a lag that some values
 * exceed.
 */
export interface BoundedValues {
  readonly least?: RankedValues;
  readonly most?: RankedValues;
  readonly lags: readonly SparingLag[];
}

export interface SparingLag {
  /** Number of values that may exceed it. */
  readonly spared: number;
  readonly lagNs: number;
}

/** Each of `ways` is a bound by itself; without an upper limit, the measured values are it. */
export const boundPercentiles = (
  measured: RankedValues,
  ways: readonly BoundedValues[],
  percentiles: readonly number[],
): SeriesErrorBound['percentiles'] => {
  const requested = percentiles.map(p => lowerIndex(p, measured.length));
  for (const { least, most, lags } of ways) {
    least?.prepare?.({ ranks: requested.flatMap(rank => lags.map(({ spared }) => rank - spared)) });
    most?.prepare?.({ ranks: requested.flatMap(rank => lags.map(({ spared }) => rank + spared)) });
  }
  return Object.fromEntries(percentiles.map(p => [String(p), boundOne(measured, ways, p)]));
};

export const roundedBound = ({ above, below }: ErrorBound): ErrorBound => ({
  above: Math.max(0, Math.ceil(above)),
  below: Math.max(0, Math.ceil(below)),
});

const boundOne = (measured: RankedValues, ways: readonly BoundedValues[], percentile: number): ErrorBound => {
  const rank = lowerIndex(percentile, measured.length);
  const value = measured.at(rank) ?? 0;
  const isTwoSided = ways.some(({ most }) => most !== undefined);
  // No time is below 0, nor longer than the longest by more than the greatest lag.
  let [above, below] = [value, isTwoSided ? Number.POSITIVE_INFINITY : 0];
  for (const { least, most, lags } of ways) {
    for (const { spared, lagNs } of lags) {
      const low = rank < spared ? undefined : least?.at(rank - spared);
      if (low !== undefined) above = Math.min(above, value - low + lagNs);
      const high = most?.at(Math.min(rank + spared, measured.length - 1));
      if (high !== undefined && (spared === 0 || rank + spared < measured.length))
        below = Math.min(below, high - value + lagNs);
    }
  }
  return roundedBound({ above, below: Number.isFinite(below) ? below : value });
};
