// Tests one criterion with a stage's requests: its mean with an interval for requests that depend on each other, and
// whether that interval is within the limit or beyond it.

import type { ObjectiveVerdict } from '../../core/run/judge-objective.ts';
import { batchMeans } from '../../core/statistics/batch-means.ts';
import { steadyStateStart } from '../../core/statistics/steady-state-start.ts';
import { upperStudent } from '../../core/statistics/student-quantile.ts';
import { isMeanOver } from '../../core/statistics/worst-dependence.ts';
import type { Estimate } from '../../core/sweep/stage.ts';
import { type Criterion, type CriterionColumn, OPEN } from './stage-ledger.ts';

export interface CriterionResult {
  readonly answer: ObjectiveVerdict;
  /** Estimate of the mean; undefined with fewer samples than batches need. */
  readonly estimate: Estimate | undefined;
  /** This many dependent requests are worth one independent request. */
  readonly inflation: number;
  /** Number of requests left out at the front; undefined if no steady state was reached. */
  readonly steadyFrom: number | undefined;
  readonly samples: number;
  /** At the observed mean and dependence; undefined if the mean equals the limit. */
  readonly samplesNeeded: number | undefined;
  /** Distance from the limit; undefined without an estimate. */
  readonly excess: Excess | undefined;
}

/** On a logarithmic scale, on which a queue's response is nearly straight over small differences of load. */
export interface Excess {
  /** ln of measured value ÷ limit: below 0 within it. */
  readonly value: number;
  readonly standardError: number;
  /**
   * For one request, dependence included: the standardError at the limit times the root of the number of requests.
   */
  readonly spread: number;
}

interface CriterionDoubt {
  /** The probability of a wrong verdict at one look, in each direction. */
  readonly alpha: number;
  /** The mean on an idle endpoint; undefined if it was not measured. */
  readonly idle?: number | undefined;
}

export const testCriterion = (
  criterion: Criterion,
  column: CriterionColumn,
  doubt: CriterionDoubt,
): CriterionResult => {
  const steadyFrom = steadyStateStart(column.times, column.count);
  const steady = testFrom(criterion, column, steadyFrom ?? Math.floor(column.count / 2), doubt);
  // What is cut off at the front may have been a burst as well as a start, so both estimates must agree.
  const whole = steadyFrom === 0 ? steady : testFrom(criterion, column, 0, doubt);
  const isSure = steady.answer === whole.answer && (steadyFrom !== undefined || steady.answer === 'missed');
  const answer = isSure ? steady.answer : 'too-few-samples';
  if (answer === 'too-few-samples' && isClearlyMissed(criterion, column, doubt.alpha))
    return { ...steady, answer: 'missed', steadyFrom };
  return { ...steady, answer, steadyFrom };
};

/**
 * Uses the whole stage, independent of how its requests depend on each other: a growing queue reaches no steady state
 * to be judged by.
 */
const isClearlyMissed = (
  { kind, limit }: Criterion,
  { values, count }: CriterionColumn,
  alpha: number,
): boolean =>
  isMeanOver({
    batches: Array.from(values.subarray(0, count), value => ({ amount: Math.max(0, value), size: 1 })),
    limit,
    largest: kind === 'share' ? 1 : undefined,
    doubt: alpha,
  });

const testFrom = (
  criterion: Criterion,
  column: CriterionColumn,
  from: number,
  { alpha, idle }: CriterionDoubt,
): Omit<CriterionResult, 'steadyFrom'> => {
  const spread = batchMeans(column.values, { from, to: column.count });
  const samples = column.count - from;
  if (spread === undefined)
    return {
      answer: 'too-few-samples',
      estimate: undefined,
      inflation: 1,
      samples,
      samplesNeeded: undefined,
      excess: undefined,
    };
  const t = upperStudent(alpha, spread.degreesOfFreedom);
  const { estimate, inflation } =
    criterion.kind === 'share'
      ? shareOf(column, from, { criterion, ownInflation: spread.inflation, t })
      : {
          estimate: around(
            spread.mean,
            t * spread.standardError * doubtOfWait(criterion.limit, spread.mean, idle ?? firstMedian(column)),
          ),
          inflation: spread.inflation,
        };
  const isOfBoth = bothHalvesAgree(column, from, criterion.limit, estimate.value);
  return {
    answer: isOfBoth ? answerOf(estimate, criterion.limit) : 'too-few-samples',
    estimate,
    inflation,
    samples,
    samplesNeeded: samplesNeeded({ criterion, estimate, inflation, samples, t }),
    excess: excessOf({
      criterion,
      value: estimate.value,
      inflation,
      samples,
      standardError: spread.standardError,
    }),
  };
};

/**
 * A queue's wait is inversely proportional to the remaining capacity, and chance acts on that remainder: an interval
 * of 1 / wait is symmetric, one of the wait is not. Without this correction, one in three stages of a queue at its
 * limit of mean latency passed.
 */
const doubtOfWait = (limit: number, mean: number, idle: number): number => {
  const base = Math.min(idle, WAITLESS_PART * mean, WAITLESS_PART * limit);
  const ratio = (limit - base) / (mean - base);
  // Beyond the limit the uncertainty is smaller; half of that, in powers, because the idle value may be wrong.
  return ratio >= 1 ? ratio : Math.sqrt(ratio);
};

/** Median of the first requests, which found an empty queue. */
const firstMedian = ({ values, count }: CriterionColumn): number =>
  values.slice(0, Math.min(count, FIRST_VALUES)).sort()[Math.floor(Math.min(count, FIRST_VALUES) / 2)] ?? 0;

const answerOf = ({ low, high }: Estimate, limit: number): ObjectiveVerdict => {
  if (low > limit) return 'missed';
  return high <= limit ? 'met' : 'too-few-samples';
};

const excessOf = ({
  criterion: { kind, limit },
  value,
  inflation,
  samples,
  standardError,
}: {
  readonly criterion: Criterion;
  readonly value: number;
  readonly inflation: number;
  readonly samples: number;
  readonly standardError: number;
}): Excess | undefined => {
  if (limit <= 0) return undefined;
  if (kind === 'mean')
    return {
      value: Math.log(Math.max(value, Number.MIN_VALUE) / limit),
      standardError: standardError / Math.max(value, Number.MIN_VALUE),
      spread: (standardError * Math.sqrt(samples)) / limit,
    };
  const effective = samples / inflation;
  // Counted as half a request that missed, so that a share of none has a logarithm, too.
  const share = (value * effective + 0.5) / (effective + 1);
  return {
    value: Math.log(share / limit),
    standardError: Math.sqrt((1 - share) / share / effective),
    spread: Math.sqrt((inflation * (1 - limit)) / limit),
  };
};

/** A burst is in one half only: what is true of a load is true in both. */
const bothHalvesAgree = (
  { values, count }: CriterionColumn,
  from: number,
  limit: number,
  mean: number,
): boolean => {
  const middle = Math.floor((from + count) / 2);
  return [meanOf(values, from, middle), meanOf(values, middle, count)].every(
    half => half > limit === mean > limit,
  );
};

const meanOf = (values: Float64Array, from: number, to: number): number => {
  let sum = 0;
  for (let index = from; index < to; index += 1) sum += Math.max(0, values[index] ?? 0);
  return sum / (to - from);
};

/** Wilson's interval for the equivalent number of independent samples; open requests count against each end. */
const shareOf = (
  { values, times, count }: CriterionColumn,
  from: number,
  {
    criterion: { limit, isOfTimes },
    ownInflation,
    t,
  }: { readonly criterion: Criterion; readonly ownInflation: number; readonly t: number },
): { readonly estimate: Estimate; readonly inflation: number } => {
  let [missed, open] = [0, 0];
  for (let index = from; index < count; index += 1) {
    if (values[index] === OPEN) open += 1;
    else missed += values[index] ?? 0;
  }
  const samples = count - from;
  // Rare events cannot show how they cluster; the slowest requests can, if they come close to being such events.
  const fewest = Math.min(missed, samples - missed);
  const ofSlowest =
    !isOfTimes || fewest >= EVENTS_MIN * ownInflation
      ? 1
      : inflationOfSlowest({ values, times, from, count }, limit);
  const inflation = Math.max(ownInflation, ofSlowest);
  const effective = samples / inflation;
  return {
    estimate: {
      value: missed / samples,
      low: wilson({ share: missed / samples, count: effective, t: -t }),
      high: wilson({ share: (missed + open) / samples, count: effective, t }),
    },
    inflation,
  };
};

/**
 * Counts as many of them as the limit allows to miss, and never so few that nothing can be concluded; of these, those
 * far enough from the median towards the limit. A queue that causes misses passes there much more often than it
 * reaches the limit: waits have a tail that falls by the same factor for each step (Kingman 1964), so that with a
 * share p of misses about p^0.3 come this far, 41 of 100 if 5 miss. They cluster as misses do. Requests nearer to the
 * median may as well be due to a clock, a network or another load that is slower for a while, and are no evidence.
 */
const inflationOfSlowest = (
  {
    values,
    times,
    from,
    count,
  }: Pick<CriterionColumn, 'values' | 'times' | 'count'> & { readonly from: number },
  limit: number,
): number => {
  const slowest = Math.max(EVENTS_MIN, Math.round(limit * (count - from)));
  const sorted = times.slice(from, count).sort();
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const border = Math.max(
    sorted[Math.max(0, sorted.length - slowest)] ?? 0,
    median + (1 - median) * NEAR_PART,
    SLOW_LEAST * median,
  );
  return (
    batchMeans(
      times.map((time, at) => (time >= border || values[at] === 1 ? 1 : 0)),
      { from, to: count },
    )?.inflation ?? 1
  );
};

const wilson = ({
  share,
  count,
  t,
}: {
  readonly share: number;
  readonly count: number;
  readonly t: number;
}): number => {
  const part = (t * t) / count;
  const half = t * Math.sqrt((share * (1 - share)) / count + part / (4 * count));
  return Math.min(1, Math.max(0, (share + part / 2 + half) / (1 + part)));
};

const around = (value: number, half: number): Estimate => ({ value, low: value - half, high: value + half });

/**
 * For a share by the score test that Wilson's interval inverts; for a mean the half width shrinks with the root of
 * the number.
 */
const samplesNeeded = ({
  criterion: { kind, limit },
  estimate: { value, low, high },
  inflation,
  samples,
  t,
}: {
  readonly criterion: Criterion;
  readonly estimate: Estimate;
  readonly inflation: number;
  readonly samples: number;
  readonly t: number;
}): number | undefined => {
  const room = Math.abs(limit - value);
  const half = value < limit ? high - value : value - low;
  const needed = Math.ceil(
    kind === 'share'
      ? (inflation * t * t * limit * (1 - limit)) / (room * room)
      : samples * (half / room) ** 2,
  );
  return Number.isSafeInteger(needed) ? Math.max(1, needed) : undefined;
};

const FIRST_VALUES = 20;
/** A larger idle value would leave no wait to judge. */
const WAITLESS_PART = 0.95;
const EVENTS_MIN = 20;
/** Part of the distance from the median to the limit. */
const NEAR_PART = 0.3;
/** Factor over the median: without any queue, a slow period of the clock or the network is not one. */
const SLOW_LEAST = 1.01;
