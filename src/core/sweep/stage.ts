// A stage is one load of several: an ordinary run with its own directory, and the verdict on it. A sweep goes
// through loads that a person named; a load line chooses each next load by the results of the previous
// stages.

import type { ObjectiveAnswer } from '../run/judge-objective.ts';
import type { Reported } from '../unknown.ts';

export type StageLoad =
  | {
      readonly kind: 'rate';
      readonly requestsPerSecond: number;
      readonly arrival: 'poisson' | 'constant';
    }
  | { readonly kind: 'concurrency'; readonly concurrency: number };

/** Why this load was tried, and why at this position in the order. */
export type StagePurpose =
  /** A person requested this load. */
  | 'asked'
  /** One request at a time: the speed of an idle endpoint. */
  | 'alone'
  /** Closed loop, with as many at a time as increase the throughput: a first guess of the capacity. */
  | 'estimate'
  /** Doubles or halves the load until one holds and one does not. */
  | 'bracket'
  /** Halves the bracket. */
  | 'bisect'
  /** Measures an end of the bracket once more, with another seed. */
  | 'confirm';

export type StageState = 'running' | 'draining' | 'ended';

export type StageVerdict =
  /** The queue is stable and every objective is met, both at the stated confidence. */
  | 'held'
  /** An objective is missed at the stated confidence. */
  | 'missed'
  /** The queue grows: figures depend on how long the stage ran. */
  | 'over-capacity'
  /** The budget of the stage ended before either was certain. */
  | 'undecided'
  /** This client was the limit, so the stage is no evidence against the endpoint. */
  | 'client-bound'
  /** Ended by a person or by the total budget. */
  | 'stopped'
  /** The run failed: no answer at all, or the client died. */
  | 'broken';

/** A share, rate or duration with its confidence interval. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number };

/** A type, not an interface: it is used in `Reported`. */
export type StageFigures = {
  readonly issued: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** From the start of the load to its end, without the drain, ns. */
  readonly elapsedNs: number;
  readonly completedPerSecond: Reported<number>;
  readonly outputTokensPerSecond: Reported<number>;
  /** 1 / median time per output token: the speed for one user. */
  readonly perUserTokensPerSecond: Reported<number>;
  /** Share of issued samples that meet every objective of a single request. */
  readonly attainment: Reported<Estimate>;
  readonly objectives: readonly ObjectiveAnswer[];
  /** Percentiles in the chart, ns: of the series that the first objective limits, else of TTFT. */
  readonly curve: Reported<StageCurve>;
  /** How fast requests in flight grow, requests per minute. */
  readonly inFlightGrowthPerMinute: Reported<Estimate>;
  /** Mean in flight ÷ (completion rate × mean latency); 1 if records, window and clock agree. */
  readonly littlesLawRatio: Reported<number>;
  /** Start of the steady state (MSER-5), ns from the stage's start. */
  readonly steadyFromNs: Reported<number>;
  readonly timeline: StageTimeline;
};

export type StageCurve = {
  readonly series: 'ttftNs' | 'ttftFromIntendedNs' | 'tpotNs' | 'latencyNs' | 'latencyFromIntendedNs';
  readonly p50: number;
  /** The percentile that the objective limits, or p95. */
  readonly percentile: number;
  readonly atPercentile: number;
  readonly p99: number;
};

/** At most TIMELINE_POINTS_MAX values each, in equal steps from the stage's start. */
export interface StageTimeline {
  readonly stepNs: number;
  readonly inFlight: readonly number[];
  /** The server's own count of waiting requests, if it reports that. */
  readonly serverQueue: Reported<readonly number[]>;
}

export const TIMELINE_POINTS_MAX = 120;

export interface Stage {
  /** From 1, in the order they ran. */
  readonly number: number;
  readonly load: StageLoad;
  readonly purpose: StagePurpose;
  readonly seed: number;
  readonly runId: string;
  /** Name of the run's directory inside the sweep's. */
  readonly directory: string;
  readonly startedAt: string;
  readonly state: StageState;
  /** Unknown while it runs and nothing is certain. */
  readonly verdict: Reported<StageVerdict>;
  /** Sentences for a person, the deciding one first. */
  readonly reasons: readonly string[];
  /** Unknown before the first of them. */
  readonly figures: Reported<StageFigures>;
}

/**
 * Confidence of a stage's verdicts. The second measurement of an end may be wrong four times as often: an end
 * is wrong only if both are, at the default of 95 % in 0.025 × 0.1 of the cases.
 */
export const stageConfidence = (purpose: StagePurpose, confidence: number): number =>
  purpose === 'confirm' ? Math.max(CONFIRM_CONFIDENCE_MIN, 1 - CONFIRM_DOUBT * (1 - confidence)) : confidence;

const CONFIRM_DOUBT = 4;
const CONFIRM_CONFIDENCE_MIN = 0.5;
