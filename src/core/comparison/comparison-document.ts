// The document of a comparison of two sides, `comparison.json`: interleaved pairs of segments, two finished
// runs, or two sets of runs. What may be claimed follows from the mode: requests of one run are never the
// unit.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import type { FailedStop } from '../run/failed-stop.ts';
import type { Report, ReportEnvironment } from '../run/report.ts';
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
import type { SweepResume } from '../sweep/sweep-document.ts';
import { isKnown, type Reported } from '../unknown.ts';
import { COMPARISON_METRICS } from './comparison-metrics.ts';
import { type ComparisonVerdict, comparisonVerdictSchema } from './judge-effect.ts';

export const COMPARISON_SCHEMA = 'plimsoll.comparison/1';

export interface ComparisonDocument {
  readonly schema: typeof COMPARISON_SCHEMA;
  readonly id: string;
  readonly plimsoll: { readonly version: string };
  readonly name: Reported<string>;
  readonly tags: Readonly<Record<string, string>>;
  readonly startedAt: string;
  /** Command that repeats it, without secrets and without commands that start a server. */
  readonly command: string;
  readonly environment: ReportEnvironment;
  readonly state: 'running' | 'complete' | 'stopped' | 'interrupted';
  /** Why it ended before its last look, if it did. */
  readonly endedEarly?: string;
  /** Requests failed until a rule ended a segment, and with it the comparison. */
  readonly stopped?: FailedStop;
  /**
   * 'pairs': interleaved segments, the pair is the unit. 'runs': one finished run each, the variation between runs is not known and
   * the verdict is at most "different". 'sets': several runs each, the run is the unit.
   */
  readonly mode: 'pairs' | 'runs' | 'sets';
  readonly a: ComparisonSide;
  readonly b: ComparisonSide;
  /** What was requested of both sides, as text: "Poisson 8.5/s · 256 prompts of 1024 tokens". */
  readonly load: string;
  /** Only for pairs. */
  readonly plan: Reported<ComparisonPlan>;
  /** Looks that were taken, in order; one for runs and sets. */
  readonly looks: readonly TakenLook[];
  /** In the order in which they are shown; the primary is one of them. */
  readonly metrics: readonly ComparedMetric[];
  /** What keeps the sides from being compared; empty: nothing. */
  readonly refusals: readonly ComparisonRefusal[];
  /** The refusals were read and overruled: verdicts are shown next to them. */
  readonly isAnyway: boolean;
  /** The models have different names but are the same, as the person who compared them stated. */
  readonly isSameModel: boolean;
  /** What a reader must know in addition to the figures, one sentence each. */
  readonly notices: readonly string[];
  /** Verdict of the primary metric; not comparable if something is refused and not overruled. */
  readonly verdict: ComparisonVerdict;
  /** For a person: "B is better: TTFT p90 −11.8 % (−15.2 to −8.6 %)". */
  readonly sentence: string;
  /** Present if rules were set. */
  readonly gate?: ComparisonGate;
  /** What is needed to continue it; only for pairs. */
  readonly resume: Reported<SweepResume>;
  /** While it runs. */
  readonly progress?: ComparisonProgress;
}

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
  clientVerdict: v.picklist(['trustworthy', 'client-bound', 'unknown']),
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

export interface UnitPair {
  /** From 1. */
  readonly number: number;
  /** The same on both sides of a pair. */
  readonly seed: number;
  /** Whether this side ran first or second. */
  readonly order: 1 | 2;
}

/** A type, not an interface: it is used in `Reported`. */
export type ComparisonPlan = {
  readonly looks: readonly PlannedLook[];
  /** Which side starts, a letter per segment: "ABBABAAB…". */
  readonly order: string;
  /** The least length of a segment, its requests, and its length in medians of latency. */
  readonly segment: {
    readonly durationMs: number;
    readonly requests: number;
    readonly latencies: number;
  };
};

export interface PlannedLook {
  readonly pairs: number;
  /** Chance of a false alarm at this look alone, such that over all looks it is the stated one. */
  readonly alpha: number;
}

export interface TakenLook extends PlannedLook {
  readonly verdict: ComparisonVerdict;
}

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

export interface GateAnswer {
  /** "ttft.p90 > +5%" */
  readonly rule: string;
  /** 'open': the interval contains the threshold. */
  readonly state: (typeof GATE_STATES)[number];
  /** The end of the interval that is nearest to the threshold, as a share: 0.057. */
  readonly nearest: Reported<number>;
}

export const GATE_STATES = ['passes', 'broken', 'open', 'unknown'] as const;

export const METRICS_MAX = 64;

export const comparisonGateSchema = openObject({
  rules: v.pipe(
    v.array(openObject({ rule: text, state: v.picklist(GATE_STATES), nearest: reported(figure) })),
    v.maxLength(METRICS_MAX),
  ),
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

export interface ComparisonProgress {
  readonly pairsDone: number;
  /** Of the running segment. */
  readonly segment: Reported<{ readonly pair: number; readonly side: 'a' | 'b' }>;
  /** Estimated from how long segments took so far, ms. */
  readonly nextLookMs: Reported<number>;
}

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
