// The mean of a series whose values depend on their neighbours, as latencies behind a queue do: the spread of the means of
// batches tells how far the mean of all may be off, where the spread of single values tells far too little.

interface BatchMeans {
  readonly mean: number;
  /** Standard error of the mean, dependence included. */
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  /** How many times larger the variance of the mean is than it were with independent values; at least 1. */
  readonly inflation: number;
}

/**
 * Of values[from..to). Batches are equal and leave out up to a batch's rest at the front, where a warm-up may linger. What
 * dependence is left between batches widens the error by (1 + φ) / (1 − φ), φ their lag-1 autocorrelation, corrected for its
 * bias in short series (Marriott & Pope 1954).
 * @returns undefined for fewer than two values a batch.
 */
export const batchMeans = (
  values: ArrayLike<number>,
  { from, to }: { readonly from: number; readonly to: number },
): BatchMeans | undefined => {
  const batches = Math.min(BATCHES_MAX, Math.floor((to - from) / 2));
  if (batches < BATCHES_MIN) return undefined;
  const size = Math.floor((to - from) / batches);
  const start = to - size * batches;
  const means = new Float64Array(batches);
  let sum = 0;
  let squares = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    let inBatch = 0;
    const first = start + batch * size;
    for (let index = first; index < first + size; index += 1) {
      const value = values[index] ?? 0;
      inBatch += value;
      squares += value * value;
    }
    means[batch] = inBatch / size;
    sum += inBatch;
  }
  const count = batches * size;
  const mean = sum / count;
  const { variance, autocorrelation } = spreadOf(means, mean);
  const dependence = (1 + autocorrelation) / (1 - autocorrelation);
  const varianceOfMean = (variance / batches) * dependence;
  const independent = Math.max(0, squares / count - mean * mean) / count;
  return {
    mean,
    standardError: Math.sqrt(Math.max(varianceOfMean, independent)),
    degreesOfFreedom: batches - 1,
    inflation: independent > 0 ? Math.max(1, varianceOfMean / independent) : 1,
  };
};

/** Sample variance of batch means, and their lag-1 autocorrelation between 0 and AUTOCORRELATION_MAX. */
const spreadOf = (
  means: Float64Array,
  mean: number,
): { readonly variance: number; readonly autocorrelation: number } => {
  let squares = 0;
  let products = 0;
  let previous = 0;
  for (const batchMean of means) {
    const off = batchMean - mean;
    squares += off * off;
    products += off * previous;
    previous = off;
  }
  if (squares === 0) return { variance: 0, autocorrelation: 0 };
  const seen = products / squares;
  const corrected = seen + (1 + 3 * seen) / means.length;
  return {
    variance: squares / (means.length - 1),
    autocorrelation: Math.min(AUTOCORRELATION_MAX, Math.max(0, corrected)),
  };
};

const BATCHES_MIN = 8;
/** As many as leave a t quantile near the normal one, each as long as possible. */
const BATCHES_MAX = 16;
/** Past it the series is one long wave, and no factor makes up for it. */
const AUTOCORRELATION_MAX = 0.9;
