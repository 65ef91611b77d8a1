// What a series of observations that depend on each other states of a share and of a mean, in a fixed amount of memory:
// sums over consecutive batches. Objectives, stages of a load line and comparisons derive their intervals from it.

import { type BatchedRatio, batchedRatio, type RatioBatch } from './batched-ratio.ts';
import { FoldingBatches } from './folding-batches.ts';
import { effectiveCount, fewBatches, shareInterval } from './share-interval.ts';
import type { Runs } from './worst-dependence.ts';

export interface DependentEvidence {
  readonly count: number;
  /** Observations within the limit. */
  readonly good: number;
  /** Observations that cannot be judged. */
  readonly unknown: number;
  /** Good ones of each batch, of those that can be judged. */
  readonly hits: readonly RatioBatch[];
  /** Certain misses of each batch. */
  readonly misses: readonly RatioBatch[];
  /** Runs of consecutive misses. */
  readonly missRuns: Runs;
  /** Values of each batch, for observations that have one. */
  readonly values: readonly RatioBatch[];
  /** Sum of the squares of those values. */
  readonly squares: number;
}

/** Each observation is good, missed or unsaid, and may have a value. */
export class DependentTally {
  readonly #batches = new FoldingBatches(COLUMNS);
  #squares = 0;
  #missRuns = 0;
  #longestRun = 0;
  /** Length of the current run of misses. */
  #run = 0;

  /** Starts one more observation, which the next calls are about. */
  observe(): void {
    this.#batches.observe();
  }

  good(): void {
    this.#batches.add(GOOD, 1);
    this.#run = 0;
  }

  /** It may have been a miss too: a run of misses continues through it, and none starts with it. */
  unsaid(): void {
    this.#batches.add(UNKNOWN, 1);
    if (this.#run > 0) this.#lengthen();
  }

  missed(): void {
    if (this.#run === 0) this.#missRuns += 1;
    this.#lengthen();
  }

  valued(value: number): void {
    this.#batches.add(VALUED, 1);
    this.#batches.add(VALUE, value);
    this.#squares += value ** 2;
  }

  evidence(): DependentEvidence {
    const batches = this.#batches.batches();
    return {
      count: this.#batches.count,
      good: this.#batches.total(GOOD),
      unknown: this.#batches.total(UNKNOWN),
      hits: batches.map(({ count, sums }) => ({
        amount: sums[GOOD] ?? 0,
        size: count - (sums[UNKNOWN] ?? 0),
      })),
      misses: batches.map(({ count, sums }) => ({
        amount: count - (sums[GOOD] ?? 0) - (sums[UNKNOWN] ?? 0),
        size: count,
      })),
      missRuns: { count: this.#missRuns, longest: this.#longestRun },
      values: batches.map(({ sums }) => ({ amount: sums[VALUE] ?? 0, size: sums[VALUED] ?? 0 })),
      squares: this.#squares,
    };
  }

  #lengthen(): void {
    this.#run += 1;
    this.#longestRun = Math.max(this.#longestRun, this.#run);
  }
}

export interface WorthOptions {
  readonly confidence: number;
  /** On the scale of the values: an observation beyond it misses; undefined if values do not decide. */
  readonly limit: number | undefined;
  /** What it would be in a longer series, whose correlation is better known. */
  readonly isLater?: boolean;
}

/**
 * How many independent observations one observation of the share is worth. Misses come in clusters, too few of them to
 * estimate the size of a cluster alone: for p99 at the limit, 1,000 observations with a correlation of 0.9 were
 * reported to meet it in 10 % of runs. All values together show the correlation well, but it is higher than
 * in their tail: the geometric mean of the two. Waves of values that stay far from the limit cause no misses: the clock
 * or the network of a machine that is slower for a while is none of the share.
 */
export const worthOf = (evidence: DependentEvidence, options: WorthOptions): number => {
  const { count, hits, good } = evidence;
  const near = nearness(evidence, options.limit);
  const ofValues = worthOfValues(evidence, later(evidence.values, options), options.confidence) ** near;
  // Observations that are all on one side of the limit show no clusters.
  if (good === 0 || good === count) return ofValues;
  const ofHits = effectiveCount(count, later(hits, options), options.confidence) / count;
  return Math.min(ofHits, Math.sqrt(ofHits * ofValues));
};

/** With its bounds; those that cannot be judged count against each of them. */
export const shareEstimate = (
  { count, good, unknown }: DependentEvidence,
  { worth, confidence }: { readonly worth: number; readonly confidence: number },
): { readonly value: number; readonly low: number; readonly high: number } => {
  const of = count * worth;
  return {
    value: good / count,
    low: shareInterval({ hits: (good / count) * of, of, confidence }).low,
    high: shareInterval({ hits: ((good + unknown) / count) * of, of, confidence }).high,
  };
};

/**
 * The least number of observations above `seen` that decides, if their shares stay as they are; undefined if no number
 * up to OBSERVATIONS_MOST does: the share is at the limit itself.
 */
export const leastDecided = (
  seen: number,
  decides: (observations: number) => boolean,
): number | undefined => {
  let high = seen * 2;
  while (!decides(high)) {
    if (high > OBSERVATIONS_MOST) return undefined;
    high *= 2;
  }
  let low = high / 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (decides(middle)) high = middle;
    else low = middle;
  }
  return Math.ceil(high);
};

export const OBSERVATIONS_MOST = 1e9;

/** 1 if the limit is among the values, falling to 0 with its distance. */
const nearness = ({ values, squares }: DependentEvidence, limit: number | undefined): number => {
  const valued = sizeOf(values);
  if (limit === undefined || valued === 0) return 1;
  const mean = values.reduce((sum, { amount }) => sum + amount, 0) / valued;
  const variance = Math.max(0, squares / valued - mean ** 2);
  return limit <= mean ? 1 : Math.min(1, (FAR ** 2 * variance) / (limit - mean) ** 2);
};

const later = (batches: readonly RatioBatch[], { isLater }: WorthOptions): BatchedRatio | undefined => {
  if (isLater !== true) return batchedRatio(batches);
  const ratio = batchedRatio(batches, -1);
  return ratio === undefined ? ratio : { ...ratio, degreesOfFreedom: LATER_DEGREES };
};

const worthOfValues = (
  { values, squares }: DependentEvidence,
  ratio: BatchedRatio | undefined,
  confidence: number,
): number => {
  const valued = sizeOf(values);
  if (ratio === undefined || ratio.variance <= 0) return 1;
  const independent = (squares / valued - ratio.value ** 2) / valued;
  if (!(independent > 0)) return 1;
  return (
    Math.min(1, independent / ratio.variance) *
    fewBatches({ count: valued, degreesOfFreedom: ratio.degreesOfFreedom, confidence })
  );
};

const sizeOf = (batches: readonly RatioBatch[]): number => batches.reduce((sum, { size }) => sum + size, 0);

/** The value for a long run: half of its 32 to 63 batches. */
export const LATER_DEGREES = 24;
/** Standard deviations: an exponential tail, as waits have, passes them in 1 of 8,000. */
const FAR = 8;
const GOOD = 0;
const UNKNOWN = 1;
const VALUED = 2;
const VALUE = 3;
const COLUMNS = 4;
