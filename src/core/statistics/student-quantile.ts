// Student's t for tests and intervals: its quantile, cached, because a decider needs the same few at every
// look and each takes thousands of steps; and the probability of a t at least this far from 0.

import { regularisedIncompleteBeta, studentQuantile } from './incomplete-beta.ts';

/**
 * The value that a variable with this many degrees of freedom exceeds with probability `tail`, at most ½.
 */
export const upperStudent = (tail: number, degreesOfFreedom: number): number => {
  const key = `${tail} ${degreesOfFreedom}`;
  const known = KNOWN.get(key);
  if (known !== undefined) return known;
  if (KNOWN.size >= KNOWN_MAX) KNOWN.clear();
  const quantile = studentQuantile(1 - tail, degreesOfFreedom);
  KNOWN.set(key, quantile);
  return quantile;
};

/** P(|T| ≥ |t|): Abramowitz and Stegun 26.7.1. */
export const twoSidedStudent = (t: number, degreesOfFreedom: number): number =>
  Number.isFinite(t)
    ? regularisedIncompleteBeta({
        x: degreesOfFreedom / (degreesOfFreedom + t * t),
        a: degreesOfFreedom / 2,
        b: 0.5,
      })
    : 0;

const KNOWN: Map<string, number> = new Map();
const KNOWN_MAX = 1_024;
