// Circular block bootstrap over time (Politis & Romano 1992): whole blocks of a run are resampled, so that
// values which depend on their neighbours, as latencies in a queue do, stay together. It covers the variation
// inside a run, but not between runs. Percentiles of a draw come from counts by rank and time, so that no
// draw sorts anything.

import { seededRandom } from '../random.ts';
import { studentQuantile } from './incomplete-beta.ts';
import { lowerIndex } from './percentile.ts';

/**
 * A run divided into equal slots of time; a block is SLOTS_PER_BLOCK consecutive slots, wrapping at the end
 * of the run.
 */
export interface TimeGrid {
  readonly fromNs: number;
  readonly spanNs: number;
  readonly blocks: number;
  readonly slots: number;
}

/**
 * Blocks are at least as long as requested, and at most BLOCKS_MAX; none fits a run that is shorter than one.
 */
export const timeGrid = ({
  fromNs,
  toNs,
  blockNs,
}: {
  readonly fromNs: number;
  readonly toNs: number;
  readonly blockNs: number;
}): TimeGrid => {
  const spanNs = toNs - fromNs;
  const blocks = Math.min(BLOCKS_MAX, Math.max(0, Math.floor(spanNs / blockNs)));
  return { fromNs, spanNs, blocks, slots: blocks * SLOTS_PER_BLOCK };
};

/** A value at the very end of the run belongs to its last slot. */
export const slotAt = ({ fromNs, spanNs, slots }: TimeGrid, atNs: number): number =>
  Math.max(0, Math.min(slots - 1, Math.floor(((atNs - fromNs) / spanNs) * slots)));

/**
 * The first slots of the blocks of each resample: as many as the run has blocks, one resample after the
 * other.
 */
export const drawnStarts = ({ blocks, slots }: TimeGrid, { seed, resamples }: Draw): Uint32Array => {
  const random = seededRandom(seed);
  return Uint32Array.from({ length: resamples * blocks }, () => random.below(slots));
};

interface Draw {
  readonly seed: number;
  readonly resamples: number;
}

/** For each resample the sum over its slots. */
export const resampledSums = (
  perSlot: ArrayLike<number>,
  { blocks, slots }: TimeGrid,
  starts: Uint32Array,
): Float64Array => {
  const before = new Float64Array(slots + SLOTS_PER_BLOCK + 1);
  for (let slot = 0; slot < slots + SLOTS_PER_BLOCK; slot += 1)
    before[slot + 1] = (before[slot] ?? 0) + (perSlot[slot % slots] ?? 0);
  const sums = new Float64Array(starts.length / blocks);
  for (let index = 0; index < starts.length; index += 1) {
    const start = starts[index] ?? 0;
    const resample = Math.floor(index / blocks);
    sums[resample] = (sums[resample] ?? 0) + (before[start + SLOTS_PER_BLOCK] ?? 0) - (before[start] ?? 0);
  }
  return sums;
};

interface SlottedValues {
  readonly values: Float64Array;
  /** The slot of each value, in the same order. */
  readonly slotOf: ArrayLike<number>;
  /** How many more count as longer than any value: requests that failed. */
  readonly infinitePerSlot: ArrayLike<number>;
}

/**
 * For each resample the percentiles of its values, METRICS §5 "lower"; NaN for a resample without a value.
 */
export const resampledPercentiles = (
  { values, slotOf, infinitePerSlot }: SlottedValues,
  percentiles: readonly number[],
  { grid, starts }: { readonly grid: TimeGrid; readonly starts: Uint32Array },
): readonly Float64Array[] => {
  const infinite = resampledSums(infinitePerSlot, grid, starts);
  const ranks = rankTable(values, slotOf, grid);
  const { blocks } = grid;
  const resamples = starts.length / blocks;
  const found = percentiles.map(() => new Float64Array(resamples));
  for (let resample = 0; resample < resamples; resample += 1) {
    const own = starts.subarray(resample * blocks, (resample + 1) * blocks);
    const finite = countBelow(ranks, ranks.bins, own);
    const count = finite + (infinite[resample] ?? 0);
    for (const [index, percentile] of percentiles.entries()) {
      const into = found[index];
      if (into === undefined) continue;
      const rank = lowerIndex(percentile, count);
      if (count === 0) into[resample] = Number.NaN;
      else into[resample] = rank < finite ? valueAt(ranks, own, rank) : Number.POSITIVE_INFINITY;
    }
  }
  return found;
};

export interface RatioInterval {
  /** For the logarithm of b / a. */
  readonly low: number;
  readonly high: number;
}

/**
 * For log b − log a, from draws of each side. The percentile interval is too narrow for few blocks: it is
 * widened by the ratio of Student's t to the normal distribution, and by √(n / (n − 1)) (Hesterberg 2015,
 * §5.3).
 * @returns undefined if a draw has no logarithm
 */
export const logRatioInterval = ({
  a,
  b,
  estimate,
  blocks,
  confidence,
}: {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly estimate: number;
  /** Number of blocks of the side with fewer. */
  readonly blocks: number;
  readonly confidence: number;
}): RatioInterval | undefined => {
  const draws = Float64Array.from(b, (value, index) => Math.log(value / (a[index] ?? Number.NaN)));
  if (draws.some(draw => !Number.isFinite(draw)) || blocks < 2) return undefined;
  draws.sort();
  const doubt = (1 - confidence) / 2;
  const widening =
    (studentQuantile(1 - doubt, blocks - 1) / studentQuantile(1 - doubt, NEARLY_NORMAL)) *
    Math.sqrt(blocks / (blocks - 1));
  const wide = (share: number): number => estimate + (quantile(draws, share) - estimate) * widening;
  return { low: wide(doubt), high: wide(1 - doubt) };
};

/** Values in ascending bins; how many values of the lower bins are in the slots before each slot. */
interface RankTable {
  readonly bins: number;
  readonly columns: number;
  /**
   * [bin][slot]: number of values in bins below `bin` and in slots before `slot`; the run is repeated once.
   */
  readonly before: Uint32Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

/**
 * One bin per value if they are few; otherwise as many as CELLS_MAX allows, with equal numbers of values.
 */
const rankTable = (values: Float64Array, slotOf: ArrayLike<number>, { slots }: TimeGrid): RankTable => {
  const columns = slots + SLOTS_PER_BLOCK + 1;
  const { lows, highs } = binsOf(values, Math.max(BINS_MIN, Math.floor(CELLS_MAX / columns)));
  const bins = lows.length;
  const before = new Uint32Array((bins + 1) * columns);
  for (let index = 0; index < values.length; index += 1) {
    const cell = (binOf(lows, values[index] ?? 0) + 1) * columns + (slotOf[index] ?? 0) + 1;
    before[cell] = (before[cell] ?? 0) + 1;
  }
  for (let bin = 1; bin <= bins; bin += 1) {
    const row = bin * columns;
    for (let slot = slots; slot < columns - 1; slot += 1)
      before[row + slot + 1] = before[row + slot - slots + 1] ?? 0;
    let along = 0;
    for (let column = 1; column < columns; column += 1) {
      along += before[row + column] ?? 0;
      before[row + column] = along + (before[row - columns + column] ?? 0);
    }
  }
  return { bins, columns, before, lows, highs };
};

const binsOf = (
  values: Float64Array,
  binsMax: number,
): { readonly lows: Float64Array; readonly highs: Float64Array } => {
  const sorted = Float64Array.from(values).sort();
  const step = Math.max(1, sorted.length / binsMax);
  const lows: number[] = [];
  const highs: number[] = [];
  for (let at = 0; at < sorted.length; at += step) {
    const low = sorted[Math.floor(at)] ?? 0;
    const high = sorted[Math.min(sorted.length, Math.ceil(at + step)) - 1] ?? low;
    const last = lows.length - 1;
    if (last >= 0 && low === lows[last]) highs[last] = high;
    else {
      lows.push(low);
      highs.push(high);
    }
  }
  return { lows: Float64Array.from(lows), highs: Float64Array.from(highs) };
};

/** The last bin that starts at or below the value. */
const binOf = (lows: Float64Array, value: number): number => {
  let low = 0;
  let high = lows.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((lows[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
};

const countBelow = ({ before, columns }: RankTable, bin: number, starts: Uint32Array): number => {
  const row = bin * columns;
  let count = 0;
  for (let index = 0; index < starts.length; index += 1) {
    const from = row + (starts[index] ?? 0);
    count += (before[from + SLOTS_PER_BLOCK] ?? 0) - (before[from] ?? 0);
  }
  return count;
};

/** The value of that rank, counted from 0. */
const valueAt = (ranks: RankTable, starts: Uint32Array, rank: number): number => {
  let low = 0;
  let high = ranks.bins;
  let belowLow = 0;
  let belowHigh = Number.POSITIVE_INFINITY;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    const below = countBelow(ranks, middle, starts);
    if (below <= rank) {
      low = middle;
      belowLow = below;
    } else {
      high = middle;
      belowHigh = below;
    }
  }
  const [from, to] = [ranks.lows[low] ?? 0, ranks.highs[low] ?? 0];
  if (from === to) return from;
  const inBin = Math.min(belowHigh, countBelow(ranks, low + 1, starts)) - belowLow;
  return from + ((to - from) * (rank - belowLow + 0.5)) / inBin;
};

/** Interpolates between two draws. */
const quantile = (sorted: Float64Array, share: number): number => {
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  return low + ((sorted[Math.ceil(at)] ?? low) - low) * (at - Math.floor(at));
};

/** A block starts at any of them: a finer grid gains nothing. */
const SLOTS_PER_BLOCK = 8;
/** The blocks of a long run are made longer instead of more, which only helps against dependence. */
const BLOCKS_MAX = 256;
const BINS_MIN = 256;
/** For the table of counts: 16 MiB. */
const CELLS_MAX = 4_194_304;
const NEARLY_NORMAL = 1_000_000;
