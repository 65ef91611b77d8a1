// Where a series has settled after its start: MSER-5 (White 1997). Means of batches of five; the start is cut
// so that the mean of the rest has the smallest error.

/**
 * How many of values[0..count) to leave out at the front, at most about half. undefined if no steady state
 * was reached, and for fewer than 10 batches.
 */
export const steadyStateStart = (values: ArrayLike<number>, count: number): number | undefined => {
  const batches = Math.floor(count / BATCH_SIZE);
  if (batches < BATCHES_MIN) return undefined;
  const means = Float64Array.from({ length: batches }, (_, batch) => batchMean(values, batch));
  const latest = Math.floor(batches * CUT_MAX);
  let cut: Cut | undefined;
  let late: Cut | undefined;
  let [kept, sum, squares] = [0, 0, 0];
  // From the end, so that each batch is added once.
  for (let at = batches - 1; at >= 0; at -= 1) {
    const mean = means[at] ?? 0;
    kept += 1;
    sum += mean;
    squares += mean * mean;
    if (kept < KEPT_MIN) continue;
    const score = Math.max(0, squares - (sum * sum) / kept) / (kept * kept);
    // The earliest of equal ones: nothing is left out without a gain.
    if (at > latest) {
      if (late === undefined || score <= late.score) late = { at, score };
    } else if (cut === undefined || score <= cut.score) cut = { at, score };
  }
  if (cut === undefined || cut.at >= latest) return undefined;
  // A minimum after the middle is not a steady state, unless the end is only quiet: if requests seldom wait,
  // the last few all take the same time by chance.
  return late !== undefined && late.score < cut.score && isElsewhere(means, late.at)
    ? undefined
    : cut.at * BATCH_SIZE;
};

interface Cut {
  readonly at: number;
  readonly score: number;
}

/**
 * Whether the batches from there on have another level than the previous ones, by the spread of the latter.
 */
const isElsewhere = (means: Float64Array, from: number): boolean => {
  const before = levelOf(means.subarray(0, from));
  return Math.abs(levelOf(means.subarray(from)).mean - before.mean) > ELSEWHERE * before.deviation;
};

const levelOf = (means: Float64Array): { readonly mean: number; readonly deviation: number } => {
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
  const squares = means.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / means.length) };
};

const batchMean = (values: ArrayLike<number>, batch: number): number => {
  let sum = 0;
  for (let index = batch * BATCH_SIZE; index < (batch + 1) * BATCH_SIZE; index += 1)
    sum += values[index] ?? 0;
  return sum / BATCH_SIZE;
};

const BATCH_SIZE = 5;
const BATCHES_MIN = 10;
/** Share of all batches: a series that is cut there is still changing at the middle. */
const CUT_MAX = 0.5;
/** Standard deviations of the previous batches: a queue that is empty at the end is one below its mean. */
const ELSEWHERE = 2;
/** A few batches at the very end are equal by chance. */
const KEPT_MIN = 5;
