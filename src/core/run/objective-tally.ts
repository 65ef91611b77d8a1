// What the ended samples of a run contribute to one objective, in a fixed amount of memory: sums over
// consecutive batches, which show how much the samples are correlated, and a histogram for the interval of a
// percentile.

import type { RatioBatch } from '../statistics/batched-ratio.ts';
import { FoldingBatches } from '../statistics/folding-batches.ts';
import { Histogram } from '../statistics/histogram.ts';
import type { Runs } from '../statistics/worst-dependence.ts';
import { NO_FIGURE } from './event-record.ts';
import { type JudgedObjective, objectiveSeries, type RequestLimit } from './objective.ts';
import type { Outcome } from './outcome.ts';
import type { ObjectiveSeriesKey } from './run-series.ts';

/** NO_FIGURE if the sample has none. */
type ObjectiveFigures = Readonly<Record<ObjectiveSeriesKey | 'outputTokens', number>>;

export interface ObjectiveEvidence {
  /** Samples that count: issued and ended, without those that have no such figure by their nature. */
  readonly count: number;
  /** Samples within the limit; for an error rate, those that did not fail. */
  readonly good: number;
  /** Samples that cannot be judged: stopped with the run, or without usage from the server. */
  readonly unknown: number;
  /** All that ended, including those without such a figure. */
  readonly ended: number;
  /** Good ones of each batch, of those that can be judged. */
  readonly hits: readonly RatioBatch[];
  /** Certain misses of each batch. */
  readonly misses: readonly RatioBatch[];
  /** Runs of consecutive misses. */
  readonly missRuns: Runs;
  /** Values of each batch, for samples that have one; with several limits, those of the first. */
  readonly values: readonly RatioBatch[];
  /** Sum of the squares of those values. */
  readonly squares: number;
  /**
   * The value of this rank from 1, with failures after all values; undefined beyond the values, or if there
   * are none.
   */
  readonly valueAt: (rank: number) => number | undefined;
}

export class ObjectiveTally {
  readonly #limits: readonly TalliedLimit[];
  readonly #isErrorRate: boolean;
  /** Only for values: for a share, an answer without a time per token is a good one. */
  readonly #isOfTpot: boolean;
  readonly #batches = new FoldingBatches(COLUMNS);
  readonly #histogram: Histogram | undefined;
  #squares = 0;
  #ended = 0;
  #missRuns = 0;
  #longestRun = 0;
  /** Length of the current run of misses. */
  #run = 0;

  constructor(objective: JudgedObjective) {
    const isOfValues = objective.kind === 'percentile' || objective.kind === 'mean';
    this.#limits = limitsOf(objective).map(({ name, limitNs }) => ({
      figure: objectiveSeries(name),
      limitNs,
    }));
    this.#isErrorRate = objective.kind === 'error-rate';
    this.#isOfTpot = isOfValues && this.#limits[0]?.figure === 'tpotNs';
    this.#histogram = objective.kind === 'percentile' ? new Histogram(BOUNDS) : undefined;
  }

  /** @param figures undefined for a sample that did not complete, or has contradictory stamps */
  ended(outcome: Outcome, figures: ObjectiveFigures | undefined): void {
    this.#ended += 1;
    // An answer of one token has no time per further token: it can neither miss such a limit nor be counted into a mean.
    if (this.#isOfTpot && figures !== undefined && hasNone('tpotNs', figures)) return;
    this.#batches.observe();
    switch (outcome) {
      case 'completed':
        this.#completed(figures);
        return;
      case 'cancelled':
        this.#unsaid();
        return;
      case 'failed':
        this.#missed();
        return;
      default:
        outcome satisfies never;
    }
  }

  evidence(): ObjectiveEvidence {
    const batches = this.#batches.batches();
    const histogram = this.#histogram;
    return {
      count: this.#batches.count,
      good: this.#batches.total(GOOD),
      unknown: this.#batches.total(UNKNOWN),
      ended: this.#ended,
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
      valueAt: rank => histogram?.valueAtRank(rank),
    };
  }

  #completed(figures: ObjectiveFigures | undefined): void {
    if (this.#isErrorRate) {
      this.#good();
      return;
    }
    if (figures === undefined) {
      this.#unsaid();
      return;
    }
    let isGood = true;
    let isUnknown = false;
    for (const { figure, limitNs } of this.#limits) {
      const value = figures[figure];
      if (value !== NO_FIGURE) isGood &&= value <= limitNs;
      else if (!hasNone(figure, figures)) isUnknown = true;
    }
    const [first] = this.#limits;
    const value = first === undefined ? NO_FIGURE : figures[first.figure];
    if (value !== NO_FIGURE) this.#valued(value);
    if (!isGood) this.#missed();
    else if (isUnknown) this.#unsaid();
    else this.#good();
  }

  #good(): void {
    this.#batches.add(GOOD, 1);
    this.#run = 0;
  }

  /** It may have been a miss too: a run of misses continues through it, and none starts with it. */
  #unsaid(): void {
    this.#batches.add(UNKNOWN, 1);
    if (this.#run > 0) this.#lengthen();
  }

  #missed(): void {
    if (this.#run === 0) this.#missRuns += 1;
    this.#lengthen();
  }

  #lengthen(): void {
    this.#run += 1;
    this.#longestRun = Math.max(this.#longestRun, this.#run);
  }

  #valued(value: number): void {
    this.#batches.add(VALUED, 1);
    this.#batches.add(VALUE, value);
    this.#squares += value ** 2;
    this.#histogram?.record(Math.max(1, value));
  }
}

/** By the key of its figure, so that there is no lookup while samples are counted. */
interface TalliedLimit {
  readonly figure: ObjectiveSeriesKey;
  readonly limitNs: number;
}

const limitsOf = (objective: JudgedObjective): readonly RequestLimit[] => {
  switch (objective.kind) {
    case 'attainment':
      return objective.limits;
    case 'error-rate':
      return [];
    default:
      return [objective];
  }
};

/** Because of the sample's nature, not because it was not reported. */
const hasNone = (figure: ObjectiveSeriesKey, { outputTokens, tpotNs }: ObjectiveFigures): boolean =>
  figure === 'tpotNs' && tpotNs === NO_FIGURE && (outputTokens === 0 || outputTokens === 1);

const GOOD = 0;
const UNKNOWN = 1;
const VALUED = 2;
const VALUE = 3;
const COLUMNS = 4;

/** As for every series of times: 1 ns to 1 h. */
const BOUNDS = { low: 1, high: 3_600_000_000_000 };
