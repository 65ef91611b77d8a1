// Whether a load holds: pure, driven by what is told of requests and by the time. It looks at growing numbers of requests,
// each 1.3 × the one before, and each look has its part of the whole error, so that looking often proves nothing by itself.

import type { StageVerdict } from '../../core/sweep/stage.ts';
import type { CriterionResult } from './criterion-test.ts';
import { testCriterion } from './criterion-test.ts';
import type { QueueGrowth } from './queue-growth.ts';
import { queueGrowth } from './queue-growth.ts';
import type { StageLedger } from './stage-ledger.ts';

export interface DeciderOptions {
  readonly ledger: StageLedger;
  /** Open loop has a queue that may grow; in closed loop as many are in flight as were asked for. */
  readonly isOpenLoop: boolean;
  /** 0.95: each verdict is wrong in at most half of the rest. */
  readonly confidence: number;
  /** Of an idle endpoint, where it is known: an endpoint that hangs ends no request that would tell. */
  readonly idleLatencyNs?: number;
  /** Requests/s that closed loops reached, where it is known: near it a queue needs long to show itself. */
  readonly capacityPerSecond?: number;
  /** When the stage's time is over: what cannot be decided by then is given up long before. */
  readonly endNs?: number;
}

export interface Look {
  readonly verdict: Extract<StageVerdict, 'held' | 'missed' | 'over-capacity' | 'undecided'>;
  /** Requests issued until the look. */
  readonly issued: number;
  /** Undecided, and so it will be at the end of its time. */
  readonly isFutile: boolean;
  readonly growth: QueueGrowth | undefined;
  readonly results: readonly CriterionResult[];
}

export class StageDecider {
  readonly #options: DeciderOptions;
  readonly #alpha: number;
  #nextAt = FIRST_LOOK;

  constructor(options: DeciderOptions) {
    this.#options = options;
    this.#alpha = lookAlpha(options.confidence);
  }

  /** Costs nothing until the next look is due; then the whole ledger. @returns undefined while none was due. */
  look(nowNs: number): Look | undefined {
    const { ledger, isOpenLoop } = this.#options;
    const count = isOpenLoop ? ledger.issued : ledger.ended;
    if (count < this.#nextAt) return undefined;
    while (this.#nextAt <= count) this.#nextAt = Math.ceil(this.#nextAt * LOOK_RATIO);
    return this.lookNow(nowNs);
  }

  /** A last look, when the time of the stage is over. */
  lookNow(nowNs: number): Look {
    const { ledger, isOpenLoop, idleLatencyNs } = this.#options;
    const alpha = this.#alpha;
    const growth = isOpenLoop
      ? queueGrowth({
          inFlight: ledger.inFlight(),
          nowNs,
          latencyNs: ledger.firstLatencyNs() ?? hanging(idleLatencyNs),
          alpha,
        })
      : undefined;
    const isStable = isOpenLoop ? growth?.isStable === true : true;
    const results = ledger.criteria.map((criterion, at) =>
      testCriterion(criterion, ledger.column(at, nowNs), alpha),
    );
    const isOld = !isOpenLoop || ledger.issued >= this.#relaxedAfter(nowNs);
    const verdict = verdictOf({
      isGrowing: growth?.isGrowing === true,
      isStable: isStable && isOld,
      results,
    });
    return {
      verdict,
      isFutile: verdict === 'undecided' && isStable && this.#isFutile(results, nowNs),
      issued: ledger.issued,
      growth,
      results,
    };
  }

  /**
   * Every stage begins with an empty queue, and one near its capacity takes some 1 / (1 − utilisation)² arrivals to forget that: what
   * is measured before is better than what the load would come to, in the second measurement too.
   */
  #relaxedAfter(nowNs: number): number {
    const { ledger, capacityPerSecond } = this.#options;
    if (capacityPerSecond === undefined || nowNs <= 0) return 0;
    const free = 1 - (ledger.issued * 1e9) / nowNs / capacityPerSecond;
    return RELAXATIONS / Math.max(free, FREE_LEAST) ** 2;
  }

  /** Some criterion of a stage at rest would need many times the requests that there is time for, at the rate they come. */
  #isFutile(results: readonly CriterionResult[], nowNs: number): boolean {
    const { endNs } = this.#options;
    if (endNs === undefined || nowNs <= 0) return false;
    return results.some(
      ({ answer, samples, steadyFrom, samplesNeeded = Number.POSITIVE_INFINITY }) =>
        answer === 'too-few-samples' &&
        steadyFrom !== undefined &&
        samples >= FUTILE_SAMPLES_MIN &&
        samplesNeeded > FUTILE_FACTOR * samples * (endNs / nowNs),
    );
  }
}

const verdictOf = ({
  isGrowing,
  isStable,
  results,
}: {
  readonly isGrowing: boolean;
  readonly isStable: boolean;
  readonly results: readonly CriterionResult[];
}): Look['verdict'] => {
  if (isGrowing) return 'over-capacity';
  if (results.some(({ answer }) => answer === 'missed')) return 'missed';
  return isStable && results.every(({ answer }) => answer === 'met') ? 'held' : 'undecided';
};

/**
 * Pocock's idea on geometric looks: the same level at each. The supremum of a Brownian motion over 26 looks that grow by 1.3 has
 * its 97.5th percentile where one look has 1 − 0.025 / 12; 14 leaves room for the t that is estimated from few batches.
 */
const lookAlpha = (confidence: number): number => (1 - confidence) / 2 / LOOKS_WORTH;

/** So much longer than on an idle endpoint, and nothing has ended: whatever fills up, it is no ramp. */
const hanging = (idleLatencyNs: number | undefined): number | undefined =>
  idleLatencyNs === undefined ? undefined : HANGING_LATENCIES * idleLatencyNs;

const HANGING_LATENCIES = 5;
const RELAXATIONS = 5;
/** What closed loops reached is known to a few per cent. */
const FREE_LEAST = 0.025;
const FIRST_LOOK = 60;
/** The mean moves while it goes on, and with it the number that would decide. */
const FUTILE_FACTOR = 4;
const FUTILE_SAMPLES_MIN = 300;
const LOOK_RATIO = 1.3;
const LOOKS_WORTH = 14;
