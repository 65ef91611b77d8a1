// A mean or a share over observations that are correlated in time, from sums over consecutive batches of
// them: the ratio estimator of cluster samples (Cochran, Sampling Techniques, §6.3), its variance widened by
// what correlation of the first order is still left between neighbouring batches. A run that is short for its
// queue sees too little of that correlation. Therefore the correlation is raised by its own standard error, and
// the larger of two estimates counts: that of the batches, and that of pairs of them, which shows waves that
// are longer than a batch. A block bootstrap would cost a thousand times as much, and a live view computes
// this five times a second. Decision 18 lists how often such intervals contain the truth.

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
  /** Smallest ratio of a pair of batches: for times in a queue, about the time without waiting. */
  readonly floor: number;
}

/**
 * undefined if fewer than two batches contain an observation.
 * @param errorsMore how many of its standard errors are added to the correlation: 1 for an interval, −1 to
 * guess what more observations would show. The error is √((1 − ρ²)/k) of k batches (Bartlett 1946), upwards with
 * the observed ρ, downwards with 0: of eight values a correlation of 0.9 may be one of 0.5.
 */
export const batchedRatio = (batches: readonly RatioBatch[], errorsMore = 1): BatchedRatio | undefined => {
  const counted = batches.filter(({ size }) => size > 0);
  if (counted.length < 2) return undefined;
  const size = sumOf(counted, batch => batch.size);
  const value = sumOf(counted, batch => batch.amount) / size;
  const pairs = inPairs(counted);
  const fine = dependentSpread(counted, value, errorsMore);
  // A single pair has no spread.
  const coarse = pairs.length < 2 ? fine : dependentSpread(pairs, value, errorsMore);
  return {
    value,
    variance: Math.max(fine.variance, coarse.variance),
    degreesOfFreedom: Math.min(fine.degreesOfFreedom, coarse.degreesOfFreedom),
    floor: pairs.reduce((least, { amount, size: of }) => Math.min(least, amount / of), value),
  };
};

/** Neighbours merged; one without a neighbour is the first, where a warm-up may persist, and is left out. */
const inPairs = (batches: readonly RatioBatch[]): readonly RatioBatch[] =>
  batches.flatMap((batch, at) => {
    const next = batches[at + 1];
    return next === undefined || at % 2 !== batches.length % 2
      ? []
      : [{ amount: batch.amount + next.amount, size: batch.size + next.size }];
  });

interface DependentSpread {
  /** Of the ratio. */
  readonly variance: number;
  readonly degreesOfFreedom: number;
}

const dependentSpread = (
  batches: readonly RatioBatch[],
  value: number,
  errorsMore: number,
): DependentSpread => {
  const count = batches.length;
  const residuals = batches.map(batch => batch.amount - value * batch.size);
  const squares = sumOf(residuals, residual => residual ** 2);
  const seen = neighbourCorrelation(residuals, squares);
  const error = Math.sqrt((errorsMore > 0 ? 1 - seen ** 2 : 1) / count);
  const correlation = Math.min(CORRELATION_HIGHEST, Math.max(0, seen + errorsMore * error));
  const inflation = squares === 0 ? 1 : (1 + correlation) / (1 - correlation);
  const size = sumOf(batches, batch => batch.size);
  return {
    variance: ((count / (count - 1)) * squares * inflation) / size ** 2,
    degreesOfFreedom: Math.max(1, count / inflation - 1),
  };
};

/**
 * From 0 to 1: an estimate from few batches is too low by about (1 + 3ρ)/k (Kendall 1954), which is added.
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
  return Math.min(1, Math.max(0, seen + (1 + 3 * seen) / residuals.length));
};

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

/** Above it the series is one long wave. */
const CORRELATION_HIGHEST = 0.985;
