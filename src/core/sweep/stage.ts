// A stage is one load of several: an ordinary run with its own directory, and the verdict on it. A sweep goes
// through loads that a person named; a load line chooses each next load by the results of the previous
// stages.

import * as v from 'valibot';
import { objectiveAnswerSchema } from '../run/judge-objective.ts';
import { costSchema } from '../run/run-cost.ts';
import { type Arrival, burstinessFigure } from '../run/run-pattern.ts';
import { CONCURRENCY_UNITS } from '../run/run-shape.ts';
import {
  count,
  figure,
  type Infer,
  longText,
  nonNegative,
  openObject,
  reported,
  runIdText,
  type Schema,
  text,
} from '../schema.ts';

export const load = v.pipe(figure, v.gtValue(0));

/** What a concurrency counts. Absent: requests. */
export const concurrencyOfSchema = v.exactOptional(v.picklist(CONCURRENCY_UNITS));

export const stageLoadSchema = v.variant('kind', [
  openObject({
    kind: v.literal('rate'),
    requestsPerSecond: load,
    arrival: v.picklist(['poisson', 'constant', 'gamma']),
    /** Of gamma arrivals. */
    burstiness: v.exactOptional(burstinessFigure),
  }),
  openObject({
    kind: v.literal('concurrency'),
    concurrency: v.pipe(count, v.minValue(1)),
    concurrencyOf: concurrencyOfSchema,
  }),
]);

export type StageLoad = Infer<typeof stageLoadSchema>;

type StageRate = Extract<StageLoad, { readonly kind: 'rate' }>;

export const stageRate = (requestsPerSecond: number, arrival: Arrival): StageRate => ({
  kind: 'rate',
  requestsPerSecond,
  arrival: arrival.kind,
  ...(arrival.kind === 'gamma' ? { burstiness: arrival.burstiness } : {}),
});

export const stageArrival = ({ arrival, burstiness = 1 }: StageRate): Arrival =>
  arrival === 'gamma' ? { kind: 'gamma', burstiness } : { kind: arrival };

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

export const estimateSchema = openObject({ value: figure, low: figure, high: figure });

/** A share, rate or duration with its confidence interval. */
export type Estimate = Infer<typeof estimateSchema>;

export const stageCurveSchema = openObject({
  series: v.picklist(['ttftNs', 'ttftFromIntendedNs', 'tpotNs', 'latencyNs', 'latencyFromIntendedNs']),
  p50: figure,
  /** The percentile that the objective limits, or p95. */
  percentile: v.pipe(figure, v.minValue(0), v.maxValue(100)),
  atPercentile: figure,
  p99: figure,
});

export type StageCurve = Infer<typeof stageCurveSchema>;

export const TIMELINE_POINTS_MAX = 120;

export const figures = v.pipe(v.array(figure), v.maxLength(TIMELINE_POINTS_MAX));

export const stageTimelineSchema = openObject({
  stepNs: nonNegative,
  inFlight: figures,
  /** The server's own count of waiting requests, if it reports that. */
  serverQueue: reported(figures),
});

export const stageFiguresSchema = openObject({
  issued: count,
  completed: count,
  failed: count,
  cancelled: count,
  /** From the start of the load to its end, without the drain, ns. */
  elapsedNs: nonNegative,
  completedPerSecond: reported(figure),
  outputTokensPerSecond: reported(figure),
  /** 1 / median time per output token: the speed for one user. */
  perUserTokensPerSecond: reported(figure),
  /** Share of issued samples that meet every objective of a single request. */
  attainment: reported(estimateSchema),
  objectives: v.pipe(v.array(objectiveAnswerSchema), v.maxLength(32)),
  /** Percentiles in the chart, ns: of the series that the first objective limits, else of TTFT. */
  curve: reported(stageCurveSchema),
  /** How fast requests in flight grow, requests per minute. */
  inFlightGrowthPerMinute: reported(estimateSchema),
  /** Mean in flight ÷ (completion rate × mean latency); 1 if records, window and clock agree. */
  littlesLawRatio: reported(figure),
  /** Start of the steady state (MSER-5), ns from the stage's start. */
  steadyFromNs: reported(nonNegative),
  timeline: stageTimelineSchema,
  /** If requests are turns of sessions: those that began and ended in the measured time. */
  sessions: v.exactOptional(openObject({ completed: count, failed: count, meanNs: reported(nonNegative) })),
});

/** A type, not an interface: it is used in `Reported`. */
export type StageFigures = Infer<typeof stageFiguresSchema>;

/** At most TIMELINE_POINTS_MAX values each, in equal steps from the stage's start. */
export type StageTimeline = Infer<typeof stageTimelineSchema>;

export const stageFieldSchemas: {
  readonly purpose: Schema<StagePurpose>;
  readonly state: Schema<StageState>;
  readonly verdict: Schema<StageVerdict>;
} = {
  purpose: v.picklist(['asked', 'alone', 'estimate', 'bracket', 'bisect', 'confirm']),
  state: v.picklist(['running', 'draining', 'ended']),
  verdict: v.picklist(['held', 'missed', 'over-capacity', 'undecided', 'client-bound', 'stopped', 'broken']),
};

const excessSchema = openObject({
  /** ln of measured value ÷ limit: below 0 within it. */
  value: figure,
  standardError: nonNegative,
  /** For one request, dependence included: the standardError at the limit times the root of the number of requests. */
  spread: nonNegative,
});

/** Distance from a limit on a logarithmic scale, on which a queue's response is nearly straight over small differences of load. */
export type Excess = Infer<typeof excessSchema>;

const stageEvidenceSchema = openObject({
  /** Of the criterion that is farthest over its limit; missing without criteria or data. */
  excess: v.exactOptional(excessSchema),
  /** Growth of requests in flight per request issued, of an open loop. */
  growth: v.exactOptional(estimateSchema),
  issued: count,
});

/** What a stage contributes to the choice of the next load, in addition to its verdict. */
export type StageEvidence = Infer<typeof stageEvidenceSchema>;

/** Limit for the tiers of a search in addition to its own objectives. */
export const TIERS_MAX = 3;

/** What a person called a tier of objectives. */
export const tierName = v.pipe(v.string(), v.regex(/^[A-Za-z][\w-]{0,31}$/));

const stageTierSchema = openObject({
  name: tierName,
  verdict: stageFieldSchemas.verdict,
  evidence: stageEvidenceSchema,
});

/** A directory inside the sweep's own, so that no document leads a reader out of it. */
const directoryName = v.pipe(v.string(), v.regex(/^stage-\d{2,3}$/));

const reasons = v.pipe(v.array(longText), v.maxLength(64));

export const stageSchema = openObject({
  /** From 1, in the order they ran. */
  number: v.pipe(count, v.minValue(1)),
  load: stageLoadSchema,
  purpose: stageFieldSchemas.purpose,
  seed: count,
  runId: runIdText,
  /** Name of the run's directory inside the sweep's. */
  directory: directoryName,
  startedAt: text,
  state: stageFieldSchemas.state,
  /** Unknown while it runs and nothing is certain. */
  verdict: reported(stageFieldSchemas.verdict),
  /** Sentences for a person, the deciding one first. */
  reasons,
  /** Unknown before the first of them. */
  figures: reported(stageFiguresSchema),
  /** Of its run, if there are prices. */
  cost: v.exactOptional(costSchema),
  /** Of a stage of a search that has ended: a search that is resumed continues from it. */
  evidence: v.exactOptional(stageEvidenceSchema),
  /** The tier for which the load was chosen; missing for the search's own objectives. */
  tier: v.exactOptional(tierName),
  /** The verdicts on the same requests by the objectives of each tier. */
  tiers: v.exactOptional(v.pipe(v.array(stageTierSchema), v.maxLength(TIERS_MAX))),
});

export type Stage = Infer<typeof stageSchema>;

/**
 * Confidence of a stage's verdicts. The second measurement of an end may be wrong four times as often: an end
 * is wrong only if both are, at the default of 95 % in 0.025 × 0.1 of the cases.
 */
export const stageConfidence = (purpose: StagePurpose, confidence: number): number =>
  purpose === 'confirm' ? Math.max(CONFIRM_CONFIDENCE_MIN, 1 - CONFIRM_DOUBT * (1 - confidence)) : confidence;

const CONFIRM_DOUBT = 4;
const CONFIRM_CONFIDENCE_MIN = 0.5;
