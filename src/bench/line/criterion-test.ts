// Tests one criterion with a stage's requests: its mean with the interval that objectives have, for requests that depend
// on each other, and whether that interval is within the limit or beyond it.

import type { ObjectiveVerdict } from '../../core/run/judge-objective.ts';
import { batchedRatio } from '../../core/statistics/batched-ratio.ts';
import {
  type DependentEvidence,
  DependentTally,
  leastDecided,
  shareEstimate,
  worthOf,
} from '../../core/statistics/dependent-evidence.ts';
import { meanInterval } from '../../core/statistics/mean-interval.ts';
import { sideOfShare } from '../../core/statistics/share-interval.ts';
import { steadyStateStart } from '../../core/statistics/steady-state-start.ts';
import { upperStudent } from '../../core/statistics/student-quantile.ts';
import { isMeanOver } from '../../core/statistics/worst-dependence.ts';
import type { Estimate, Excess } from '../../core/sweep/stage.ts';
import { type Criterion, type CriterionColumn, OPEN } from './stage-ledger.ts';

export interface CriterionResult {
  readonly answer: ObjectiveVerdict;
  /** Estimate of the mean; undefined with too few samples. */
  readonly estimate: Estimate | undefined;
  /** What one request is worth, as a part of an independent one. */
  readonly worth: number;
  /** Number of requests left out at the front; undefined if no steady state was reached. */
  readonly steadyFrom: number | undefined;
  readonly samples: number;
  /** At the observed mean and dependence; undefined if the mean equals the limit. */
  readonly samplesNeeded: number | undefined;
  /** Distance from the limit; undefined without an estimate. */
  readonly excess: Excess | undefined;
}

/** @param alpha the probability of a wrong verdict at one look, in each direction */
export const testCriterion = (
  criterion: Criterion,
  column: CriterionColumn,
  alpha: number,
): CriterionResult => {
  const steadyFrom = steadyStateStart(column.times, column.count);
  const steady = testFrom(criterion, column, { from: steadyFrom ?? Math.floor(column.count / 2), alpha });
  // What is cut off at the front may have been a burst as well as a start, so both estimates must agree.
  const whole = steadyFrom === 0 ? steady : testFrom(criterion, column, { from: 0, alpha });
  const isSure = steady.answer === whole.answer && (steadyFrom !== undefined || steady.answer === 'missed');
  const answer = isSure ? steady.answer : 'too-few-samples';
  if (answer === 'too-few-samples' && isClearlyMissed(criterion, column, alpha))
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

interface Part {
  readonly from: number;
  readonly alpha: number;
}

type PartResult = Omit<CriterionResult, 'steadyFrom'>;

const testFrom = (criterion: Criterion, column: CriterionColumn, part: Part): PartResult => {
  const { from } = part;
  const samples = column.count - from;
  const evidence = evidenceOf(criterion, column, from);
  const found =
    samples < SAMPLES_LEAST
      ? undefined
      : criterion.kind === 'share'
        ? ofShare(criterion, evidence, part)
        : ofMean(criterion, evidence, part);
  if (found === undefined)
    return {
      answer: 'too-few-samples',
      estimate: undefined,
      worth: 1,
      samples,
      samplesNeeded: undefined,
      excess: undefined,
    };
  const { estimate } = found;
  const isOfBoth = bothHalvesAgree(column, from, criterion.limit, estimate.value);
  return {
    ...found,
    answer: isOfBoth ? answerOf(estimate, criterion.limit) : 'too-few-samples',
    samples,
  };
};

/** Of the rows from there on; those that are open count for neither side. */
const evidenceOf = (
  { kind, isOfTimes }: Criterion,
  { values, times, sessions, count }: CriterionColumn,
  from: number,
): DependentEvidence => {
  const tally = new DependentTally();
  const clusters = sessions === undefined ? undefined : new Clusters();
  for (let index = from; index < count; index += 1) {
    const value = values[index] ?? OPEN;
    tally.observe();
    clusters?.add(sessions?.[index] ?? 0, value, times[index] ?? 0);
    if (value === OPEN) {
      tally.unsaid();
      continue;
    }
    if (kind === 'mean') {
      tally.valued(value);
      continue;
    }
    if (isOfTimes) tally.valued(times[index] ?? 0);
    if (value === 0) tally.good();
    else tally.missed();
  }
  return { ...tally.evidence(), ...clusters?.batches(kind === 'mean' ? 'values' : 'times') };
};

type Sum = Record<'rows' | 'judged' | 'missed' | 'values' | 'times', number>;

/**
 * Sums over whole sessions: turns of one are a cluster. Sessions that run at the same time share the server, and follow
 * each other here, so that neighbours are merged as the stage grows, as those of FoldingBatches are.
 */
class Clusters {
  readonly #sums: Sum[] = [];
  #session: number | undefined;

  add(session: number, value: number, time: number): void {
    if (session !== this.#session) this.#sums.push({ ...NO_SUM });
    this.#session = session;
    const sum = this.#sums.at(-1);
    if (sum === undefined) return;
    sum.rows += 1;
    if (value === OPEN) return;
    sum.judged += 1;
    if (value !== 0) sum.missed += 1;
    sum.values += value;
    sum.times += time;
  }

  batches(valued: 'values' | 'times'): Pick<DependentEvidence, 'hits' | 'misses' | 'values'> {
    const sums = foldedSums(this.#sums);
    return {
      hits: sums.map(({ judged, missed }) => ({ amount: judged - missed, size: judged })),
      misses: sums.map(({ rows, missed }) => ({ amount: missed, size: rows })),
      values: sums.map(({ judged, [valued]: amount }) => ({ amount, size: judged })),
    };
  }
}

/** Fewer than CLUSTERS_MAX, each of the same number of sessions but for the last. */
const foldedSums = (sums: readonly Sum[]): readonly Sum[] => {
  if (sums.length < CLUSTERS_MAX) return sums;
  const pairs = sums.flatMap((sum, at) => {
    if (at % 2 === 1) return [];
    const next = sums[at + 1] ?? NO_SUM;
    return [
      {
        rows: sum.rows + next.rows,
        judged: sum.judged + next.judged,
        missed: sum.missed + next.missed,
        values: sum.values + next.values,
        times: sum.times + next.times,
      },
    ];
  });
  return foldedSums(pairs);
};

const NO_SUM: Sum = { rows: 0, judged: 0, missed: 0, values: 0, times: 0 };
const CLUSTERS_MAX = 128;

type Found = Pick<PartResult, 'worth' | 'samplesNeeded' | 'excess'> & { readonly estimate: Estimate };

/** The share that misses; that of an objective is the share that is good. */
const ofShare = ({ limit }: Criterion, evidence: DependentEvidence, { alpha }: Part): Found => {
  const confidence = 1 - 2 * alpha;
  const worth = worthOf(evidence, { confidence, limit: 1 });
  const good = shareEstimate(evidence, { worth, confidence });
  const estimate = { value: 1 - good.value, low: 1 - good.high, high: 1 - good.low };
  // A standard error spans one standard deviation: the certainty that a verdict needs is no part of it.
  const usual = worthOf(evidence, { confidence: ONE_DEVIATION, limit: 1 });
  const effective = evidence.count * usual;
  // Counted as half a request that missed, so that a share of none has a logarithm, too.
  const share = (estimate.value * effective + 0.5) / (effective + 1);
  return {
    worth,
    estimate,
    samplesNeeded: leastDecided(
      1,
      samples =>
        sideOfShare({
          hits: good.value * samples * worth,
          of: samples * worth,
          share: 1 - limit,
          confidence,
        }) !== 'unsure',
    ),
    excess:
      limit <= 0
        ? undefined
        : {
            value: Math.log(share / limit),
            standardError: Math.sqrt((1 - share) / share / effective),
            spread: Math.sqrt((1 - limit) / limit / usual),
          },
  };
};

const ofMean = (
  { limit }: Criterion,
  { values, squares }: DependentEvidence,
  { alpha }: Part,
): Found | undefined => {
  const ratio = batchedRatio(values);
  const samples = values.reduce((sum, { size }) => sum + size, 0);
  if (ratio === undefined) return undefined;
  const { value } = ratio;
  const interval = meanInterval(ratio, 1 - 2 * alpha);
  const error = Math.sqrt(ratio.variance);
  const independent = Math.max(0, squares / samples - value ** 2) / samples;
  return {
    worth: ratio.variance > 0 ? Math.min(1, independent / ratio.variance) : 1,
    estimate:
      interval.kind === 'known'
        ? { value, low: interval.low, high: interval.high }
        : { value, low: 0, high: interval.most },
    samplesNeeded: whole(
      samples * ((upperStudent(alpha, ratio.degreesOfFreedom) * error) / (limit - value)) ** 2,
    ),
    excess:
      limit <= 0
        ? undefined
        : {
            value: Math.log(Math.max(value, Number.MIN_VALUE) / limit),
            standardError: error / Math.max(value, Number.MIN_VALUE),
            spread: (error * Math.sqrt(samples)) / limit,
          },
  };
};

const whole = (samples: number): number | undefined => {
  const needed = Math.ceil(samples);
  return Number.isSafeInteger(needed) ? Math.max(1, needed) : undefined;
};

const answerOf = ({ low, high }: Estimate, limit: number): ObjectiveVerdict => {
  if (low > limit) return 'missed';
  return high <= limit ? 'met' : 'too-few-samples';
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

/** Fewer do not show how they depend on each other. */
const SAMPLES_LEAST = 16;
/** The part of a normal distribution within one standard deviation of its mean. */
const ONE_DEVIATION = 0.6827;
