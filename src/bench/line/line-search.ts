// Which load is tried next: one request at a time, closed loops that tell the capacity, a bracket that grows until one load
// holds and one does not, its halves down to the resolution, and both ends once more. A pure function of the stages so far
// and of the time that is left.

import type { StageLoad, StagePurpose, StageVerdict } from '../../core/sweep/stage.ts';
import type { LoadEvidence } from './trials.ts';
import { Trials } from './trials.ts';

export interface SearchOptions {
  readonly by: 'rate' | 'concurrency';
  readonly arrival: 'poisson' | 'constant';
  /** 0.05: the ends of the bracket are 5 % apart. */
  readonly resolution: number;
  readonly loadMax: number;
}

export interface SearchStep {
  readonly purpose: StagePurpose;
  readonly load: StageLoad;
  /** At most. */
  readonly durationMs: number;
  /** It ends when so many requests have ended; undefined: when it is decided. */
  readonly count: number | undefined;
}

export interface SearchedStage {
  readonly purpose: StagePurpose;
  readonly load: StageLoad;
  readonly verdict: StageVerdict;
  readonly completedPerSecond: number;
  /** The time it was given, ms; it may have ended long before. */
  readonly durationMs: number;
}

/** undefined: nothing is left to try. */
export const nextStep = (
  stages: readonly SearchedStage[],
  options: SearchOptions,
  leftMs: number,
): SearchStep | undefined => {
  if (leftMs < STAGE_MS_MIN || stages.length >= SEARCH_STAGES_MAX || isAtEnd(stages)) return undefined;
  const closed = (purpose: StagePurpose, concurrency: number, part: number, count?: number): SearchStep => ({
    purpose,
    load: { kind: 'concurrency', concurrency },
    durationMs: Math.min(leftMs, Math.max(STAGE_MS_MIN, leftMs * part)),
    count,
  });
  const alone = stages.filter(({ purpose }) => purpose === 'alone');
  if (alone.length === 0) return closed('alone', 1, ALONE_PART);
  if (options.by === 'rate') {
    if (alone.every(({ verdict }) => verdict === 'missed'))
      return alone.length === 1 ? closed('alone', 1, ALONE_PART) : undefined;
    const estimates = stages.filter(({ purpose }) => purpose === 'estimate');
    const concurrency = ESTIMATE_FACTOR ** (estimates.length + 1);
    if (stillGains(stages) && concurrency <= ESTIMATE_CONCURRENCY_MAX)
      return closed('estimate', concurrency, ESTIMATE_PART, Math.max(ESTIMATE_COUNT_MIN, 4 * concurrency));
  }
  return searchStep(stages, options, leftMs);
};

/** Stages that a search with nothing unforeseen still needs, without the running one. */
export const stepsExpected = (stages: readonly SearchedStage[], options: SearchOptions): number => {
  const trials = trialsOf(stages, options);
  const { holds, fails } = trials;
  const closed = stages.length < 3 && options.by === 'rate' ? 3 - stages.length : 0;
  const width = holds === undefined || fails === undefined ? 2 : fails.load / holds.load;
  return (
    closed +
    (holds === undefined || fails === undefined ? 1 : 0) +
    halvings(width, options) +
    unconfirmed(trials)
  );
};

export const trialsOf = (stages: readonly SearchedStage[], { by }: SearchOptions): Trials => {
  const trials = new Trials();
  for (const { purpose, load, verdict } of stages)
    if (load.kind === by && purpose !== 'estimate') trials.add({ load: loadOf(load), verdict });
  return trials;
};

/** Requests/s or requests in flight. */
export const loadOf = (load: StageLoad): number =>
  load.kind === 'rate' ? load.requestsPerSecond : load.concurrency;

/** Requests/s that closed loops reached: a first idea of the capacity, no verdict on it. */
export const capacityEstimate = (stages: readonly SearchedStage[]): number =>
  Math.max(
    0,
    ...stages
      .filter(({ purpose }) => purpose === 'alone' || purpose === 'estimate')
      .map(({ completedPerSecond }) => completedPerSecond),
  );

const isAtEnd = (stages: readonly SearchedStage[]): boolean =>
  stages.at(-1)?.verdict === 'stopped' ||
  stages.some(({ purpose, verdict }) => purpose === 'alone' && verdict === 'broken') ||
  // Once may be a hiccup of its own; an endpoint that answers nobody twice in a row is gone.
  (stages.length > 1 && stages.slice(-2).every(({ verdict }) => verdict === 'broken'));

/** The last closed loop answered clearly more than the one before. */
const stillGains = (stages: readonly SearchedStage[]): boolean => {
  const rates = stages
    .filter(({ purpose }) => purpose === 'alone' || purpose === 'estimate')
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
  const step = (purpose: StagePurpose, load: number, part: number): SearchStep => ({
    purpose,
    load: stageLoad(load, options),
    durationMs: Math.min(leftMs, Math.max(STAGE_MS_MIN, leftMs * part)),
    count: undefined,
  });
  const ceiling = fails?.load ?? trials.clientLimit;
  if (holds === undefined || ceiling === undefined) {
    const load = bracketLoad(stages, trials, options);
    // Fewer requests come at a lower load, and it takes as many to decide.
    const part = fails === undefined ? BRACKET_PART_UP : BRACKET_PART_DOWN;
    const isTooSlow = load !== undefined && (load * leftMs * part) / 1_000 < BRACKET_REQUESTS_MIN;
    return load === undefined || (options.by === 'rate' && isTooSlow)
      ? confirmation(trials, step)
      : step('bracket', load, part);
  }
  const load = middle(trials, { low: holds.load, high: ceiling }, options);
  if (load === undefined) {
    const again = undecidedAgain(stages, { low: holds.load, high: ceiling }, { trials, options, leftMs });
    return again === undefined ? confirmation(trials, step) : step('bisect', again, AGAIN_PART);
  }
  const left = halvings(ceiling / holds.load, options) + unconfirmed(trials);
  return step('bisect', load, 1 / Math.max(2, left));
};

/** Up from what holds, down from what does not; where neither is known, below the estimate of the capacity. */
const bracketLoad = (
  stages: readonly SearchedStage[],
  trials: Trials,
  options: SearchOptions,
): number | undefined => {
  const { holds, fails, highest, lowest } = trials;
  const capacity = capacityEstimate(stages);
  if (highest === undefined || lowest === undefined)
    return options.by === 'concurrency' ? 1 : Math.min(options.loadMax, BRACKET_START * capacity);
  if (fails === undefined && trials.clientLimit === undefined) {
    if (highest >= options.loadMax) return undefined;
    return Math.min(options.loadMax, rounded(highest * BRACKET_UP, options));
  }
  if (holds === undefined && options.by === 'rate') {
    const load = lowest / BRACKET_DOWN;
    return load < capacity * LOWEST_PART ? undefined : load;
  }
  return undefined;
};

/** Of the bracket, or of the wider of the gaps beside what was tried in it and decided nothing. */
const middle = (
  trials: Trials,
  { low, high }: { readonly low: number; readonly high: number },
  options: SearchOptions,
): number | undefined => {
  const inside = trials.between(low, high);
  const gaps = [
    { low, high: inside[0] ?? high },
    { low: inside.at(-1) ?? low, high },
  ].toSorted((a, b) => b.high / b.low - a.high / a.low);
  for (const gap of gaps) {
    // Beside a load that decides nothing half the resolution says as little.
    if (gap.high / gap.low <= 1 + options.resolution) continue;
    const load = rounded(Math.sqrt(gap.low * gap.high), options);
    if (load > gap.low && load < gap.high) return load;
  }
  return undefined;
};

/** The time that easy loads left over goes to the hard ones, from the ends of the bracket inwards. */
const undecidedAgain = (
  stages: readonly SearchedStage[],
  { low, high }: { readonly low: number; readonly high: number },
  {
    trials,
    options,
    leftMs,
  }: { readonly trials: Trials; readonly options: SearchOptions; readonly leftMs: number },
): number | undefined => {
  if (high / low <= 1 + options.resolution) return undefined;
  const inside = trials.between(low, high).filter(load => {
    const evidence = trials.at(load);
    return evidence !== undefined && evidence.held + evidence.failed === 0 && !evidence.isClientBound;
  });
  const isWorthIt = (load: number | undefined): load is number =>
    load !== undefined &&
    stages.every(
      stage =>
        stage.load.kind !== options.by ||
        loadOf(stage.load) !== load ||
        stage.durationMs * AGAIN_FACTOR < leftMs * AGAIN_PART,
    );
  return [inside[0], inside.at(-1)].find(isWorthIt);
};

/** Both ends again, the one that was found last at last: whatever drifts with time does not hide in the order. */
const confirmation = (
  trials: Trials,
  step: (purpose: StagePurpose, load: number, part: number) => SearchStep,
): SearchStep | undefined => {
  const ends = [trials.holds, trials.fails]
    .filter(end => end !== undefined)
    .filter(isUnconfirmed)
    .toSorted((a, b) => a.order - b.order);
  const [end] = ends;
  return end === undefined ? undefined : step('confirm', end.load, 1 / ends.length);
};

/** Measured once. One that a second stage could not decide is not asked a third time. */
const isUnconfirmed = ({ held, failed, undecided }: LoadEvidence): boolean =>
  held + failed === 1 && undecided === 0;

const unconfirmed = ({ holds, fails }: Trials): number =>
  [holds, fails].filter(end => end === undefined || isUnconfirmed(end)).length;

const halvings = (width: number, { resolution }: SearchOptions): number =>
  Math.max(0, Math.ceil(Math.log2(Math.log(width) / Math.log1p(resolution)) - 1e-9));

const rounded = (load: number, { by }: SearchOptions): number =>
  by === 'concurrency' ? Math.round(load) : load;

const stageLoad = (load: number, { by, arrival }: SearchOptions): StageLoad =>
  by === 'rate'
    ? { kind: 'rate', requestsPerSecond: load, arrival }
    : { kind: 'concurrency', concurrency: load };

/** Of the time left, which two confirmations need as well. */
const AGAIN_PART = 0.4;
const AGAIN_FACTOR = 1.5;
const STAGE_MS_MIN = 1_000;
const SEARCH_STAGES_MAX = 60;
const ALONE_PART = 0.08;
const ESTIMATE_PART = 0.04;
const ESTIMATE_FACTOR = 4;
const ESTIMATE_COUNT_MIN = 40;
const ESTIMATE_CONCURRENCY_MAX = 256;
/** Four times as many at a time and not half as much more done: the servers are busy. */
const ESTIMATE_GAIN_MIN = 1.5;
const BRACKET_PART_UP = 0.15;
const BRACKET_PART_DOWN = 0.4;
/** Fewer decide nothing. */
const BRACKET_REQUESTS_MIN = 60;
const BRACKET_START = 0.7;
/** From 0.7 to 1.2 × the estimate, where a queue grows fast. */
const BRACKET_UP = 1.7;
const BRACKET_DOWN = 2;
/** Of the estimate: below it the bracket is as good as empty. */
const LOWEST_PART = 0.01;
