// Student's quantile, kept: a decider asks for the same few at every look, and each takes thousands of steps.

import { studentQuantile } from '../../core/statistics/incomplete-beta.ts';

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

const KNOWN: Map<string, number> = new Map();
const KNOWN_MAX = 1_024;
