// A mean or a share over observations that are correlated in time, from sums over consecutive batches of
// them: the ratio estimator of cluster samples (Cochran, Sampling Techniques, §6.3), its variance widened by
// what correlation of the first order is still left between neighbouring batches. A block bootstrap would
// give the same at a thousand times the cost, and a live view computes it five times a second.

export interface RatioBatch {
  /** The numerator: a sum of values, or a number of hits. */
  readonly amount: number;
  /** The denominator: the observations of the batch that count. */
  readonly size: number;
}

export interface BatchedRatio {
  readonly value: number;
  readonly variance: number;
  /** For Student's t. */
  readonly degreesOfFreedom: number;
}

/**
 * undefined if fewer than two batches contain an observation.
 * @param errorsLess how many of its standard errors are subtracted from the correlation: 0 for an interval, 1
 * to guess what more of them would show. The error is 1/√k of k batches (Bartlett 1946): of eight values a
 * correlation of 0.9 may be one of 0.5.
 */
export const batchedRatio = (batches: readonly RatioBatch[], errorsLess = 0): BatchedRatio | undefined => {
  const counted = batches.filter(({ size }) => size > 0);
  const size = sumOf(counted, batch => batch.size);
  if (counted.length < 2) return undefined;
  const value = sumOf(counted, batch => batch.amount) / size;
  const residuals = counted.map(batch => batch.amount - value * batch.size);
  const squares = sumOf(residuals, residual => residual ** 2);
  const correlation = Math.max(
    0,
    neighbourCorrelation(residuals, squares) - errorsLess / Math.sqrt(counted.length),
  );
  const inflation = (1 + correlation) / (1 - correlation);
  const degreesOfFreedom = Math.max(1, counted.length / inflation - 1);
  return {
    value,
    variance: ((counted.length / (counted.length - 1)) * squares * inflation) / size ** 2,
    degreesOfFreedom,
  };
};

/**
 * From 0 to 0.95: an estimate from few batches is too low by about (1 + 3ρ)/k (Kendall 1954), which is added.
 */
const neighbourCorrelation = (residuals: readonly number[], squares: number): number => {
  if (squares === 0) return 0;
  let products = 0;
  let previous = 0;
  for (const residual of residuals) {
    products += residual * previous;
    previous = residual;
  }
  const seen = products / squares;
  return Math.min(CORRELATION_HIGHEST, Math.max(0, seen + (1 + 3 * seen) / residuals.length));
};

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

const CORRELATION_HIGHEST = 0.95;
