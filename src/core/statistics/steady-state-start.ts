// Where a series has left its beginning behind: MSER-5 (White 1997). Means of batches of five; the start is cut so that the
// mean of the rest is known best.

/**
 * Of values[0..count): how many to leave out at the front. A minimum in the last half says that no steady state was
 * reached: undefined, and so for fewer than 10 batches.
 */
export const steadyStateStart = (values: ArrayLike<number>, count: number): number | undefined => {
  const batches = Math.floor(count / BATCH_SIZE);
  if (batches < BATCHES_MIN) return undefined;
  let best = Number.POSITIVE_INFINITY;
  let bestAt = 0;
  let kept = 0;
  let sum = 0;
  let squares = 0;
  // From the end, so that each batch is added once.
  for (let batch = batches - 1; batch >= 0; batch -= 1) {
    const mean = batchMean(values, batch);
    kept += 1;
    sum += mean;
    squares += mean * mean;
    if (kept < KEPT_MIN) continue;
    const deviation = Math.max(0, squares - (sum * sum) / kept);
    const score = deviation / (kept * kept);
    // The earliest of equal ones: nothing is left out without a gain.
    if (score <= best) {
      best = score;
      bestAt = batch;
    }
  }
  return bestAt > batches / 2 ? undefined : bestAt * BATCH_SIZE;
};

const batchMean = (values: ArrayLike<number>, batch: number): number => {
  let sum = 0;
  for (let index = batch * BATCH_SIZE; index < (batch + 1) * BATCH_SIZE; index += 1)
    sum += values[index] ?? 0;
  return sum / BATCH_SIZE;
};

const BATCH_SIZE = 5;
const BATCHES_MIN = 10;
/** A few batches at the very end are alike by chance. */
const KEPT_MIN = 5;
