// The figures of a series of round trips, as a link profile carries them.

import { counted } from '../../core/figure/figure.ts';
import { lowerPercentile, meanAbsoluteDifference } from '../../core/statistics/percentile.ts';
import { type Reported, unknown } from '../../core/unknown.ts';

export interface RoundTripFigures {
  readonly roundTripNsMin: Reported<number>;
  readonly roundTripNsP50: Reported<number>;
  readonly roundTripNsP99: Reported<number>;
  readonly jitterNs: Reported<number>;
  readonly roundTripCount: Reported<number>;
}

/** Round trips in the order they were made. Fewer than ten are not comparable. */
export const roundTripFigures = (roundTripsNs: readonly number[]): RoundTripFigures => {
  if (roundTripsNs.length < ROUND_TRIPS_MIN) {
    return unknownRoundTrips(
      `${counted(roundTripsNs.length, 'round trip')} in the time given, fewer than ${ROUND_TRIPS_MIN}`,
    );
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

const unknownRoundTrips = (reason: string): RoundTripFigures => ({
  roundTripNsMin: unknown(reason),
  roundTripNsP50: unknown(reason),
  roundTripNsP99: unknown(reason),
  jitterNs: unknown(reason),
  roundTripCount: unknown(reason),
});

const ROUND_TRIPS_MIN = 10;
