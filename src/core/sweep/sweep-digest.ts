// From the document of a sweep or line, and from its stages, to the published digest: limited in texts,
// stages and digits, because it is sent every second during a search.

import { isRunId, type RunId } from '../ids.ts';
import { failedStopReason } from '../run/failed-stop.ts';
import { shortName } from '../run/run-digest.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { Estimate, Stage, StageCurve, StageFigures } from './stage.ts';
import {
  OBJECTIVES_REPORTED_MAX,
  STAGES_REPORTED_MAX,
  type StageDigest,
  type SweepStart,
  type SweepState,
  TAGS_REPORTED_MAX,
} from './sweep.ts';
import { LINE_SCHEMA, type LineDocument, type LoadLine, type SweepDocument } from './sweep-document.ts';

export const sweepHeadDigest = (
  document: SweepDocument | LineDocument,
  directory: string,
): Omit<SweepStart, 'sweepId'> => ({
  form: document.schema === LINE_SCHEMA ? 'line' : 'sweep',
  startedAt: document.startedAt,
  name: shortName(document.name),
  tags: Object.entries(document.tags)
    .slice(0, TAGS_REPORTED_MAX)
    .map(([key, value]) => `${key}=${value}`.slice(0, TAG_LENGTH_MAX)),
  target: document.target,
  serverKind: shortName(document.serverKind),
  model: shortName(document.model),
  dataset: document.dataset.slice(0, TEXT_LENGTH_MAX),
  objectives: document.objectives.slice(0, OBJECTIVES_REPORTED_MAX),
  attainment: document.attainment,
  by: document.schema === LINE_SCHEMA ? document.by : (document.requested[0]?.kind ?? 'rate'),
  ...unitOf(document),
  resolution: document.schema === LINE_SCHEMA ? document.resolution : NOT_SEARCHED,
  confidence: document.schema === LINE_SCHEMA ? document.confidence : NOT_SEARCHED,
  command: document.command.slice(0, TEXT_LENGTH_MAX),
  directory,
});

const unitOf = (document: SweepDocument | LineDocument): Pick<SweepStart, 'concurrencyOf'> => {
  const [first] = document.schema === LINE_SCHEMA ? [document] : document.requested;
  return first !== undefined && 'concurrencyOf' in first ? { concurrencyOf: first.concurrencyOf } : {};
};

/** The line and its sentence, without the stages. */
export const lineOf = (
  document: SweepDocument | LineDocument,
): { readonly line: LoadLine; readonly sentence: string } =>
  document.schema === LINE_SCHEMA
    ? { line: document.line, sentence: document.sentence.slice(0, TEXT_LENGTH_MAX) }
    : { line: NOT_SEARCHED, sentence: '' };

/** The end as its document records it; one whose document still has 'running' was cut short. */
export const sweepEndOf = (
  document: SweepDocument | LineDocument,
): { readonly state: Exclude<SweepState, 'running'>; readonly reason: string } => {
  if (document.state === 'running') return { state: 'interrupted', reason: ENDED_UNREPORTED };
  const stopped = document.stopped === undefined ? undefined : failedStopReason(document.stopped);
  const early = document.schema === LINE_SCHEMA ? stopped : document.endedEarly;
  return { state: document.state, reason: (early ?? '').slice(0, TEXT_LENGTH_MAX) };
};

/**
 * A document whose search or sweep is over, as published: a stage that is marked as running was cut off with
 * it.
 */
export const sweepAfterwards = <D extends SweepDocument | LineDocument>(document: D): D => ({
  ...document,
  state: sweepEndOf(document).state,
  stages: document.stages.map(stage =>
    stage.state === 'ended' ? stage : { ...stage, state: 'ended', verdict: CUT_OFF },
  ),
});

export const stageDigests = (stages: readonly Stage[]): readonly StageDigest[] =>
  stages.slice(-STAGES_REPORTED_MAX).flatMap(stage => stageDigest(stage) ?? []);

/** Undefined for a stage whose run has an invalid id. */
export const stageDigest = (stage: Stage): StageDigest | undefined =>
  isRunId(stage.runId) ? digestOf(stage, stage.runId) : undefined;

const digestOf = (stage: Stage, runId: RunId): StageDigest => ({
  number: stage.number,
  load: stage.load,
  purpose: stage.purpose,
  runId,
  state: stage.state,
  verdict: isUnknown(stage.verdict) ? shortened(stage.verdict) : stage.verdict,
  reason: (stage.reasons[0] ?? '').slice(0, REASON_LENGTH_MAX),
  ...figuresOf(stage.figures),
});

const figuresOf = (figures: Reported<StageFigures>) => {
  if (isUnknown(figures)) return NO_FIGURES;
  return {
    issued: figures.issued,
    elapsedMs: Math.round(figures.elapsedNs / 1e6),
    completedPerSecond: rounded(figures.completedPerSecond),
    outputTokensPerSecond: rounded(figures.outputTokensPerSecond),
    perUserTokensPerSecond: rounded(figures.perUserTokensPerSecond),
    attainment: isUnknown(figures.attainment)
      ? shortened(figures.attainment)
      : estimateOf(figures.attainment),
    curve: isUnknown(figures.curve) ? shortened(figures.curve) : curveOf(figures.curve),
    inFlightGrowthPerMinute: isUnknown(figures.inFlightGrowthPerMinute)
      ? shortened(figures.inFlightGrowthPerMinute)
      : fiveDigits(figures.inFlightGrowthPerMinute.value),
  };
};

const curveOf = (curve: StageCurve): StageCurve => ({
  ...curve,
  p50: fiveDigits(curve.p50),
  atPercentile: fiveDigits(curve.atPercentile),
  p99: fiveDigits(curve.p99),
});

const estimateOf = ({ value, low, high }: Estimate): Estimate => ({
  value: fiveDigits(value),
  low: fiveDigits(low),
  high: fiveDigits(high),
});

const rounded = (figure: Reported<number>): Reported<number> =>
  isUnknown(figure) ? shortened(figure) : fiveDigits(figure);

const shortened = ({ reason }: { readonly reason: string }) => unknown(reason.slice(0, UNKNOWN_LENGTH_MAX));

const fiveDigits = (figure: number): number => Number(figure.toPrecision(5));

const NOT_SEARCHED = unknown('its loads were given, not searched for');
const NOT_YET = unknown('not known yet');
const NO_FIGURES = {
  issued: 0,
  elapsedMs: 0,
  completedPerSecond: NOT_YET,
  outputTokensPerSecond: NOT_YET,
  perUserTokensPerSecond: NOT_YET,
  attainment: NOT_YET,
  curve: NOT_YET,
  inFlightGrowthPerMinute: NOT_YET,
} as const;
const CUT_OFF = unknown('it was cut off: its process ended in the middle of it');
const ENDED_UNREPORTED = 'its process exited unexpectedly; --resume continues it';
const TEXT_LENGTH_MAX = 1_000;
/** Limit of the sentence that decided a stage. */
const REASON_LENGTH_MAX = 80;
/** Limit of the reason why one of its figures is unknown. */
const UNKNOWN_LENGTH_MAX = 32;
const TAG_LENGTH_MAX = 200;
