// Whether a load holds: pure, driven by what is told of requests and by the time. It looks at growing numbers of requests,
// each 1.3 × the one before, and each look has its part of the whole error, so that looking often proves nothing by itself.

import type { StageVerdict } from '../../core/sweep/stage.ts';
import { type CriterionResult, testCriterion } from './criterion-test.ts';
import { type QueueGrowth, queueGrowth } from './queue-growth.ts';
import type { StageLedger } from './stage-ledger.ts';

interface DeciderOptions {
  readonly ledger: StageLedger;
  /** Open loop has a queue that may grow; in closed loop as many are in flight as were asked for. */
  readonly isOpenLoop: boolean;
  /** 0.95: each verdict is wrong in at most half of the rest. */
  readonly confidence: number;
  /** Of an idle endpoint, where it is known: an endpoint that hangs ends no request that would tell. */
  readonly idleLatencyNs?: number;
  /** Of each criterion on an idle endpoint, where it is known: what is above it is waiting. */
  readonly idleValues?: readonly (number | undefined)[];
  /** Requests/s that closed loops reached, where it is known: near it a queue needs long to show itself. */
  readonly capacityPerSecond?: number;
  /** When the stage's time is over: what cannot be decided by then is given up long before. */
  readonly endNs: number;
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
  #nextAt = FIRST_LOOK;
  #spentAtNs = 0;

  constructor(options: DeciderOptions) {
    this.#options = options;
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
   * Of the error of the whole stage, what this look may spend: as much as has gone by of its time since the last one (a linear
   * spending function, Lan & DeMets 1983). Decisions that are easy need little of it, and hard ones come late.
   */
  #spend(nowNs: number): number {
    const { confidence, endNs } = this.#options;
    const share = Math.min(1, Math.max(SPENT_LEAST, (nowNs - this.#spentAtNs) / endNs));
    this.#spentAtNs = nowNs;
    return ((1 - confidence) / 2) * share;
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

  /**
   * Some criterion of a stage at rest will hardly be decided in the time that is left: by its half width now, by how much that shrinks
   * until the end, and by how far the mean may still move.
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

/** So much longer than on an idle endpoint, and nothing has ended: whatever fills up, it is no ramp. */
const hanging = (idleLatencyNs: number | undefined): number | undefined =>
  idleLatencyNs === undefined ? undefined : HANGING_LATENCIES * idleLatencyNs;

const HANGING_LATENCIES = 5;
const RELAXATIONS = 10;
/** What closed loops reached is known to a few per cent. */
const FREE_LEAST = 0.025;
const FIRST_LOOK = 60;
const FUTILE_SAMPLES_MIN = 300;
/** In half widths: 1.3 standard errors of 3 a half width, which the mean moves past in one of ten stages. */
const FUTILE_LUCK = 0.42;
/** The last look may spend more than those before, so that its half width is a little less. */
const FUTILE_BELOW = 0.9;
export const LOOK_RATIO = 1.3;
/** Of the time of a stage; a look that comes early decides only what is beyond doubt. */
const SPENT_LEAST = 1e-3;
