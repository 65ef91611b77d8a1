// What the ended samples of a run contribute to one objective, in a fixed amount of memory: sums over
// consecutive batches, which show how much the samples are correlated, and a histogram for the interval of a
// percentile.

import { type DependentEvidence, DependentTally } from '../statistics/dependent-evidence.ts';
import { Histogram } from '../statistics/histogram.ts';
import { NO_FIGURE } from './event-record.ts';
import {
  type JudgedObjective,
  type ObjectiveFigures,
  objectiveSeries,
  type RequestLimit,
} from './objective.ts';
import type { Outcome } from './outcome.ts';
import type { ObjectiveSeriesKey } from './run-series.ts';

/**
 * An observation is a sample: issued and ended, without those that have no such figure by their nature. Good is within
 * the limit, or for an error rate not failed; unknown was stopped with the run, or is without usage from the server.
 */
export interface ObjectiveEvidence extends DependentEvidence {
  /** All that ended, including those without such a figure. */
  readonly ended: number;
  /**
   * The value of this rank from 1, with failures after all values; undefined beyond the values, or if there
   * are none.
   */
  readonly valueAt: (rank: number) => number | undefined;
}

export class ObjectiveTally {
  readonly #limits: readonly TalliedLimit[];
  readonly #isErrorRate: boolean;
  /** Its values are parts of the limits, the largest of a sample, so that several limits have one scale. */
  readonly #isAttainment: boolean;
  /** Only for values: for a share, an answer without a time per token is a good one. */
  readonly #isOfTpot: boolean;
  readonly #tally = new DependentTally();
  readonly #histogram: Histogram | undefined;
  #ended = 0;

  constructor(objective: JudgedObjective) {
    const isOfValues = objective.kind === 'percentile' || objective.kind === 'mean';
    this.#limits = limitsOf(objective).map(({ name, limitNs }) => ({
      figure: objectiveSeries(name),
      limitNs,
    }));
    this.#isErrorRate = objective.kind === 'error-rate';
    this.#isAttainment = objective.kind === 'attainment';
    this.#isOfTpot = isOfValues && this.#limits[0]?.figure === 'tpotNs';
    this.#histogram = objective.kind === 'percentile' ? new Histogram(BOUNDS) : undefined;
  }

  /** @param figures undefined for a sample that did not complete, or has contradictory stamps */
  ended(outcome: Outcome, figures: ObjectiveFigures | undefined): void {
    this.#ended += 1;
    // An answer of one token has no time per further token: it can neither miss such a limit nor be counted into a mean.
    if (this.#isOfTpot && figures !== undefined && hasNone('tpotNs', figures)) return;
    this.#tally.observe();
    switch (outcome) {
      case 'completed':
        this.#completed(figures);
        return;
      case 'cancelled':
        this.#tally.unsaid();
        return;
      case 'failed':
        this.#tally.missed();
        return;
      default:
        outcome satisfies never;
    }
  }

  evidence(): ObjectiveEvidence {
    const histogram = this.#histogram;
    return {
      ...this.#tally.evidence(),
      ended: this.#ended,
      valueAt: rank => histogram?.valueAtRank(rank),
    };
  }

  #completed(figures: ObjectiveFigures | undefined): void {
    if (this.#isErrorRate) {
      this.#tally.good();
      return;
    }
    if (figures === undefined) {
      this.#tally.unsaid();
      return;
    }
    let isGood = true;
    let isUnknown = false;
    let reach = NO_FIGURE;
    for (const { figure, limitNs } of this.#limits) {
      const value = figures[figure] ?? NO_FIGURE;
      if (value !== NO_FIGURE) {
        isGood &&= value <= limitNs;
        reach = Math.max(reach, this.#isAttainment ? value / Math.max(1, limitNs) : value);
      } else if (!hasNone(figure, figures)) isUnknown = true;
    }
    if (reach !== NO_FIGURE) {
      this.#tally.valued(reach);
      this.#histogram?.record(Math.max(1, reach));
    }
    if (!isGood) this.#tally.missed();
    else if (isUnknown) this.#tally.unsaid();
    else this.#tally.good();
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
  figure === 'tpotNs' && (tpotNs ?? NO_FIGURE) === NO_FIGURE && (outputTokens === 0 || outputTokens === 1);

/** As for every series of times: 1 ns to 1 h. */
const BOUNDS = { low: 1, high: 3_600_000_000_000 };
