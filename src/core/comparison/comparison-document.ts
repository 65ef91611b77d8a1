// The document of a comparison of two sides, `comparison.json`: interleaved pairs of segments, two finished
// runs, or two sets of runs. What may be claimed follows from the mode: requests of one run are never the
// unit.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import { failedStopSchema } from '../run/failed-stop.ts';
import { trustVerdict } from '../run/live-agent.ts';
import { environmentSchema, type Report } from '../run/report.ts';
import {
  count,
  figure,
  type Infer,
  longText,
  nonNegative,
  openObject,
  reported,
  runIdText,
  share,
  text,
} from '../schema.ts';
import { estimateSchema } from '../sweep/stage.ts';
import { resumeSchema, tagsSchema } from '../sweep/sweep-document.ts';
import { isKnown } from '../unknown.ts';
import { COMPARISON_METRICS } from './comparison-metrics.ts';
import { comparisonVerdictSchema } from './judge-effect.ts';

export const COMPARISON_SCHEMA = 'plimsoll.comparison/1';

const LOOKS_MAX = 16;
const REPORTED_MAX = 64;

const path = v.pipe(v.string(), v.maxLength(4_096));

export const comparedUnitSchema = openObject({
  runId: runIdText,
  /** For pairs inside the comparison's own directory ("pair-03-a"), else where it was read. */
  directory: path,
  startedAt: text,
  /** Only for pairs. */
  pair: v.exactOptional(
    openObject({ number: v.pipe(count, v.minValue(1)), seed: count, order: v.picklist([1, 2]) }),
  ),
  issued: count,
  completed: count,
  failed: count,
  /** Duration of the measured window. */
  windowNs: reported(nonNegative),
  clientVerdict: trustVerdict,
  /** By the name of the metric. */
  figures: v.record(v.pipe(v.string(), v.maxLength(64)), reported(figure)),
});

/** Runs or segments per side. */
export const UNITS_MAX = 200;

export const sideSchema = openObject({
  /** The name that a person gave it, else its target, model or run. */
  label: text,
  /** Without credentials. */
  target: reported(text),
  model: reported(text),
  serverKind: reported(text),
  /** The server was started for the comparison and stopped after it. */
  isStartedHere: v.boolean(),
  /** Segments, in the order of their pairs; or runs. */
  units: v.pipe(v.array(comparedUnitSchema), v.maxLength(UNITS_MAX)),
});

export type ComparisonSide = Infer<typeof sideSchema>;

/** A run of a side: a segment of a pair, a finished run, one of a set. */
export type ComparedUnit = Infer<typeof comparedUnitSchema>;

/** `seed` is the same on both sides of a pair; `order`: whether this side ran first or second. */
export type UnitPair = NonNullable<ComparedUnit['pair']>;

const looked = {
  pairs: count,
  /** Chance of a false alarm at this look alone, such that over all looks it is the stated one. */
  alpha: share,
} as const;

const plannedLookSchema = openObject(looked);

export type PlannedLook = Infer<typeof plannedLookSchema>;

const planSchema = openObject({
  looks: v.pipe(v.array(plannedLookSchema), v.maxLength(LOOKS_MAX)),
  /** Which side starts, a letter per segment: "ABBABAAB…". */
  order: v.pipe(v.string(), v.maxLength(2 * UNITS_MAX), v.regex(/^[AB]*$/)),
  /** The least length of a segment, its requests, and its length in medians of latency. */
  segment: openObject({
    durationMs: nonNegative,
    requests: count,
    latencies: nonNegative,
    /** The others are 0: a segment ends with the last of so many sessions. */
    sessions: v.exactOptional(count),
  }),
});

export type ComparisonPlan = Infer<typeof planSchema>;

export const comparedMetricSchema = openObject({
  /** "ttft.p90", "output.rate": as it is written in a rule. */
  name: text,
  label: text,
  unit: v.picklist(['ns', 'req/s', 'tok/s']),
  better: v.picklist(['higher', 'lower', 'none']),
  isPrimary: v.boolean(),
  /** Smallest change that matters: 0.05. A ratio is within it between 1 / (1 + it) and 1 + it. */
  marginShare: nonNegative,
  /** Median over the side's units. */
  a: reported(figure),
  b: reported(figure),
  /** B / A with the interval at the level of the look. Unknown: its reason. */
  ratio: reported(estimateSchema),
  /** Confidence level of that interval: 0.976. */
  level: share,
  /** The interval at 1 − 2α, of two one-sided tests: inside the margin the verdict is "the same". */
  sameInterval: reported(estimateSchema),
  /** Standard deviation of ln(B / A) between pairs, or within sets. */
  spread: reported(nonNegative),
  /** Pairs, or runs of both sides. */
  count,
  /** From Student's t on logarithms of ratios. Unknown: not tested, with the reason. */
  p: reported(share),
  /** After Holm over the metrics that are not the primary; of the primary the same as p. */
  adjustedP: reported(share),
  /** Exact, without an assumed distribution; a check that decides nothing. */
  signFlipP: reported(share),
  verdict: comparisonVerdictSchema,
});

export type ComparedMetric = Infer<typeof comparedMetricSchema>;

export const GATE_OUTCOMES = ['passed', 'worse', 'broken', 'undecided', 'not-comparable'] as const;

export const GATE_STATES = ['passes', 'broken', 'open', 'unknown'] as const;

export const METRICS_MAX = 64;

const gateAnswerSchema = openObject({
  /** "ttft.p90 > +5%" */
  rule: text,
  /** 'open': the interval contains the threshold. */
  state: v.picklist(GATE_STATES),
  /** The end of the interval that is nearest to the threshold, as a share: 0.057. */
  nearest: reported(figure),
});

export type GateAnswer = Infer<typeof gateAnswerSchema>;

export const comparisonGateSchema = openObject({
  rules: v.pipe(v.array(gateAnswerSchema), v.maxLength(METRICS_MAX)),
  failsIfUndecided: v.boolean(),
  /** If there are no rules: the primary metric's verdict. */
  outcome: v.picklist(GATE_OUTCOMES),
});

export type ComparisonGate = Infer<typeof comparisonGateSchema>;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

export const REFUSAL_CODES = [
  'model',
  'dataset',
  'arrival',
  'concurrency',
  'lengths',
  'client',
  'sampling',
  'contamination',
  'failures',
  'too-few',
  'other',
] as const;

export const comparisonRefusalSchema = openObject({
  code: v.picklist(REFUSAL_CODES),
  /** One sentence. */
  problem: longText,
  /** As each side has it. */
  a: longText,
  b: longText,
});

export type ComparisonRefusal = Infer<typeof comparisonRefusalSchema>;

export const comparisonSchema = openObject({
  schema: v.literal(COMPARISON_SCHEMA),
  id: runIdText,
  plimsoll: openObject({ version: text }),
  name: reported(text),
  tags: tagsSchema,
  startedAt: text,
  /** Command that repeats it, without secrets and without commands that start a server. */
  command: longText,
  environment: environmentSchema,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  /** Why it ended before its last look, if it did. */
  endedEarly: v.exactOptional(longText),
  /** Requests failed until a rule ended a segment, and with it the comparison. */
  stopped: v.exactOptional(failedStopSchema),
  /**
   * 'pairs': interleaved segments, the pair is the unit. 'runs': one finished run each, the variation between runs is not known and
   * the verdict is at most "different". 'sets': several runs each, the run is the unit.
   */
  mode: v.picklist(['pairs', 'runs', 'sets']),
  a: sideSchema,
  b: sideSchema,
  /** What was requested of both sides, as text: "Poisson 8.5/s · 256 prompts of 1024 tokens". */
  load: longText,
  /** Only for pairs. */
  plan: reported(planSchema),
  /** Looks that were taken, in order; one for runs and sets. */
  looks: v.pipe(v.array(openObject({ ...looked, verdict: comparisonVerdictSchema })), v.maxLength(LOOKS_MAX)),
  /** In the order in which they are shown; the primary is one of them. */
  metrics: v.pipe(v.array(comparedMetricSchema), v.maxLength(METRICS_MAX)),
  /** What keeps the sides from being compared; empty: nothing. */
  refusals: v.pipe(v.array(comparisonRefusalSchema), v.maxLength(REPORTED_MAX)),
  /** The refusals were read and overruled: verdicts are shown next to them. */
  isAnyway: v.boolean(),
  /** The models have different names but are the same, as the person who compared them stated. */
  isSameModel: v.boolean(),
  /** What a reader must know in addition to the figures, one sentence each. */
  notices: v.pipe(v.array(longText), v.maxLength(REPORTED_MAX)),
  /** Verdict of the primary metric; not comparable if something is refused and not overruled. */
  verdict: comparisonVerdictSchema,
  /** For a person: "B is better: TTFT p90 −11.8 % (−15.2 to −8.6 %)". */
  sentence: longText,
  /** Present if rules were set. */
  gate: v.exactOptional(comparisonGateSchema),
  /** What is needed to continue it; only for pairs. */
  resume: reported(resumeSchema),
  /** While it runs. */
  progress: v.exactOptional(
    openObject({
      pairsDone: count,
      /** Of the running segment. */
      segment: reported(openObject({ pair: count, side: v.picklist(['a', 'b']) })),
      /** Estimated from how long segments took so far, ms. */
      nextLookMs: reported(nonNegative),
    }),
  ),
});

export type ComparisonDocument = Infer<typeof comparisonSchema>;

// A report as a unit of a comparison: its figures by the names of the metrics, and whether its client can be
// trusted with them.
export const comparedUnit = (report: Report, directory: string, pair?: UnitPair): ComparedUnit => ({
  runId: report.run.id,
  directory,
  startedAt: report.run.startedAt,
  ...(pair === undefined ? {} : { pair }),
  issued: report.counts.issued,
  completed: report.counts.completed,
  failed: report.counts.failed,
  windowNs: report.windowNs,
  clientVerdict: report.client.verdict,
  figures: Object.fromEntries(COMPARISON_METRICS.map(({ name, of }) => [name, of(report)])),
});

/**
 * Whether the client, and not the server, may have made a figure of this size: it lost records, got no
 * processor time, is not trustworthy, or was itself late by more than the share of the figure that matters.
 */
export const isClientInTheWay = (
  { client, droppedEvents, errors }: Pick<Report, 'client' | 'droppedEvents' | 'errors'>,
  { figureNs, marginShare }: { readonly figureNs: number; readonly marginShare: number },
): boolean => {
  if (client.verdict !== 'client-bound') return client.verdict === 'unknown';
  if (client.starved || droppedEvents > 0 || (errors.client ?? 0) > 0) return true;
  const lateNs = [client.sendLatenessNs, client.readLatenessNs, client.beatLatenessNs].map(lateness =>
    isKnown(lateness) ? lateness.p99 : 0,
  );
  return maximumOf(lateNs) > marginShare * figureNs;
};

// Two engines name one model differently: a path, a repository's id, a file. A person can state that it is
// the same model: then the difference is listed as a notice instead of a refusal; all other differences are
// still refused.

/** @param isVerifiable whether the reader of the refusal has a command line for the option */
export const judgedModels = (
  refusals: readonly ComparisonRefusal[],
  { isSameModel, isVerifiable }: { readonly isSameModel: boolean; readonly isVerifiable: boolean },
): { readonly refusals: readonly ComparisonRefusal[]; readonly notices: readonly string[] } => ({
  refusals: isSameModel
    ? refusals.filter(({ code }) => code !== 'model')
    : refusals.map(refusal =>
        refusal.code === 'model' && isVerifiable
          ? {
              ...refusal,
              problem: `${refusal.problem}; if they are one model under two names, add --same-model`,
            }
          : refusal,
      ),
  notices: isSameModel
    ? refusals.flatMap(({ code, a, b }) =>
        code === 'model' ? [`A calls its model ${a}, B ${b}: compared as the same model (--same-model)`] : [],
      )
    : [],
});
