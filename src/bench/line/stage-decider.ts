// Decides whether a load is met: pure, driven by events of requests and by the time. It looks at growing numbers of
// requests, each 1.3 × the previous one, and each look has its share of the whole error, so that repeated looking
// does not create significance.

import type { StageVerdict } from '../../core/sweep/stage.ts';
import { type CriterionResult, testCriterion } from './criterion-test.ts';
import { type QueueGrowth, queueGrowth } from './queue-growth.ts';
import type { StageLedger } from './stage-ledger.ts';

interface DeciderOptions {
  readonly ledger: StageLedger;
  /** An open loop has a queue that may grow; a closed loop has a fixed number in flight. */
  readonly isOpenLoop: boolean;
  /** 0.95: each verdict is wrong in at most half of the rest. */
  readonly confidence: number;
  /**
   * Latency of an idle endpoint, if known: an endpoint that hangs ends no request from which it could be estimated.
   */
  readonly idleLatencyNs?: number;
  /** Value of each criterion on an idle endpoint, if known: anything above it is waiting. */
  readonly idleValues?: readonly (number | undefined)[];
  /** Requests/s that closed loops reached, if known: near it a queue takes long to appear. */
  readonly capacityPerSecond?: number;
  /** End of the stage's time: what cannot be decided by then is given up early. */
  readonly endNs: number;
}

export interface Look {
  readonly verdict: Extract<StageVerdict, 'held' | 'missed' | 'over-capacity' | 'undecided'>;
  /** Requests issued until the look. */
  readonly issued: number;
  /** Undecided, and expected to remain so until the end of its time. */
  readonly isFutile: boolean;
  readonly growth: QueueGrowth | undefined;
  readonly results: readonly CriterionResult[];
}

export class StageDecider {
  readonly #options: DeciderOptions;
  #nextAt = FIRST_LOOK;
  #spentAtNs = 0;

  constructor(options: DeciderOptions) {
    this.#options = options;
  }

  /**
   * Costs nothing until the next look is due; then it reads the whole ledger. @returns undefined while none was due.
   */
  look(nowNs: number): Look | undefined {
    const { ledger, isOpenLoop } = this.#options;
    const count = isOpenLoop ? ledger.issued : ledger.ended;
    if (count < this.#nextAt) return undefined;
    while (this.#nextAt <= count) this.#nextAt = Math.ceil(this.#nextAt * LOOK_RATIO);
    return this.lookNow(nowNs);
  }

  /** A last look, at the end of the stage's time. */
  lookNow(nowNs: number): Look {
    const { ledger, isOpenLoop, idleLatencyNs, idleValues } = this.#options;
    const alpha = this.#spend(nowNs);
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
      testCriterion(criterion, ledger.column(at, nowNs), { alpha, idle: idleValues?.[at] }),
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
   * The part of the stage's whole error that this look may spend: proportional to the time since the last one (a
   * linear spending function, Lan & DeMets 1983). Easy decisions need little of it, and hard ones come late.
   */
  #spend(nowNs: number): number {
    const { confidence, endNs } = this.#options;
    const share = Math.min(1, Math.max(SPENT_LEAST, (nowNs - this.#spentAtNs) / endNs));
    this.#spentAtNs = nowNs;
    return ((1 - confidence) / 2) * share;
  }

  /**
   * Every stage begins with an empty queue, and one near its capacity takes some 1 / (1 − utilisation)² arrivals to
   * reach its steady state: earlier measurements are better than the load's true value, in the second measurement
   * too.
   */
  #relaxedAfter(nowNs: number): number {
    const { ledger, capacityPerSecond } = this.#options;
    if (capacityPerSecond === undefined || nowNs <= 0) return 0;
    const free = 1 - (ledger.issued * 1e9) / nowNs / capacityPerSecond;
    return RELAXATIONS / Math.max(free, FREE_LEAST) ** 2;
  }

  /**
   * Whether a criterion of a stationary stage will probably not be decided in the remaining time: by its half width
   * now, by how much that shrinks until the end, and by how far the mean may still move.
   */
  #isFutile(results: readonly CriterionResult[], nowNs: number): boolean {
    const { endNs } = this.#options;
    if (nowNs <= 0) return false;
    const gone = Math.min(1, nowNs / endNs);
    const luck = FUTILE_LUCK * Math.sqrt((1 - gone) / gone);
    return results.some(
      ({ answer, samples, steadyFrom, samplesNeeded = Number.POSITIVE_INFINITY }) =>
        answer === 'too-few-samples' &&
        steadyFrom !== undefined &&
        samples >= FUTILE_SAMPLES_MIN &&
        Math.sqrt(samples / gone / samplesNeeded) + luck < FUTILE_BELOW,
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

/** So much longer than on an idle endpoint without any ended request: this is not a ramp. */
const hanging = (idleLatencyNs: number | undefined): number | undefined =>
  idleLatencyNs === undefined ? undefined : HANGING_LATENCIES * idleLatencyNs;

const HANGING_LATENCIES = 5;
const RELAXATIONS = 10;
/** The capacity from closed loops is known to a few per cent. */
const FREE_LEAST = 0.025;
const FIRST_LOOK = 60;
const FUTILE_SAMPLES_MIN = 300;
/** In half widths: 1.3 standard errors of 3 per half width, which the mean exceeds in one of ten stages. */
const FUTILE_LUCK = 0.42;
/** The last look may spend more than earlier ones, so its half width is a little smaller. */
const FUTILE_BELOW = 0.9;
export const LOOK_RATIO = 1.3;
/** Part of the time of a stage; an early look decides only clear cases. */
const SPENT_LEAST = 1e-3;
