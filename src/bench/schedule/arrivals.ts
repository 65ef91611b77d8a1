// When samples of an open-loop pattern are due, as offsets from the start of the load. Pure and seeded: every load
// thread iterates over the whole schedule and sends its own share, so that the schedule does not depend on the number
// of threads.

import { seededRandom } from '../../core/random.ts';
import type { Arrival, SchedulePattern } from '../../core/run/run-pattern.ts';
import { gammaSampler } from '../../core/statistics/gamma-distribution.ts';
import type { LoadProfile, ProfilePiece } from './load-profile.ts';

export interface Arrivals {
  /** Ascending, whole ns; Infinity once no more will come. */
  nextNs(): number;
}

/** With a varying load its levels are the rates, and the pattern only determines how arrivals are distributed. */
export const arrivals = (pattern: SchedulePattern, seed: number, course?: LoadProfile): Arrivals => {
  const nextUnit = unitArrivals(pattern, seed);
  if (course !== undefined) return profileArrivals(course, nextUnit);
  const meanNs = 1e9 / pattern.requestsPerSecond;
  // Rounded only on output, so that gaps below a nanosecond count too.
  return { nextNs: () => Math.round(nextUnit() * meanNs) };
};

/** Recorded arrivals: Float64, ns, ascending. */
export const recordedArrivals = (timesNs: SharedArrayBuffer): Arrivals => {
  const times = new Float64Array(timesNs);
  let index = 0;
  return { nextNs: () => times[index++] ?? Number.POSITIVE_INFINITY };
};

/** Arrivals of rate 1, in arrivals. */
const unitArrivals = (arrival: Arrival, seed: number): (() => number) => {
  if (arrival.kind === 'constant') {
    // Counted, never added up, so that rounding does not accumulate.
    let index = 0;
    return () => index++;
  }
  const nextGap = unitGaps(arrival, seed);
  let at = 0;
  return () => {
    at += nextGap();
    return at;
  };
};

/** Independent gaps with a mean of 1. */
const unitGaps = (arrival: Exclude<Arrival, { readonly kind: 'constant' }>, seed: number): (() => number) => {
  const random = seededRandom(seed);
  switch (arrival.kind) {
    case 'poisson':
      // The inverse of 1 − e^(−x).
      return () => -Math.log1p(-random.next());
    case 'gamma': {
      const { burstiness } = arrival;
      const next = gammaSampler(burstiness, random);
      return () => next() / burstiness;
    }
    default:
      return arrival satisfies never;
  }
};

/**
 * The time change of a process of rate 1: its arrival at x is due when the integral of the rates reaches x, Λ(t) = x.
 * For Poisson that is a Poisson process with the varying rate (Çinlar 1975), for gamma gaps a rate-modulated renewal
 * process; no thinning, so equal seeds give equal arrivals.
 */
const profileArrivals = ({ pieces }: LoadProfile, nextUnit: () => number): Arrivals => {
  let index = 0;
  let before = 0;
  return {
    nextNs: () => {
      const units = nextUnit();
      for (;;) {
        const piece = pieces[index];
        if (piece === undefined) return behind(pieces.at(-1), units - before);
        const inside = unitsOf(piece);
        if (units - before < inside) return piece.startNs + timeIn(piece, units - before);
        before += inside;
        index += 1;
      }
    },
  };
};

/** Integral of a piece: the area under its line. */
const unitsOf = ({ startNs, endNs, from, to }: ProfilePiece): number =>
  (((from + to) / 2) * (endNs - startNs)) / 1e9;

/**
 * t with from·t + (to − from)·t²/2T = units, in the form that loses no digits when the line is flat or begins at 0.
 */
const timeIn = ({ startNs, endNs, from, to }: ProfilePiece, units: number): number => {
  if (units <= 0) return 0;
  const lengthNs = endNs - startNs;
  const slope = ((to - from) * 1e9) / lengthNs;
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * units));
  return Math.min(lengthNs, Math.round((2e9 * units) / (from + root)));
};

const behind = (last: ProfilePiece | undefined, units: number): number => {
  if (last === undefined || last.to === 0) return Number.POSITIVE_INFINITY;
  return last.endNs + Math.round((units * 1e9) / last.to);
};

/**
 * How arrivals, connections and users are distributed over the agents of a run and over load threads: in rotation, so
 * that the shares differ by one at most.
 */
export interface Share {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

/** Share of a run on one machine. */
export const WHOLE_LOAD: Share = { index: 0, of: 1 };

/**
 * A share of a share: agent j of n has each item i ≡ j (mod n), and its thread t of T each one ≡ j + n·t (mod n·T).
 * That is exact also if agents differ in their number of threads.
 */
export const shareWithin = (outer: Share, inner: Share): Share => ({
  index: outer.index + outer.of * inner.index,
  of: outer.of * inner.of,
});

/** How many of `total` items a share has; all shares add up to `total`. */
export const shareOf = (total: number, { index, of }: Share): number =>
  Math.floor(total / of) + (index < total % of ? 1 : 0);
