// From power readings to energy. A reading is the mean of the time since the previous one, as reported by
// energy counters and averaging drivers, so it applies to that time; a silence longer than the sensors' own
// interval is a gap.

import { type Reported, unknown } from '../unknown.ts';

export interface PowerReading {
  readonly atMs: number;
  readonly watts: number;
}

export interface PowerWindow {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface WindowPower {
  /** Number of readings that cover part of it. */
  readonly readings: number;
  readonly coveredShare: number;
  /** A small part of the window may be missing: it is assumed to have had the mean power. */
  readonly joules: Reported<number>;
  readonly wattsMean: Reported<number>;
  readonly wattsMin: Reported<number>;
  readonly wattsMax: Reported<number>;
  /** Many readings, all with the same value. */
  readonly isStuck: boolean;
}

/** Readings oldest first. */
export const powerIn = (readings: readonly PowerReading[], { fromMs, untilMs }: PowerWindow): WindowPower => {
  let [coveredMs, joules, count] = [0, 0, 0];
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [at, { atMs, watts }] of readings.entries()) {
    const previousMs = readings[at - 1]?.atMs ?? Number.NEGATIVE_INFINITY;
    const nextMs = readings[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    const sinceMs = atMs - previousMs > SILENCE_MS_MAX ? atMs - USUAL_MS : previousMs;
    // The last reading before a gap, or before the end, applies for a moment longer.
    const intervalMs = nextMs - atMs > SILENCE_MS_MAX ? atMs + USUAL_MS : atMs;
    const partMs = Math.min(intervalMs, untilMs) - Math.max(sinceMs, fromMs);
    if (partMs <= 0) continue;
    coveredMs += partMs;
    joules += (watts * partMs) / 1_000;
    count += 1;
    min = Math.min(min, watts);
    max = Math.max(max, watts);
  }
  const windowMs = untilMs - fromMs;
  const coveredShare = windowMs <= 0 ? 0 : Math.min(1, coveredMs / windowMs);
  if (coveredShare < COVERED_LEAST) {
    const reason = unknown(count === 0 ? 'no reading' : 'more than half of the readings are missing');
    return {
      readings: count,
      coveredShare,
      joules: reason,
      wattsMean: reason,
      wattsMin: reason,
      wattsMax: reason,
      isStuck: false,
    };
  }
  const wattsMean = (1_000 * joules) / coveredMs;
  return {
    readings: count,
    coveredShare,
    joules: (wattsMean * windowMs) / 1_000,
    wattsMean,
    wattsMin: min,
    wattsMax: max,
    isStuck: count >= STUCK_READINGS && min === max,
  };
};

/** Readings of a second's step may come a second late; three are a gap. */
const SILENCE_MS_MAX = 3_500;
const USUAL_MS = 1_000;
const COVERED_LEAST = 0.5;
/** No device draws the same to the last digit for half a minute of work. */
const STUCK_READINGS = 30;
