// The mean of a series whose values depend on their neighbours, as latencies in a queue do: the spread of the
// means of batches shows how far the overall mean may be off, while the spread of single values gives far too
// small an error.

interface BatchMeans {
  readonly mean: number;
  /** Standard error of the mean, including dependence. */
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  /** How many times larger the variance of the mean is than for independent values; at least 1. */
  readonly inflation: number;
}

/**
 * For values[from..to). Batches are equal; the remainder is left out at the front, where a warm-up may
 * persist. Remaining dependence between batches widens the error by (1 + φ) / (1 − φ), φ their lag-1
 * autocorrelation, corrected for its bias in short series (Marriott & Pope 1954).
 * @returns undefined for fewer than two values per batch.
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
/** As many as give a t quantile near the normal one, each as long as possible. */
const BATCHES_MAX = 16;
/** Above it the series is one long wave, and no factor makes up for that. */
const AUTOCORRELATION_MAX = 0.9;
