// Chooses the next load of a search: one request at a time, closed loops that show the capacity, a bracket that grows
// until one load is met and one is not, its halves down to the resolution, and both ends once more. A pure function
// of the stages so far and of the remaining time.

import { maximumOf } from '../../core/extremes.ts';
import type { Arrival } from '../../core/run/run-pattern.ts';
import type { ConcurrencyUnit } from '../../core/run/run-shape.ts';
import {
  type StageEvidence,
  type StageLoad,
  type StagePurpose,
  type StageVerdict,
  stageRate,
} from '../../core/sweep/stage.ts';
import { type LineEstimate, lineEstimate } from './line-estimate.ts';
import { affordableDistance, loadInside, PLANNED, TWO_ENDS } from './next-load.ts';
import { numberOfSessions } from './session-numbers.ts';
import { isSure, type LoadEvidence, Trials } from './trials.ts';

export interface SearchOptions {
  readonly by: 'rate' | 'concurrency';
  /** What a concurrency counts; undefined: requests. */
  readonly concurrencyOf?: ConcurrencyUnit | undefined;
  readonly arrival: Arrival;
  /** 0.05: the ends of the bracket are 5 % apart. */
  readonly resolution: number;
  readonly loadMax: number;
}

export interface SearchStep {
  readonly purpose: StagePurpose;
  readonly load: StageLoad;
  /** Longest duration, ms. */
  readonly durationMs: number;
  /** Ends after this many requests have ended; undefined: when it is decided. */
  readonly count: number | undefined;
}

export interface SearchedStage {
  readonly purpose: StagePurpose;
  readonly load: StageLoad;
  readonly verdict: StageVerdict;
  readonly completedPerSecond: number;
  readonly evidence: StageEvidence;
}

/** undefined: the search is complete. */
export const nextStep = (
  stages: readonly SearchedStage[],
  options: SearchOptions,
  leftMs: number,
): SearchStep | undefined => {
  if (leftMs < STAGE_MS_MIN || stages.length >= SEARCH_STAGES_MAX || isAtEnd(stages)) return undefined;
  const closed = (purpose: StagePurpose, concurrency: number, part: number, count?: number): SearchStep => ({
    purpose,
    load: atATime(concurrency, options),
    durationMs: Math.min(leftMs, Math.max(STAGE_MS_MIN, leftMs * part)),
    count,
  });
  const alone = stages.filter(({ purpose }) => purpose === 'alone');
  if (alone.length === 0)
    return closed('alone', 1, ALONE_PART, options.by === 'rate' ? ALONE_COUNT : undefined);
  if (options.by === 'rate') {
    // A search of rates only needs to know whether there is anything to find.
    if (alone.length === 1 && (alone.some(mayMiss) || missesWhereverTried(stages, options)))
      return closed('alone', 1, ALONE_PART);
    if (missesAlone(alone)) return undefined;
    const estimates = stages.filter(({ purpose }) => purpose === 'estimate');
    const concurrency = ESTIMATE_FACTOR ** (estimates.length + 1);
    if (stillGains(stages) && concurrency <= ESTIMATE_CONCURRENCY_MAX)
      return closed('estimate', concurrency, ESTIMATE_PART, Math.max(ESTIMATE_COUNT_MIN, 4 * concurrency));
  }
  return searchStep(stages, options, leftMs);
};

/** Stages that a search without surprises still needs, excluding the running one. */
export const stepsExpected = (stages: readonly SearchedStage[], options: SearchOptions): number => {
  const trials = trialsOf(stages, options);
  const { holds, fails } = trials;
  const closed = stages.length < 3 && options.by === 'rate' ? 3 - stages.length : 0;
  const isWide =
    holds === undefined || fails === undefined || fails.load / holds.load > 1 + options.resolution;
  return (
    closed +
    (holds === undefined || fails === undefined ? 1 : 0) +
    (isWide ? SIDES_TRIED : 0) +
    unconfirmed(trials)
  );
};

export const trialsOf = (stages: readonly SearchedStage[], { by }: SearchOptions): Trials => {
  const trials = new Trials();
  for (const { purpose, load, verdict, evidence } of stages)
    if (load.kind === by && purpose !== 'estimate')
      trials.add({ load: loadOf(load), verdict, issued: evidence.issued });
  return trials;
};

/** Requests/s or requests in flight. */
export const loadOf = (load: StageLoad): number =>
  load.kind === 'rate' ? load.requestsPerSecond : load.concurrency;

/** Requests/s that closed loops reached: a first estimate of the capacity, not a verdict. */
export const capacityEstimate = (stages: readonly SearchedStage[]): number =>
  maximumOf([
    0,
    ...stages
      .filter(({ purpose }) => purpose === 'alone' || purpose === 'estimate')
      .map(({ completedPerSecond }) => completedPerSecond),
  ]);

/** Mean latency of one request at a time; undefined before it was measured. */
export const idleLatencyNs = (stages: readonly SearchedStage[]): number | undefined => {
  const alone = stages.findLast(
    ({ purpose, completedPerSecond }) => purpose === 'alone' && completedPerSecond > 0,
  );
  return alone === undefined ? undefined : 1e9 / alone.completedPerSecond;
};

const isAtEnd = (stages: readonly SearchedStage[]): boolean =>
  stages.at(-1)?.verdict === 'stopped' ||
  stages.some(({ purpose, verdict }) => purpose === 'alone' && verdict === 'broken') ||
  // One failure may be an accident; an endpoint that fails twice in a row is gone.
  (stages.length > 1 && stages.slice(-2).every(({ verdict }) => verdict === 'broken'));

/** Measured twice, because a cold endpoint may be slow once. @param alone the stages with one request at a time */
export const missesAlone = (alone: readonly SearchedStage[]): boolean =>
  alone.length > 1 && alone.at(-1)?.verdict === 'missed' && alone.every(({ verdict }) => verdict !== 'held');

/** It missed, or came so close that a longer stage should decide. */
const mayMiss = ({ verdict, evidence: { excess } }: SearchedStage): boolean =>
  verdict === 'missed' ||
  (excess !== undefined && excess.standardError < ALONE_ERROR_MAX && excess.value > ALONE_EXCESS_MAX);

/**
 * A miss that persists while the load is halved has another cause: one request at a time may miss as well, if it is
 * measured for longer.
 */
const missesWhereverTried = (stages: readonly SearchedStage[], options: SearchOptions): boolean =>
  trialsOf(stages, options).holds === undefined &&
  new Set(
    stages
      .filter(({ purpose, verdict }) => purpose === 'bracket' && verdict === 'missed')
      .map(({ load }) => loadOf(load)),
  ).size >= LOADS_MISSED;

/** The last closed loop completed clearly more than the one before. */
const stillGains = (stages: readonly SearchedStage[]): boolean => {
  const rates = stages
    .filter(({ purpose }, at) => purpose === 'estimate' || (purpose === 'alone' && at === 0))
    .map(({ completedPerSecond }) => completedPerSecond);
  const [before, last] = rates.slice(-2);
  return last === undefined || before === undefined || last > ESTIMATE_GAIN_MIN * before;
};

const searchStep = (
  stages: readonly SearchedStage[],
  options: SearchOptions,
  leftMs: number,
): SearchStep | undefined => {
  const trials = trialsOf(stages, options);
  const { holds, fails } = trials;
  const ceiling = fails?.load ?? trials.clientLimit;
  // An end that its second measurement did not confirm is not tried again; one farther off may be certain.
  const gap = {
    low:
      holds === undefined ? (trials.lowest ?? 1) / BRACKET_DOWN : holds.load / (isSure(holds) ? 1 : UNSURE),
    high: (ceiling ?? Number.POSITIVE_INFINITY) * (fails === undefined || isSure(fails) ? 1 : UNSURE),
  };
  const estimate = fails === undefined ? undefined : estimateOf(stages, options, gap);
  const perSecond =
    options.by === 'rate'
      ? (estimate?.load ?? gap.low)
      : maximumOf([0, ...stages.map(({ completedPerSecond }) => completedPerSecond)]);
  const requestsLeft = (perSecond * leftMs) / 1_000;
  /** @param requests that probably decide: the error is spent by a time that is near what is needed */
  const step = (purpose: StagePurpose, load: number, part: number, requests = requestsLeft): SearchStep => {
    const neededMs = (TIME_SPARE * requests * leftMs) / requestsLeft;
    return {
      purpose,
      load: stageLoad(load, options),
      durationMs: Math.min(leftMs, Math.max(STAGE_MS_MIN, Math.min(leftMs * part, neededMs))),
      count: undefined,
    };
  };
  if (holds === undefined || ceiling === undefined) {
    const probable = estimate === undefined ? undefined : probablyHolds(estimate, options, requestsLeft);
    const load = bracketLoad(stages, trials, { ...options, probable });
    // Fewer requests arrive at a lower load, and the same number is needed to decide.
    const part = fails === undefined ? BRACKET_PART_UP : BRACKET_PART_DOWN;
    const isTooSlow = load !== undefined && (load * leftMs * part) / 1_000 < BRACKET_REQUESTS_MIN;
    return load === undefined || (options.by === 'rate' && isTooSlow)
      ? confirmation(trials, estimate, step)
      : step('bracket', load, part);
  }
  const tried = trials.between(gap.low, gap.high);
  const areEndsSure = unconfirmed(trials) === 0;
  const next = loadInside(gap, { ...options, estimate, requestsLeft, tried, areEndsSure });
  return next === undefined
    ? confirmation(trials, estimate, step)
    : step('bisect', next.load, BISECT_PART, next.requests);
};

/** As far below the probable line as a part of the remaining time decides. */
const probablyHolds = (
  estimate: LineEstimate,
  { resolution }: SearchOptions,
  requestsLeft: number,
): number | undefined => {
  const each = (requestsLeft * PLANNED) / TWO_ENDS;
  const distance = affordableDistance(estimate, { side: 'below', each, resolution });
  return distance === undefined
    ? undefined
    : estimate.load * Math.exp(-Math.hypot(distance, estimate.standardError));
};

const estimateOf = (
  stages: readonly SearchedStage[],
  { by }: SearchOptions,
  gap: { readonly low: number; readonly high: number },
): LineEstimate | undefined =>
  lineEstimate(
    stages.flatMap(({ purpose, load, verdict, evidence }) =>
      load.kind === by && purpose !== 'estimate' && !UNUSABLE.has(verdict)
        ? [{ load: loadOf(load), isOverCapacity: verdict === 'over-capacity', evidence }]
        : [],
    ),
    gap,
  );

/**
 * Up from a load that was met, down from one that was not; if neither is known, below the estimate of the capacity.
 */
const bracketLoad = (
  stages: readonly SearchedStage[],
  trials: Trials,
  options: SearchOptions & { readonly probable: number | undefined },
): number | undefined => {
  const { holds, fails, highest, lowest } = trials;
  const capacity = capacityEstimate(stages);
  if (highest === undefined || lowest === undefined)
    return options.by === 'concurrency' ? 1 : Math.min(options.loadMax, BRACKET_START * capacity);
  if (options.concurrencyOf === 'sessions') {
    const last = stages.findLast(({ purpose, load }) => purpose !== 'alone' && loadOf(load) === highest);
    return numberOfSessions(trials, { ...options, last });
  }
  if (fails === undefined && trials.clientLimit === undefined) {
    if (highest >= options.loadMax) return undefined;
    return Math.min(options.loadMax, rounded(highest * BRACKET_UP, options));
  }
  if (holds === undefined && options.by === 'rate') {
    const load = Math.max(lowest / BRACKET_DOWN, options.probable ?? 0);
    return load < capacity * LOWEST_PART ? undefined : load;
  }
  return undefined;
};

/** Measures both ends again, the one found last at the end: the order does not hide a drift over time. */
const confirmation = (
  trials: Trials,
  estimate: LineEstimate | undefined,
  step: (purpose: StagePurpose, load: number, part: number, requests?: number) => SearchStep,
): SearchStep | undefined => {
  const ends = [trials.holds, trials.fails]
    .filter(end => end !== undefined)
    .filter(isUnconfirmed)
    .toSorted((a, b) => a.order - b.order);
  const [end] = ends;
  if (end === undefined) return undefined;
  const distance = estimate === undefined ? 0 : Math.abs(Math.log(end.load / estimate.load));
  const side = end.held > 0 ? 'below' : 'above';
  const expected = distance > 0 ? estimate?.requestsAt(distance, side) : undefined;
  const requests = expected === undefined ? undefined : Math.max(expected, end.issued);
  return step('confirm', end.load, 1 / ends.length, requests);
};

/** Measured once. One that a second stage could not decide is not tried a third time. */
const isUnconfirmed = ({ held, failed, undecided }: LoadEvidence): boolean =>
  held + failed === 1 && undecided === 0;

const unconfirmed = ({ holds, fails }: Trials): number =>
  [holds, fails].filter(end => end === undefined || isUnconfirmed(end)).length;

const rounded = (load: number, { by }: SearchOptions): number =>
  by === 'concurrency' ? Math.round(load) : load;

const atATime = (
  concurrency: number,
  { concurrencyOf }: Pick<SearchOptions, 'concurrencyOf'>,
): StageLoad => ({
  kind: 'concurrency',
  concurrency,
  ...(concurrencyOf === undefined ? {} : { concurrencyOf }),
});

const stageLoad = (load: number, { by, arrival, concurrencyOf }: SearchOptions): StageLoad =>
  by === 'rate' ? stageRate(load, arrival) : atATime(load, { concurrencyOf });

/** Largest part of the remaining time: later stages need as much. */
const BISECT_PART = 0.4;
/** Factor on the time that is expected to decide. */
const TIME_SPARE = 2.5;
const UNSURE = 1.5;
/** Their measurements do not describe the endpoint. */
const UNUSABLE: ReadonlySet<StageVerdict> = new Set(['client-bound', 'stopped', 'broken']);
const STAGE_MS_MIN = 1_000;
const SEARCH_STAGES_MAX = 60;
const ALONE_PART = 0.08;
const ALONE_COUNT = 60;
/** Half of a load, and a quarter of it. */
const LOADS_MISSED = 2;
/** Half of the limit. */
const ALONE_EXCESS_MAX = Math.log(0.5);
/** It is larger for a share of which nothing was observed. */
const ALONE_ERROR_MAX = 1.2;
const ESTIMATE_PART = 0.04;
const ESTIMATE_FACTOR = 4;
const ESTIMATE_COUNT_MIN = 40;
const ESTIMATE_CONCURRENCY_MAX = 256;
/** Four times the concurrency with less than 1.5 times the throughput: the servers are busy. */
const ESTIMATE_GAIN_MIN = 1.5;
const BRACKET_PART_UP = 0.25;
const BRACKET_PART_DOWN = 0.4;
/** Fewer requests decide nothing. */
const BRACKET_REQUESTS_MIN = 60;
const BRACKET_START = 0.7;
/** Inside a bracket: one load nearer to the line on each side. */
const SIDES_TRIED = 2;
/** From 0.7 to 1.2 × the estimate, where a queue grows fast. */
const BRACKET_UP = 1.7;
const BRACKET_DOWN = 2;
/** Part of the estimate: below it the bracket is practically empty. */
const LOWEST_PART = 0.01;

// Detects that an endpoint's capacity changed during a search: stages that contradict any single capacity. Verdicts
// near the line are wrong now and then, so loads must contradict each other by more than that, or three times.
export interface CapacityChange {
  readonly kind: 'less' | 'more';
  /** The load that was met, and the one that was not. The one measured first comes first. */
  readonly held: number;
  readonly failed: number;
}

/** undefined: there is no evidence of a change. */
export const capacityChange = (
  stages: readonly SearchedStage[],
  { by }: Pick<SearchOptions, 'by'>,
): CapacityChange | undefined => {
  const judged = stages.flatMap(({ load, purpose, verdict }) =>
    load.kind === by && purpose !== 'estimate' && purpose !== 'alone' && VERDICTS.has(verdict)
      ? [{ load: loadOf(load), isHeld: verdict === 'held' }]
      : [],
  );
  for (const kind of ['less', 'more'] as const) {
    const first = kind === 'less';
    for (const [at, early] of judged.entries()) {
      if (early.isHeld !== first) continue;
      const against = judged
        .slice(at + 1)
        .filter(({ load, isHeld }) => isHeld !== first && (first ? load <= early.load : load >= early.load));
      const [farthest] = against.toSorted((a, b) => (first ? a.load - b.load : b.load - a.load));
      if (farthest === undefined) continue;
      const distance = Math.abs(Math.log(early.load / farthest.load));
      if (distance < DISTANCE_LEAST && against.length < AGAINST_LEAST) continue;
      return first
        ? { kind, held: early.load, failed: farthest.load }
        : { kind, held: farthest.load, failed: early.load };
    }
  }
  return undefined;
};

const VERDICTS: ReadonlySet<SearchedStage['verdict']> = new Set(['held', 'missed', 'over-capacity']);
/**
 * Distance of logarithms. Both verdicts would have to be wrong by half of it, and at 5 % that happens once in a
 * hundred.
 */
const DISTANCE_LEAST = 0.1;
const AGAINST_LEAST = 3;
