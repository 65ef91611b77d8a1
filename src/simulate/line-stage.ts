// One stage of a simulated search: figures of an endpoint with a known capacity, derived from the offered rate as for a
// queue. Near the capacity the wait grows; above it the queue grows for as long as the stage runs.

import type { RunId } from '../core/ids.ts';
import { type SeededRandom, seededRandom } from '../core/random.ts';
import type {
  Estimate,
  Stage,
  StageFigures,
  StagePurpose,
  StageTimeline,
  StageVerdict,
} from '../core/sweep/stage.ts';
import { unknown } from '../core/unknown.ts';

export interface StagePlan {
  readonly number: number;
  readonly requestsPerSecond: number;
  readonly purpose: StagePurpose;
  /** How long it runs; one above capacity is ended early. */
  readonly seconds: number;
  readonly startedWallMs: number;
  readonly runId: RunId;
}

/** What the endpoint can do. */
export interface MadeUpEndpoint {
  readonly capacityPerSecond: number;
  readonly outputTokens: number;
  readonly limitNs: number;
}

/** @param doneSeconds of a stage that still runs; undefined if it has ended. */
export const simulatedStage = (plan: StagePlan, endpoint: MadeUpEndpoint, doneSeconds?: number): Stage => {
  const isRunning = doneSeconds !== undefined;
  const seconds = Math.min(doneSeconds ?? plan.seconds, plan.seconds);
  const figures = seconds < FIRST_FIGURES_SECONDS ? undefined : figuresOf(plan, endpoint, seconds);
  const verdict = verdictOf(plan, endpoint);
  return {
    number: plan.number,
    load: { kind: 'rate', requestsPerSecond: plan.requestsPerSecond, arrival: 'poisson' },
    purpose: plan.purpose,
    seed: plan.number,
    runId: plan.runId,
    directory: `stage-${String(plan.number).padStart(2, '0')}`,
    startedAt: new Date(plan.startedWallMs).toISOString(),
    state: isRunning ? 'running' : 'ended',
    verdict: isRunning ? unknown('it has not ended') : verdict,
    reasons: isRunning || figures === undefined ? [] : [reasonOf(verdict, figures)],
    figures: figures ?? unknown('no request has ended yet'),
  };
};

/** Whether it would hold; decides how the search continues. */
export const verdictOf = (
  { requestsPerSecond }: Pick<StagePlan, 'requestsPerSecond'>,
  { capacityPerSecond, limitNs }: MadeUpEndpoint,
): StageVerdict => {
  if (requestsPerSecond > capacityPerSecond) return 'over-capacity';
  return firstTokenMs(requestsPerSecond / capacityPerSecond).p95 * 1e6 <= limitNs ? 'held' : 'missed';
};

const figuresOf = (plan: StagePlan, endpoint: MadeUpEndpoint, seconds: number): StageFigures => {
  const { requestsPerSecond: rate } = plan;
  const { capacityPerSecond: capacity, limitNs, outputTokens } = endpoint;
  const random = seededRandom(plan.number);
  const growth = Math.max(0, rate - capacity);
  const first = firstTokenMs(Math.min(rate / capacity, FULL));
  // In a growing queue, later requests wait longer.
  const queuedMs = (share: number): number => (growth / capacity) * seconds * 1_000 * share;
  const p50 = (first.p50 + queuedMs(0.5)) * 1e6;
  const p95 = (first.p95 + queuedMs(0.95)) * 1e6;
  const p99 = (first.p99 + queuedMs(0.99)) * 1e6;
  const issued = Math.round(rate * seconds);
  const completedPerSecond = Math.min(rate, capacity);
  const within = shareWithin(limitNs, p50, p95);
  const tokenMs = 11.8 + 5 * (Math.min(rate, capacity) / capacity);
  const objective = `ttft.p95=${Math.round(limitNs / 1e6)}ms`;
  return {
    issued,
    completed: Math.round(completedPerSecond * seconds),
    failed: 0,
    cancelled: Math.max(0, issued - Math.round(completedPerSecond * seconds)),
    elapsedNs: seconds * 1e9,
    completedPerSecond,
    outputTokensPerSecond: completedPerSecond * outputTokens,
    perUserTokensPerSecond: 1_000 / tokenMs,
    attainment: shareEstimate(within, issued),
    objectives: [
      {
        objective,
        limit: limitNs,
        unit: 'ns',
        estimate: { value: p95, low: p95 * 0.94, high: p95 * 1.07 },
        answer: p95 <= limitNs ? 'met' : 'missed',
        samplesNeeded: issued,
      },
    ],
    curve: { series: 'ttftNs', p50, percentile: 95, atPercentile: p95, p99 },
    inFlightGrowthPerMinute: {
      value: growth * 60,
      low: growth * 60 - 2.1,
      high: growth * 60 + 2.1,
    },
    littlesLawRatio: growth > 0 ? unknown('there is no steady state') : 1 + 0.01 * (random.next() - 0.5),
    steadyFromNs: growth > 0 ? unknown('the queue grows') : SETTLED_SECONDS * 1e9,
    timeline: timelineOf({ plan, endpoint, seconds, growth, first, tokenMs, random }),
  };
};

interface TimelineParts {
  readonly plan: StagePlan;
  readonly endpoint: MadeUpEndpoint;
  readonly seconds: number;
  /** Requests per second that are not served. */
  readonly growth: number;
  readonly first: { readonly p50: number };
  readonly tokenMs: number;
  readonly random: SeededRandom;
}

/** Little's law gives the number in flight; a queue's backlog grows with time. */
const timelineOf = ({
  plan,
  endpoint,
  seconds,
  growth,
  first,
  tokenMs,
  random,
}: TimelineParts): StageTimeline => {
  const points = Math.max(1, Math.round((seconds / plan.seconds) * POINTS));
  const steps = Array.from({ length: points }, (_, index) => ((index + 1) * seconds) / points);
  const latencySeconds = (first.p50 + tokenMs * endpoint.outputTokens) / 1_000;
  const served = Math.min(plan.requestsPerSecond, endpoint.capacityPerSecond) * latencySeconds;
  const inFlight = steps.map(at => {
    const filled = served * (1 - Math.exp((-2.2 * at) / latencySeconds));
    const noise = 1 + 0.16 * (random.next() + random.next() - 1);
    return Math.max(0, Math.round(filled * noise + growth * at));
  });
  return {
    stepNs: Math.round((seconds / points) * 1e9),
    inFlight,
    // What it can work on at once is what it has in flight when it is full.
    serverQueue: inFlight.map(count =>
      Math.max(0, count - Math.ceil(endpoint.capacityPerSecond * latencySeconds)),
    ),
  };
};

/** Time to first token, by the used share of the capacity. */
const firstTokenMs = (used: number): { readonly p50: number; readonly p95: number; readonly p99: number } => {
  const waitMs = (WAIT_MS * used ** 4) / (1.003 - Math.min(used, FULL));
  const p95 = 138 + 74 * used + waitMs;
  return { p50: 88 + 42 * used + 0.24 * waitMs, p95, p99: 1.29 * p95 + 6 };
};

/** The share of a lognormal distribution with these percentiles that is below a limit: logistic approximation. */
const shareWithin = (limitNs: number, p50: number, p95: number): number => {
  const deviations = Math.log(limitNs / p50) / (Math.log(p95 / p50) / P95_DEVIATIONS);
  return Math.round(1_000 / (1 + Math.exp(-1.702 * deviations))) / 1_000;
};

const shareEstimate = (value: number, count: number): Estimate => {
  const half = 1.96 * Math.sqrt((value * (1 - value) + 1 / count) / count);
  return { value, low: Math.max(0, value - half), high: Math.min(1, value + half) };
};

const reasonOf = (verdict: StageVerdict, { attainment, inFlightGrowthPerMinute }: StageFigures): string => {
  if (verdict === 'over-capacity' && 'value' in inFlightGrowthPerMinute)
    return `the queue grows by ${Math.round(inFlightGrowthPerMinute.value)} requests a minute`;
  const share = 'value' in attainment ? `${(attainment.value * 100).toFixed(1)} %` : 'an unknown share';
  return `${share} of the requests met every objective`;
};

const FIRST_FIGURES_SECONDS = 1;
const SETTLED_SECONDS = 6;
const POINTS = 48;
const FULL = 0.97;
const WAIT_MS = 9;
const P95_DEVIATIONS = 1.6449;
