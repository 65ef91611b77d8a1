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

// How much larger one figure is than another, as the mean of logarithms of ratios with its standard error:
// pairs of segments, or two sets of runs. With logarithms an increase by a factor and its inverse have the
// same size, and latencies are nearly normal.
export interface LogEffect {
  /** Mean of ln(B / A). */
  readonly mean: number;
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  /** Standard deviation of the averaged values. */
  readonly spread: number;
  readonly count: number;
}

/** For at least two logarithms of ratios, one per pair. */
export const pairedEffect = (logRatios: readonly number[]): LogEffect | undefined => {
  const count = logRatios.length;
  if (count < 2) return undefined;
  const mean = logRatios.reduce((sum, value) => sum + value, 0) / count;
  const squares = logRatios.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const spread = Math.sqrt(squares / (count - 1));
  return { mean, spread, count, standardError: spread / Math.sqrt(count), degreesOfFreedom: count - 1 };
};

/** Two-sided, for the ratio itself: it misses the true one with probability `alpha`. */
export const ratioInterval = (
  { mean, standardError, degreesOfFreedom }: LogEffect,
  alpha: number,
): { readonly value: number; readonly low: number; readonly high: number } => {
  const half = standardError === 0 ? 0 : upperStudent(alpha / 2, degreesOfFreedom) * standardError;
  return { value: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
};

/** The probability of an effect at least this large if there is none. */
export const effectChance = ({ mean, standardError, degreesOfFreedom }: LogEffect): number =>
  mean === 0 ? 1 : twoSidedStudent(mean / standardError, degreesOfFreedom);
