// Bounds for the mean of a series whose dependence between values is unknown: they are valid for the worst
// dependence inside a block, so that a clear case is decided even if an estimate of the dependence leaves
// nothing known. With a growing queue all values are one long wave, which is worth a single independent
// value, and yet nearly all of them miss.

import type { RatioBatch } from './batched-ratio.ts';
import { sideOfShare } from './share-interval.ts';

/** How hits of one kind, such as misses of a limit, follow each other. */
export interface Runs {
  /** Number of uninterrupted runs. */
  readonly count: number;
  /** Observations of the longest run. */
  readonly longest: number;
}

/**
 * Whether the true mean of non-negative values is above `limit`, wrong with a probability of at most `doubt`
 * if consecutive blocks are independent. No distribution is assumed, and no independence in a block: if the
 * mean were within the limit, that of a block would be c times the limit with a probability of at most 1/c
 * (Markov's inequality). Block mean ÷ limit is therefore an e-value, so is the product over the blocks, and
 * it reaches 1/doubt with a probability of at most `doubt` (Vovk and Wang, Annals of Statistics 49, 2021).
 * For a share at a limit of one half it is the sign test: every block of log2(1/doubt) must miss. As few
 * blocks as can decide, so that each is as long as possible: 2 for 10 %, 6 for 50 %. On simulated queues up
 * to a utilisation of 0.95 that start empty, as a run does, and on correlations of up to 0.97, at most 2.5 %
 * were wrong (its test). A queue that was full before, and needs longer than the run to empty, cannot be
 * distinguished from one that stays full.
 * @param largest possible value; undefined without a limit
 */
export const isMeanOver = ({
  batches,
  limit,
  largest,
  doubt,
}: {
  readonly batches: readonly RatioBatch[];
  readonly limit: number;
  readonly largest: number | undefined;
  readonly doubt: number;
}): boolean => {
  if (!(limit > 0)) return false;
  const blocks =
    largest === undefined
      ? UNBOUNDED_BLOCKS
      : Math.ceil(Math.log(1 / doubt) / Math.log(largest / limit) - ROUNDING);
  const size = sizeOf(batches);
  // A limit near the largest value would need an infinite number of blocks, or none of them could exceed it.
  if (!(blocks >= 1 && SIZE_LEAST * blocks ** 2 <= size)) return false;
  return (
    blocksOf(batches, blocks).reduce(
      (evidence, block) => evidence * (block.amount / block.size / limit),
      1,
    ) >=
    1 / doubt
  );
};

/**
 * On which side of `share` the share of hits is, if misses come in runs: blocks twice as long as the longest
 * run of misses, each of which counts as one observation, by the exact bounds of Clopper and Pearson. With
 * fewer than eight runs it is unknown how long the longest can be. On simulated queues and correlations of 0
 * to 0.97 each side was wrong in at most 2.5 %.
 */
export const sideOfBlocks = ({
  hits,
  of,
  misses,
  share,
  confidence,
}: {
  readonly hits: number;
  readonly of: number;
  readonly misses: Runs;
  readonly share: number;
  readonly confidence: number;
}): 'above' | 'below' | 'unsure' => {
  if (misses.count < RUNS_LEAST) return 'unsure';
  const blocks = of / (2 * misses.longest);
  return sideOfShare({ hits: (hits / of) * blocks, of: blocks, share, confidence });
};

/** Consecutive batches combined into this many blocks of nearly one size. */
const blocksOf = (batches: readonly RatioBatch[], count: number): readonly RatioBatch[] => {
  const size = sizeOf(batches);
  const sums = Array.from({ length: count }, () => ({ amount: 0, size: 0 }));
  let before = 0;
  for (const batch of batches) {
    // By the middle of the batch.
    const block = sums[Math.min(count - 1, Math.floor(((before + batch.size / 2) * count) / size))];
    before += batch.size;
    if (block === undefined) continue;
    block.amount += batch.amount;
    block.size += batch.size;
  }
  return sums.map(block => (block.size === 0 ? { amount: 0, size: 1 } : block));
};

const sizeOf = (batches: readonly RatioBatch[]): number => batches.reduce((sum, { size }) => sum + size, 0);

/** For means without a limit: one block may have any excess by chance, three hardly. */
const UNBOUNDED_BLOCKS = 3;
/**
 * For one block; for several, this many times the number of blocks in each, because a queue that grows
 * through all of them is one event.
 */
const SIZE_LEAST = 20;
const RUNS_LEAST = 8;
const ROUNDING = 1e-9;
