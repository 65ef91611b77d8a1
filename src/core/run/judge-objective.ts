// Whether a run meets an objective, and how sure that is. Met: the confidence interval is within the limit.
// Missed: it is beyond. Else there were too few samples. Samples of one run are correlated, because of the
// queue: each interval is as wide as that of the smaller number of independent samples that they are worth
// (statistics/dependent-evidence.ts). A result that is clear under the worst dependence is
// decided anyway (statistics/worst-dependence.ts).

import * as v from 'valibot';
import { counted, ofCount } from '../figure/figure.ts';
import { count, figure, type Infer, openObject, reported, text } from '../schema.ts';
import { batchedRatio, type RatioBatch } from '../statistics/batched-ratio.ts';
import {
  LATER_DEGREES,
  leastDecided,
  OBSERVATIONS_MOST,
  shareEstimate,
  worthOf,
} from '../statistics/dependent-evidence.ts';
import { meanInterval } from '../statistics/mean-interval.ts';
import { percentileShares, sideOfShare } from '../statistics/share-interval.ts';
import { upperStudent } from '../statistics/student-quantile.ts';
import { isMeanOver, sideOfBlocks } from '../statistics/worst-dependence.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import { isOfWholeSessions, type JudgedObjective, judgedText, OBJECTIVES_MAX } from './objective.ts';
import type { ObjectiveEvidence } from './objective-tally.ts';

export type ObjectiveVerdict = 'met' | 'missed' | 'too-few-samples';

export const objectiveEstimateSchema = openObject({
  value: v.nullable(figure),
  low: figure,
  high: v.nullable(figure),
});

export const objectiveAnswerSchema = openObject({
  /** As it was written: `ttft.p95=500ms`. */
  objective: text,
  /** In the unit of the objective: ns, or a share of 1. */
  limit: figure,
  unit: v.picklist(['ns', 'share']),
  estimate: reported(objectiveEstimateSchema),
  answer: v.picklist(['met', 'missed', 'too-few-samples']),
  /** How many samples would decide; unknown if no number of them would be enough. */
  samplesNeeded: reported(count),
  /** Whole sessions are judged, and samplesNeeded counts them; absent: requests. */
  isOfSessions: v.exactOptional(v.literal(true)),
});

/** The result for one objective. */
export type ObjectiveAnswer = Infer<typeof objectiveAnswerSchema>;

/** One for the limits of a request together, and one for each objective of the run. */
export const objectiveAnswersSchema = v.pipe(v.array(objectiveAnswerSchema), v.maxLength(OBJECTIVES_MAX + 1));

/**
 * With its interval. null is beyond every sample: failed requests count as longer than any, and with few
 * samples even the longest is no limit.
 */
export type ObjectiveEstimate = Infer<typeof objectiveEstimateSchema>;

const OBJECTIVE_CONFIDENCE = 0.95;

/** @param confidence of the interval; the error probability is split equally between its two ends */
export const judgeObjective = (
  objective: JudgedObjective,
  evidence: ObjectiveEvidence,
  confidence: number = OBJECTIVE_CONFIDENCE,
): ObjectiveAnswer => {
  const isOfSessions = isOfWholeSessions(objective);
  const reported = {
    objective: judgedText(objective),
    limit: limitOf(objective),
    unit: unitOf(objective),
    ...(isOfSessions ? ({ isOfSessions } as const) : {}),
  };
  if (evidence.count === 0) {
    const nothing = unknown(
      isOfSessions ? 'no session began long enough before the end' : 'no request has ended',
    );
    return { ...reported, estimate: nothing, answer: 'too-few-samples', samplesNeeded: nothing };
  }
  const judged = { evidence, confidence };
  switch (objective.kind) {
    case 'attainment': {
      const share = { ...judged, share: objective.share, limit: 1 };
      const decided = judgeShare(share);
      return {
        ...reported,
        estimate: onItsSide(estimateOf(share), share.share, decided.answer),
        ...decided,
      };
    }
    case 'error-rate': {
      const share = { ...judged, share: 1 - objective.limitShare, limit: undefined };
      const decided = judgeShare(share);
      const { value, low, high } = onItsSide(estimateOf(share), share.share, decided.answer);
      return { ...reported, estimate: { value: 1 - value, low: 1 - high, high: 1 - low }, ...decided };
    }
    case 'percentile': {
      const share = { ...judged, share: objective.percentile / 100, limit: objective.limitNs };
      const decided = judgeShare(share);
      return {
        ...reported,
        ...decided,
        estimate: percentileEstimate(share, decided.answer),
      };
    }
    case 'mean':
      return { ...reported, ...judgeMean(judged, objective.limitNs) };
    default:
      return objective satisfies never;
  }
};

interface Judged {
  readonly evidence: ObjectiveEvidence;
  readonly confidence: number;
}

interface JudgedShare extends Judged {
  /** Share that must be good. */
  readonly share: number;
  /** On the scale of the values of the evidence. */
  readonly limit: number | undefined;
}

type Decided = Pick<ObjectiveAnswer, 'answer' | 'samplesNeeded'>;

/**
 * A percentile is within its limit if that share of samples is: one rule for attainment, error rates and
 * percentiles. A sample without a figure counts as good when "missed" is tested, and as bad when "met" is
 * tested.
 */
const judgeShare = ({ evidence, confidence, share, limit }: JudgedShare): Decided => {
  const { count, good, unknown: unsaid } = evidence;
  // If it covers every request, nothing is inferred: all were seen.
  if (share >= 1) {
    if (good + unsaid < count) return { answer: 'missed', samplesNeeded: count };
    return unsaid === 0 ? { answer: 'met', samplesNeeded: count } : lacking(unsaid);
  }
  const worth = worthOf(evidence, { confidence, limit });
  const side = (hits: number, samples: number, each: number = worth): 'above' | 'below' | 'unsure' =>
    sideOfShare({ hits: (hits / count) * samples * each, of: samples * each, share, confidence });
  const blocks = (hits: number): 'above' | 'below' | 'unsure' =>
    sideOfBlocks({ hits, of: count, misses: evidence.missRuns, share, confidence });
  if (side(good, count) === 'above' || blocks(good) === 'above')
    return { answer: 'met', samplesNeeded: count };
  const doubt = (1 - confidence) / 2;
  if (
    side(good + unsaid, count) === 'below' ||
    blocks(good + unsaid) === 'below' ||
    isMeanOver({ batches: evidence.misses, limit: 1 - share, largest: 1, doubt })
  )
    return { answer: 'missed', samplesNeeded: count };
  // With more samples their correlation would be better known, so that each is worth more.
  const later = worthOf(evidence, { confidence, limit, isLater: true });
  const isDecidedLater = (samples: number): boolean => side(good, samples, later) !== 'unsure';
  // If this many would be enough with a known correlation, more of them are needed to show the correlation.
  const samplesNeeded =
    leastDecided(isDecidedLater(count) ? 2 * count : count, isDecidedLater) ?? AT_THE_LIMIT;
  return unsaid > 0 && side(good, count) !== side(good + unsaid, count)
    ? lacking(unsaid)
    : { answer: 'too-few-samples', samplesNeeded: inRequests(samplesNeeded, evidence, count) };
};

/** For a figure that only some requests have: the number of requests with that many figures. */
const inRequests = (
  samplesNeeded: Reported<number>,
  { ended }: ObjectiveEvidence,
  counted: number,
): Reported<number> =>
  isUnknown(samplesNeeded)
    ? samplesNeeded
    : Math.max(ended + 1, Math.ceil(samplesNeeded * (ended / Math.max(1, counted))));

const lacking = (unsaid: number): Decided => ({
  answer: 'too-few-samples',
  samplesNeeded: unknown(`${counted(unsaid, 'request')} ${ofCount(unsaid, 'has', 'have')} no figure for it`),
});

const estimateOf = ({ evidence, confidence, limit }: JudgedShare): ReturnType<typeof shareEstimate> =>
  shareEstimate(evidence, { worth: worthOf(evidence, { confidence, limit }), confidence });

/**
 * The test that decided is more certain about the side than the interval, which treats dependence
 * differently.
 */
const onItsSide = <T extends { readonly low: number; readonly high: number }>(
  estimate: T,
  share: number,
  answer: ObjectiveVerdict,
): T => {
  if (share >= 1) return estimate;
  if (answer === 'missed') return { ...estimate, high: Math.min(estimate.high, share) };
  return answer === 'met' ? { ...estimate, low: Math.max(estimate.low, share) } : estimate;
};

/** Clamped to the side of the limit that the counts prove: the histogram is only accurate to 0.1 %. */
const percentileEstimate = (
  { evidence, confidence, share, limit = 0 }: JudgedShare,
  answer: ObjectiveVerdict,
): ObjectiveEstimate => {
  const { count, valueAt } = evidence;
  const bounds = percentileShares({
    share,
    // The percentile itself is among the values, wherever the limit is.
    of: count * worthOf(evidence, { confidence, limit: undefined }),
    confidence,
  });
  const at = (part: number | undefined): number | undefined =>
    part === undefined ? undefined : valueAt(Math.max(1, Math.ceil(part * count - ROUNDING)));
  const high = at(bounds.high);
  const low = at(bounds.low) ?? 0;
  return {
    value: valueAt(Math.floor(share * (count - 1) + ROUNDING) + 1) ?? null,
    low: answer === 'missed' ? Math.max(low, limit) : low,
    high: high === undefined ? null : answer === 'met' ? Math.min(high, limit) : high,
  };
};

/** Over completed samples: a failed one has no time to be averaged, and an objective of its own. */
const judgeMean = (
  { evidence, confidence }: Judged,
  limitNs: number,
): Decided & Pick<ObjectiveAnswer, 'estimate'> => {
  const samples = sumOf(evidence.values, batch => batch.size);
  const ratio = batchedRatio(evidence.values);
  if (ratio === undefined || samples < MEAN_SAMPLES_LEAST) {
    const estimate = unknown(
      `${counted(samples, 'value')} ${ofCount(samples, 'is', 'are')} too few for an interval`,
    );
    return {
      estimate,
      answer: 'too-few-samples',
      samplesNeeded: inRequests(Math.max(MEAN_SAMPLES_LEAST, samples + 1), evidence, samples),
    };
  }
  const interval = meanInterval(ratio, confidence);
  const { value, variance } = ratio;
  const doubt = (1 - confidence) / 2;
  const isOver = isMeanOver({ batches: evidence.values, limit: limitNs, largest: undefined, doubt });
  if (interval.kind === 'too-short') {
    const enough = Math.ceil(samples * interval.times);
    const estimate = unknown(
      `the values stay correlated too long for a run of ${counted(samples, 'value')}; about ${enough} would do`,
    );
    if (isOver)
      return { estimate: { value, low: limitNs, high: null }, answer: 'missed', samplesNeeded: samples };
    return interval.most <= limitNs && evidence.unknown === 0
      ? { estimate: { value, low: 0, high: limitNs }, answer: 'met', samplesNeeded: samples }
      : { estimate, answer: 'too-few-samples', samplesNeeded: inRequests(enough, evidence, samples) };
  }
  const estimate = { value, low: interval.low, high: interval.high };
  if (evidence.unknown > 0) return { estimate, ...lacking(evidence.unknown) };
  if (estimate.high <= limitNs) return { estimate, answer: 'met', samplesNeeded: samples };
  if (estimate.low > limitNs || isOver)
    return {
      estimate: { ...estimate, low: Math.max(estimate.low, limitNs) },
      answer: 'missed',
      samplesNeeded: samples,
    };
  const laterVariance = batchedRatio(evidence.values, -1)?.variance ?? variance;
  const later = upperStudent(doubt, LATER_DEGREES) * Math.sqrt(laterVariance);
  const needed = Math.ceil(samples * (later / (value - limitNs)) ** 2);
  return {
    estimate,
    answer: 'too-few-samples',
    samplesNeeded:
      needed <= OBSERVATIONS_MOST
        ? inRequests(Math.max(needed, samples + 1), evidence, samples)
        : AT_THE_LIMIT,
  };
};

const limitOf = (objective: JudgedObjective): number => {
  switch (objective.kind) {
    case 'attainment':
      return objective.share;
    case 'error-rate':
      return objective.limitShare;
    default:
      return objective.limitNs;
  }
};

const unitOf = ({ kind }: JudgedObjective): ObjectiveAnswer['unit'] =>
  kind === 'attainment' || kind === 'error-rate' ? 'share' : 'ns';

const sumOf = (batches: readonly RatioBatch[], of: (batch: RatioBatch) => number): number =>
  batches.reduce((sum, batch) => sum + of(batch), 0);

/** Fewer samples do not show their correlation. */
const MEAN_SAMPLES_LEAST = 20;
const ROUNDING = 1e-9;
const AT_THE_LIMIT = unknown('the measured value is at the limit itself');
