// Decides whether a load is met: pure, driven by events of requests and by the time. It looks at growing numbers of
// requests, each 1.3 × the previous one, and each look has its share of the whole error, so that repeated looking
// does not create significance.

import { upperStudent } from '../../core/statistics/student-quantile.ts';
import type { Estimate, StageVerdict } from '../../core/sweep/stage.ts';
import { type CriterionResult, testCriterion } from './criterion-test.ts';
import type { InFlight } from './in-flight.ts';
import type { StageLedger } from './stage-ledger.ts';

interface DeciderOptions {
  readonly ledger: StageLedger;
  /** Of the sessions that the requests are turns of. */
  readonly sessions?: StageLedger | undefined;
  /** An open loop has a queue that may grow; a closed loop has a fixed number in flight. */
  readonly isOpenLoop: boolean;
  /** 0.95: each verdict is wrong in at most half of the rest. */
  readonly confidence: number;
  /**
   * Latency of an idle endpoint, if known: an endpoint that hangs ends no request from which it could be estimated.
   */
  readonly idleLatencyNs?: number;
  /** Requests/s that closed loops reached, if known: near it a queue takes long to appear. */
  readonly capacityPerSecond?: number;
  /** Of the arrivals of an open loop; 1, Poisson, if it is not given. */
  readonly burstiness?: number;
  /** End of the stage's time: what cannot be decided by then is given up early. */
  readonly endNs: number;
  /** Number of criteria of each group, in the ledger's order; by default one group has all. */
  readonly groups?: readonly number[];
  /** The group whose verdict ends the stage; the first by default. */
  readonly decides?: number;
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
  #looks: readonly Look[] = [];

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

  /**
   * Of each group. One that was decided stays so: each look had its part of the error, whether or not the stage went on.
   */
  get looks(): readonly Look[] {
    return this.#looks;
  }

  /** A last look, at the end of the stage's time. */
  lookNow(nowNs: number): Look {
    const { ledger, sessions, isOpenLoop, idleLatencyNs, decides = 0 } = this.#options;
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
    const results = [ledger, ...(sessions === undefined ? [] : [sessions])].flatMap(each =>
      each.criteria.map((criterion, at) => testCriterion(criterion, each.column(at, nowNs), alpha)),
    );
    const hasSessions = sessions === undefined || sessions.ended >= SESSIONS_LEAST;
    const isOld = !isOpenLoop || ledger.issued >= this.#relaxedAfter(nowNs);
    const { groups = [results.length] } = this.#options;
    const lookAt = (own: readonly CriterionResult[]): Look => {
      const verdict = hasSessions
        ? verdictOf({
            isGrowing: growth?.isGrowing === true,
            isStable: isStable && isOld,
            results: own,
          })
        : 'undecided';
      return {
        verdict,
        isFutile: verdict === 'undecided' && isStable && hasSessions && this.#isFutile(own, nowNs),
        issued: ledger.issued,
        growth,
        results: own,
      };
    };
    let first = 0;
    const looks = groups.map(count => {
      const own = results.slice(first, first + count);
      first += count;
      return lookAt(own);
    });
    this.#looks = looks.map((look, at) => {
      const before = this.#looks[at];
      return at === decides || before === undefined || before.verdict === 'undecided' ? look : before;
    });
    return looks[decides] ?? lookAt(results);
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
   * too. That time is proportional to the sum of the squared coefficients of variation of gaps and service (Abate and
   * Whitt 1987), which is 2 for Poisson arrivals and exponential service.
   */
  #relaxedAfter(nowNs: number): number {
    const { ledger, capacityPerSecond, burstiness = 1 } = this.#options;
    if (capacityPerSecond === undefined || nowNs <= 0) return 0;
    const free = 1 - (ledger.issued * 1e9) / nowNs / capacityPerSecond;
    const variation = Math.max(1, (1 / burstiness + 1) / 2);
    return (RELAXATIONS * variation) / Math.max(free, FREE_LEAST) ** 2;
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
/** Turns of one session depend on each other, and fewer clusters do not show how much. */
export const SESSIONS_LEAST = 32;
const FUTILE_SAMPLES_MIN = 300;
/** In half widths: 1.3 standard errors of 3 per half width, which the mean exceeds in one of ten stages. */
const FUTILE_LUCK = 0.42;
/** The last look may spend more than earlier ones, so its half width is a little smaller. */
const FUTILE_BELOW = 0.9;
export const LOOK_RATIO = 1.3;
/** Part of the time of a stage; an early look decides only clear cases. */
const SPENT_LEAST = 1e-3;

// Whether the queue at an offered rate grows or is stable: by slopes of requests in flight with their intervals,
// never by a threshold for latency. Two questions with two errors: a stage is over capacity only when growth is
// certain, and it is met only when relevant growth is ruled out; in between it continues. Decision 17 has the
// reasons.
interface QueueGrowth {
  /** Growth of requests in flight per request issued: 0.05 is the effect of 1.05 × the capacity. */
  readonly perRequest: Estimate;
  readonly perMinute: Estimate;
  readonly isGrowing: boolean;
  readonly isStable: boolean;
}

interface GrowthOptions {
  readonly inFlight: InFlight;
  readonly nowNs: number;
  /** Latency of the first requests; undefined before one has ended. */
  readonly latencyNs: number | undefined;
  /** Probability of a wrong verdict at one look, in each direction. */
  readonly alpha: number;
}

/** undefined while the stage is too young: its first requests fill the servers, which is not a growing queue. */
const queueGrowth = (options: GrowthOptions): QueueGrowth | undefined => {
  const { inFlight, nowNs, latencyNs, alpha } = options;
  if (latencyNs === undefined) return undefined;
  const fromNs = Math.max(nowNs * RAMP_SHARE, RAMP_LATENCIES * latencyNs);
  const issued = inFlight.issuedBy(nowNs) - inFlight.issuedBy(fromNs);
  if (fromNs > nowNs / 2 || issued < ISSUED_MIN) return undefined;
  const window = { fromNs, toNs: nowNs };
  const slope = slopeOf(inFlight.levels({ ...window, steps: LEVELS }), alpha);
  const stepNs = (nowNs - fromNs) / LEVELS;
  const perRequest = scaled(slope, LEVELS / issued);
  const drifted = sureDrift(inFlight, window, issued);
  // The reported growth is the one that decided: the line through the levels is less certain of it than their sum of
  // steps.
  if (drifted !== undefined)
    return {
      perRequest: scaled(drifted, 1 / issued),
      perMinute: scaled(drifted, 60e9 / (nowNs - fromNs)),
      isGrowing: true,
      isStable: false,
    };
  return {
    perRequest,
    perMinute: scaled(slope, 60e9 / stepNs),
    isGrowing: false,
    isStable:
      issued >= STABLE_ISSUED_MIN &&
      perRequest.high < GROWTH_STABLE_MAX &&
      wander(inFlight.at(steps(window, WANDER_STEPS))) < WANDER_MAX,
  };
};

interface Window {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Growth from one end to the other, beyond what a random walk does by chance, and not only in the first half. */
const sureDrift = (inFlight: InFlight, window: Window, issued: number): Estimate | undefined => {
  const { value, standardError } = drift(inFlight.at(steps(window, DRIFT_STEPS)));
  const alpha = DRIFT_ALPHA * Math.min(1, DRIFT_PARTS * Math.ceil(issued / DRIFT_ISSUED));
  const half = upperStudent(alpha, DRIFT_STEPS - 1) * standardError;
  if (value < GROWTH_SURE_MIN * issued || value < half) return undefined;
  const lastHalf = { fromNs: window.toNs / 2, toNs: window.toNs };
  const late = drift(inFlight.at(steps(lastHalf, DRIFT_STEPS)));
  return late.value > late.standardError / 2 ? { value, low: value - half, high: value + half } : undefined;
};

const drift = (levels: Float64Array): { readonly value: number; readonly standardError: number } => {
  const count = levels.length - 1;
  const value = (levels[count] ?? 0) - (levels[0] ?? 0);
  let squares = 0;
  for (let step = 1; step <= count; step += 1)
    squares += ((levels[step] ?? 0) - (levels[step - 1] ?? 0) - value / count) ** 2;
  // Counts are whole: below half a request per step nothing is known.
  const variance = Math.max(squares / (count - 1), 0.25);
  return { value, standardError: Math.sqrt(variance * count) };
};

/**
 * How far the level wanders relative to its steps: 1 / (2 n) for one that always returns at once, about 1/6 for a
 * random walk (the statistic of Sargan & Bhargava 1983). It does not need the number of requests in service.
 */
const wander = (levels: Float64Array): number => {
  let [sum, squares, moves] = [0, 0, 0];
  for (let step = 1; step < levels.length; step += 1) {
    const level = levels[step] ?? 0;
    sum += level;
    squares += level * level;
    moves += (level - (levels[step - 1] ?? 0)) ** 2;
  }
  const count = levels.length - 1;
  return moves === 0 ? 0 : (squares / count - (sum / count) ** 2) / moves;
};

/** Slope of least squares through the levels, per step; autocorrelated residuals widen the interval. */
const slopeOf = (levels: Float64Array, alpha: number): Estimate => {
  const count = levels.length;
  const centre = (count - 1) / 2;
  const mean = levels.reduce((sum, level) => sum + level, 0) / count;
  const spread = (count * (count * count - 1)) / 12;
  const value = levels.reduce((sum, level, at) => sum + (at - centre) * (level - mean), 0) / spread;
  let [squares, products, previous] = [0, 0, 0];
  for (const [at, level] of levels.entries()) {
    const residual = level - mean - value * (at - centre);
    squares += residual ** 2;
    products += residual * previous;
    previous = residual;
  }
  const seen = squares === 0 ? 0 : products / squares;
  // The line removes part of the dependence: the bias of Marriott & Pope with one parameter more.
  const phi = Math.min(AUTOCORRELATION_MAX, Math.max(0, seen + (2 + 4 * seen) / count));
  const standardError = Math.sqrt((squares / (count - 2) / spread) * ((1 + phi) / (1 - phi)));
  const half = upperStudent(alpha, count - 2) * standardError;
  return { value, low: value - half, high: value + half };
};

/** Both ends and the borders between equal steps. */
const steps = ({ fromNs, toNs }: Window, count: number): Float64Array =>
  Float64Array.from({ length: count + 1 }, (_, step) => fromNs + ((toNs - fromNs) * step) / count);

const scaled = ({ value, low, high }: Estimate, factor: number): Estimate => ({
  value: value * factor,
  low: low * factor,
  high: high * factor,
});

/** Left out at the front, while servers fill: a share of the stage, or this many latencies of the first requests. */
const RAMP_SHARE = 0.1;
const RAMP_LATENCIES = 2;
const ISSUED_MIN = 40;
const STABLE_ISSUED_MIN = 80;
const DRIFT_STEPS = 24;
/**
 * For one look. At 0.9 × the capacity it raises a false alarm in less than 2 in 100 stages, over all looks. It is
 * smaller in a young stage, which looked in vain a moment ago: half of the alarms came before 110 requests. In steps,
 * so that few quantiles are computed.
 */
const DRIFT_ALPHA = 0.01;
const DRIFT_ISSUED = 50;
const DRIFT_PARTS = 0.2;
const LEVELS = 24;
const WANDER_STEPS = 40;
/**
 * At 1.05 × the capacity fewer than 5 in 100 stages stay below it at any look, combined with the slope's own limit.
 */
const WANDER_MAX = 0.025;
/** Largest growth in the interval of a queue that counts as stable: half the effect of 1.05 × the capacity. */
const GROWTH_STABLE_MAX = 0.025;
/** Certain growth below this is too slow to matter in any stage. */
const GROWTH_SURE_MIN = 0.01;
const AUTOCORRELATION_MAX = 0.95;
