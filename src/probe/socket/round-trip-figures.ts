// The figures of a series of round trips, as a link profile carries them.

import { counted } from '../../core/figure/figure.ts';
import { roundTripEntries } from '../../core/link/link-profile.ts';
import { allUnknown, nonNegative } from '../../core/schema.ts';
import { lowerPercentile, meanAbsoluteDifference } from '../../core/statistics/percentile.ts';
import { unknown } from '../../core/unknown.ts';
import type { LinkMeasurement } from '../probe.ts';

export type RoundTripFigures = Pick<LinkMeasurement, keyof ReturnType<typeof roundTripEntries>>;

/** Round trips in the order they were made. Fewer than ten are not comparable. */
export const roundTripFigures = (roundTripsNs: readonly number[]): RoundTripFigures => {
  if (roundTripsNs.length < ROUND_TRIPS_MIN) {
    const made = counted(roundTripsNs.length, 'round trip');
    const why = unknown(`${made} in the time given, fewer than ${ROUND_TRIPS_MIN}`);
    return allUnknown(roundTripEntries(nonNegative), why);
  }
  const sorted = Float64Array.from(roundTripsNs).sort();
  return {
    roundTripNsMin: lowerPercentile(sorted, 0),
    roundTripNsP50: lowerPercentile(sorted, 50),
    roundTripNsP99: lowerPercentile(sorted, 99),
    jitterNs: Math.round(meanAbsoluteDifference(roundTripsNs) ?? 0),
    roundTripCount: sorted.length,
  };
};

const ROUND_TRIPS_MIN = 10;
