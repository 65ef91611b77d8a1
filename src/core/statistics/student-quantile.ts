// Student's t as tests and intervals ask for it: its quantile, kept, because a decider asks for the same few at every look and
// each takes thousands of steps; and the chance of a t at least so far from 0.

import { regularisedIncompleteBeta, studentQuantile } from './incomplete-beta.ts';

/** What a variable with so many degrees of freedom passes with probability `tail`, at most ½. */
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
