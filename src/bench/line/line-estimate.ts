// Where the line probably is, from the measurements of all stages: a straight line through the logarithms of load and
// of measured value ÷ limit, near the point where it crosses 0. It is no evidence, and no verdict is based on it. It
// shows which loads are worth trying, and how far from the line a load can be decided in the remaining time.

import { maximumOf } from '../../core/extremes.ts';
import type { Excess, StageEvidence } from '../../core/sweep/stage.ts';
import type { Look } from './stage-decider.ts';

export const NO_EVIDENCE: StageEvidence = { issued: 0 };

export const evidenceOf = ({ results, growth, issued }: Look): StageEvidence => {
  const [excess] = results
    .map(each => each.excess)
    .filter(each => each !== undefined)
    // A file has no other numbers.
    .filter(each => Object.values(each).every(Number.isFinite))
    .toSorted((a, b) => b.value - a.value);
  return {
    issued,
    ...(excess === undefined ? {} : { excess }),
    ...(growth === undefined ? {} : { growth: growth.perRequest }),
  };
};

interface TriedLoad {
  readonly load: number;
  readonly isOverCapacity: boolean;
  readonly evidence: StageEvidence;
}

export interface LineEstimate {
  readonly load: number;
  /** Standard error of its logarithm. */
  readonly standardError: number;
  /** Number of requests that decide a load at this distance (in logarithms) below the line, or above it. */
  requestsAt(distance: number, side: Side): number;
}

export type Side = 'below' | 'above';

/** The estimate between two loads; undefined if the stages determine none. */
export const lineEstimate = (
  tried: readonly TriedLoad[],
  { low, high }: { readonly low: number; readonly high: number },
): LineEstimate | undefined => {
  const capacity = capacityOf(tried);
  const points = tried.flatMap(({ load, isOverCapacity, evidence: { excess, issued } }) =>
    excess === undefined || isOverCapacity || excess.standardError > ERROR_MAX
      ? []
      : [{ at: Math.log(load), issued, ...excess }],
  );
  const clamped = (at: number): number => Math.min(Math.log(high), Math.max(Math.log(low), at));
  if (points.length === 0) {
    if (capacity === undefined) return undefined;
    return {
      load: Math.exp(clamped(Math.log(capacity.load))),
      standardError: capacity.standardError,
      requestsAt: distance => CAPACITY_REQUESTS / (1 - Math.exp(-distance)) ** 2,
    };
  }
  let at = clamped((Math.log(low) + Math.log(high)) / 2);
  let slope = SLOPE;
  let error = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const fit = fitAround(points, at, slope);
    slope = Math.min(SLOPE_MAX, Math.max(SLOPE_MIN, fit.slope));
    const moved = Math.min(MOVE_MAX, Math.max(-MOVE_MAX, -fit.level / slope));
    at = clamped(at + moved);
    error = fit.error / slope;
  }
  if (capacity !== undefined) at = Math.min(at, Math.max(Math.log(low), Math.log(capacity.load)));
  const spread = spreadAt(at, slope, points);
  return {
    load: Math.exp(at),
    standardError: error,
    requestsAt: (distance, side) =>
      Math.max(
        REQUESTS_LEAST,
        DECIDED[side].factor * spread ** 2 * (slope * distance) ** DECIDED[side].power,
      ),
  };
};

interface Point extends Excess {
  readonly at: number;
  readonly issued: number;
}

/**
 * Spread of one request at the line. The closer a queue is to it, the longer slow requests stay together, so stages
 * below show less of it than there will be, and short ones above show nothing.
 */
const spreadAt = (line: number, slope: number, points: readonly Point[]): number => {
  const reported = points
    .filter(({ at, issued }) => at < line || issued >= SPREAD_ISSUED_MIN)
    .map(({ at, spread }) => Math.log(spread) + SPREAD_SLOPE * slope * Math.max(0, line - at));
  const usual = Math.log(maximumOf(points.map(({ spread }) => spread)));
  return Math.exp(
    reported.length === 0 ? usual : reported.reduce((sum, value) => sum + value, 0) / reported.length,
  );
};

/** Weighted least squares; distant points count less, because the line is straight only nearby. */
const fitAround = (
  points: readonly Point[],
  centre: number,
  slope: number,
): { readonly level: number; readonly slope: number; readonly error: number } => {
  // A prior for the slope, worth one weak point, so that a single stage is informative, too.
  let [weights, sums, squares] = [0, 0, 1 / SLOPE_ERROR ** 2];
  let [values, products] = [0, SLOPE / SLOPE_ERROR ** 2];
  for (const { at, value, standardError } of points) {
    const offset = at - centre;
    const weight = 1 / (standardError ** 2 + (BEND * slope * offset) ** 2 + ERROR_MIN ** 2);
    weights += weight;
    sums += weight * offset;
    squares += weight * offset * offset;
    values += weight * value;
    products += weight * offset * value;
  }
  const determinant = weights * squares - sums * sums;
  return {
    level: (squares * values - sums * products) / determinant,
    slope: (weights * products - sums * values) / determinant,
    error: Math.sqrt(squares / determinant),
  };
};

/** If a queue grows by g per request at a load, 1 − g of the load is served. */
const capacityOf = (
  tried: readonly TriedLoad[],
): { readonly load: number; readonly standardError: number } | undefined => {
  const [lowest] = tried.filter(({ isOverCapacity }) => isOverCapacity).toSorted((a, b) => a.load - b.load);
  const growth = lowest?.evidence.growth;
  if (lowest === undefined || growth === undefined || growth.value >= 1) return undefined;
  return {
    load: lowest.load * (1 - Math.max(0, growth.value)),
    standardError: Math.max(CAPACITY_ERROR, (growth.high - growth.low) / 6),
  };
};

const TURNS = 8;
/** Misses grow by about the tenth power of the load close to where a queue begins to matter. */
const SLOPE = 10;
const SLOPE_ERROR = 8;
const SLOPE_MIN = 1;
const SLOPE_MAX = 60;
const MOVE_MAX = 0.3;
/** Relative change of the slope per unit of distance. */
const BEND = 0.4;
const ERROR_MIN = 0.02;
/** A stage that determines it less precisely than to a factor of 20 only blurs the others. */
const ERROR_MAX = 3;
const SPREAD_ISSUED_MIN = 1_000;
/** Of its logarithm, per unit of slope × distance. */
const SPREAD_SLOPE = 0.3;
/** From queues of 1 to 16 servers: what decided half of the stages at 0.8 to 0.95 and 1.05 to 1.2 of the line. */
const DECIDED = {
  below: { factor: 8, power: -1.75 },
  above: { factor: 5, power: -2.2 },
} as const;
const REQUESTS_LEAST = 100;
/** Requests × distance² until a growing queue is detected, or a stable one has forgotten its start. */
const CAPACITY_REQUESTS = 14;
const CAPACITY_ERROR = 0.02;
