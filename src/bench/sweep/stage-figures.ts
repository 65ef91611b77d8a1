// The figures of a stage, from its data and the last look of its decider.

import type { ObjectiveAnswer } from '../../core/run/judge-objective.ts';
import type { Report } from '../../core/run/report.ts';
import { lowerPercentile } from '../../core/statistics/percentile.ts';
import {
  type StageCurve,
  type StageFigures,
  type StageLoad,
  type StageTimeline,
  TIMELINE_POINTS_MAX,
} from '../../core/sweep/stage.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { CriterionResult } from '../line/criterion-test.ts';
import { LOOK_RATIO, type Look } from '../line/stage-decider.ts';
import { type QueueReading, queueInSteps } from './server-queue.ts';
import type { StageAccount } from './stage-account.ts';
import type { StageCriterion } from './stage-criteria.ts';

interface FiguresOptions {
  readonly account: StageAccount;
  readonly load: StageLoad;
  /** ns from the start of the load to its end, excluding the drain. */
  readonly elapsedNs: number;
  readonly look: Look | undefined;
  readonly queue: Reported<readonly QueueReading[]>;
}

export const stageFigures = ({ account, elapsedNs, look, queue }: FiguresOptions): StageFigures => {
  const { ledger } = account;
  const { issued, completed, failed, cancelled } = ledger;
  const perSecond = (count: number): Reported<number> =>
    elapsedNs > 0 ? (count * 1e9) / elapsedNs : unknown('the stage has only begun');
  const objectives = objectiveAnswers(account, look);
  return {
    issued,
    completed,
    failed,
    cancelled,
    elapsedNs,
    completedPerSecond: perSecond(completed),
    outputTokensPerSecond:
      account.withoutUsage > 0 || completed === 0
        ? unknown(completed === 0 ? 'no request completed' : 'the server reported no usage')
        : perSecond(account.outputTokens),
    perUserTokensPerSecond: perUser(account),
    attainment: attainmentOf(account.criteria, objectives),
    objectives,
    curve: curveOf(account),
    inFlightGrowthPerMinute: look?.growth?.perMinute ?? unknown(noGrowth(account)),
    littlesLawRatio: littlesLawRatio(account),
    steadyFromNs: steadyFrom(account, look),
    timeline: timelineOf(account, elapsedNs, queue),
    ...(account.sessions === undefined ? {} : { sessions: account.sessions.figures() }),
  };
};

/**
 * If the server reported no usage and a tokenizer counted after the run, figures of tokens are those of its report.
 */
export const withCountedTokens = (figures: StageFigures, report: Report): StageFigures => {
  const { tokenizer, outputTokensPerSecond, perUserTokensPerSecond } = report;
  if (tokenizer === undefined || isUnknown(tokenizer) || tokenizer.filled === 0) return figures;
  return { ...figures, outputTokensPerSecond, perUserTokensPerSecond: perUserTokensPerSecond.p50 };
};

const perUser = ({ tpotNs }: StageAccount): Reported<number> =>
  tpotNs.length === 0
    ? unknown('no answer had two tokens with their times')
    : 1e9 / Math.max(1, lowerPercentile(tpotNs.sorted(), 50));

/** The decider's verdict counts, because its looks share the error; the figures are judged as in any run. */
const objectiveAnswers = (account: StageAccount, look: Look | undefined): readonly ObjectiveAnswer[] =>
  account.tallies.answers().flatMap((judged, at) => {
    const criterion = account.criteria[at];
    if (criterion === undefined) return [];
    const { objective, kind, limit } = criterion;
    const result = look?.results[at];
    const answer = result?.answer ?? 'too-few-samples';
    return {
      ...judged,
      answer,
      estimate: onItsSide({ ...judged, answer }, objective.kind === 'attainment'),
      samplesNeeded:
        kind === 'share' && limit === 0
          ? OF_EACH
          : result?.estimate === undefined
            ? judged.samplesNeeded
            : needed(result, (judged.isOfSessions ? account.sessions?.ledger : account.ledger)?.issued ?? 0),
    };
  });

/**
 * The decision is more certain about the side of the limit than the interval of the figure, which treats dependence
 * differently.
 */
const onItsSide = (
  { estimate, limit, answer }: Pick<ObjectiveAnswer, 'estimate' | 'limit' | 'answer'>,
  isMoreBetter: boolean,
): ObjectiveAnswer['estimate'] => {
  if (isUnknown(estimate) || answer === 'too-few-samples') return estimate;
  return (answer === 'missed') === isMoreBetter
    ? { ...estimate, high: Math.min(estimate.high ?? limit, limit) }
    : { ...estimate, low: Math.max(estimate.low, limit) };
};

/**
 * Never fewer than were sent: if these are not enough, the parts of the stage contradict each other, and a longer one
 * must decide.
 */
const needed = ({ samplesNeeded, steadyFrom = 0 }: CriterionResult, issued: number): Reported<number> => {
  if (samplesNeeded === undefined) return unknown('it is at the limit: no number of requests would decide');
  const inAll = samplesNeeded + steadyFrom;
  return inAll > issued ? inAll : Math.ceil(issued * LOOK_RATIO);
};

const attainmentOf = (
  criteria: readonly StageCriterion[],
  answers: readonly ObjectiveAnswer[],
): StageFigures['attainment'] => {
  const at = criteria.findIndex(({ objective }) => objective.kind === 'attainment');
  const estimate = answers[at]?.estimate ?? unknown('no objective for single requests was given');
  if (isUnknown(estimate)) return estimate;
  const { value, low, high } = estimate;
  return { value: value ?? 0, low, high: high ?? 1 };
};

const curveOf = ({ ttftNs, latencyNs, isOpenLoop }: StageAccount): Reported<StageCurve> => {
  const isStreaming = ttftNs.length > 0;
  const sorted = (isStreaming ? ttftNs : latencyNs).sorted();
  if (sorted.length === 0) return unknown('no request completed');
  return {
    // In closed loop a request is due when it is sent.
    series: isOpenLoop
      ? isStreaming
        ? 'ttftFromIntendedNs'
        : 'latencyFromIntendedNs'
      : isStreaming
        ? 'ttftNs'
        : 'latencyNs',
    p50: lowerPercentile(sorted, 50),
    percentile: CURVE_PERCENTILE,
    atPercentile: lowerPercentile(sorted, CURVE_PERCENTILE),
    p99: lowerPercentile(sorted, 99),
  };
};

const noGrowth = ({ isOpenLoop, isCapped }: StageAccount): string => {
  if (!isOpenLoop) return 'in closed loop a fixed number of requests is in flight';
  return isCapped ? 'arrivals wait for a slot, and the queue is not seen' : 'too few requests to decide';
};

/**
 * Mean in flight × time against the sum of all latencies, once the last request has ended, so that no edge needs
 * correction. Starts and ends are reported on different paths: a loss on either shows here.
 */
const littlesLawRatio = ({ ledger, latencyTotalNs, lastEndNs }: StageAccount): Reported<number> => {
  if (ledger.ended < ledger.issued || latencyTotalNs === 0) return unknown('not all requests have ended');
  const [meanInFlight = 0] = ledger.inFlight().levels({ fromNs: 0, toNs: lastEndNs, steps: 1 });
  return (meanInFlight * lastEndNs) / latencyTotalNs;
};

const steadyFrom = ({ ledger }: StageAccount, look: Look | undefined): Reported<number> => {
  const index = look?.results[0]?.steadyFrom;
  const atNs = index === undefined ? undefined : ledger.issuedNsAt(index);
  return atNs ?? unknown('no steady state was reached');
};

const timelineOf = (
  { ledger }: StageAccount,
  elapsedNs: number,
  queue: FiguresOptions['queue'],
): StageTimeline => {
  if (elapsedNs <= 0) return { stepNs: 0, inFlight: [], serverQueue: unknown('the stage has only begun') };
  // No step shorter than a person would notice.
  const steps = Math.max(1, Math.min(TIMELINE_POINTS_MAX, Math.floor(elapsedNs / TIMELINE_STEP_NS_MIN)));
  const levels = ledger.inFlight().levels({ fromNs: 0, toNs: elapsedNs, steps });
  const stepNs = elapsedNs / steps;
  return { stepNs, inFlight: [...levels], serverQueue: queueInSteps(queue, { stepNs, steps }) };
};

/** The criterion describes the load, not only the requests that were sent. */
const OF_EACH = unknown('no number of requests proves that none will miss it');
const CURVE_PERCENTILE = 95;
const TIMELINE_STEP_NS_MIN = 100e6;
