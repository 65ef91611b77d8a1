// sweep.json and line.json as text and back: strict JSON, checked against the core's types when it is read.

import * as v from 'valibot';
import {
  type Estimate,
  type Stage,
  type StageCurve,
  type StageFigures,
  type StageLoad,
  type StagePurpose,
  type StageState,
  type StageTimeline,
  type StageVerdict,
  TIMELINE_POINTS_MAX,
} from '../core/sweep/stage.ts';
import {
  LINE_SCHEMA,
  type LineDocument,
  type LineProgress,
  type LoadLine,
  SWEEP_SCHEMA,
  type SweepDocument,
  type SweepResume,
} from '../core/sweep/sweep-document.ts';
import { DecodeError } from './decode-error.ts';
import { objectiveAnswer } from './objective-schema.ts';
import { environmentSchema, parseJson } from './run-config.ts';
import { failedStopSchema } from './run-stop-schema.ts';
import { count, figure, openObject, reported, runIdSchema, type Schema, share, text } from './schema.ts';

export const sweepDocumentToJson = (document: SweepDocument | LineDocument): string =>
  `${JSON.stringify(document, undefined, 2)}\n`;

/** @throws DecodeError when it is not a sweep.json of this version. */
export const sweepDocumentFromJson = (json: string): SweepDocument =>
  documentFromJson(sweepDocumentSchema, json, 'sweep.json');

/** @throws DecodeError when it is not a line.json of this version. */
export const lineDocumentFromJson = (json: string): LineDocument =>
  documentFromJson(lineDocumentSchema, json, 'line.json');

const documentFromJson = <T>(schema: Schema<T>, json: string, what: string): T => {
  if (json.length > SWEEP_BYTES_MAX)
    throw new DecodeError(`a ${what} of ${json.length} characters is too large`);
  const result = v.safeParse(schema, parseJson(json, what));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new DecodeError(`${what} is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
};

/** Limit for one document: STAGES_MAX stages with complete timelines fit. */
export const SWEEP_BYTES_MAX: number = 16 * 1024 * 1024;
export const STAGES_MAX = 256;
/** Limit for a stored command line, with which a sweep is continued. */
const RESUME_ARGS_MAX = 1_024;
const RESUME_ARG_LENGTH_MAX = 8_192;

const load = v.pipe(figure, v.gtValue(0));
const duration = v.pipe(figure, v.minValue(0));
const sentence = v.pipe(v.string(), v.maxLength(16_384));
const reasons = v.pipe(v.array(sentence), v.maxLength(64));
/** A directory inside the sweep's own, so that no document leads a reader out of it. */
const directoryName = v.pipe(v.string(), v.regex(/^stage-\d{2,3}$/));
const figures = v.pipe(v.array(figure), v.maxLength(TIMELINE_POINTS_MAX));

export const stageLoadSchema: Schema<StageLoad> = v.variant('kind', [
  openObject({
    kind: v.literal('rate'),
    requestsPerSecond: load,
    arrival: v.picklist(['poisson', 'constant']),
  }),
  openObject({ kind: v.literal('concurrency'), concurrency: v.pipe(count, v.minValue(1)) }),
]);

export const estimateSchema: Schema<Estimate> = openObject({ value: figure, low: figure, high: figure });

export const stageCurveSchema: Schema<StageCurve> = openObject({
  series: v.picklist(['ttftNs', 'ttftFromIntendedNs', 'tpotNs', 'latencyNs', 'latencyFromIntendedNs']),
  p50: figure,
  percentile: v.pipe(figure, v.minValue(0), v.maxValue(100)),
  atPercentile: figure,
  p99: figure,
});

const stageTimeline: Schema<StageTimeline> = openObject({
  stepNs: duration,
  inFlight: figures,
  serverQueue: reported(figures),
});

const stageFigures: Schema<StageFigures> = openObject({
  issued: count,
  completed: count,
  failed: count,
  cancelled: count,
  elapsedNs: duration,
  completedPerSecond: reported(figure),
  outputTokensPerSecond: reported(figure),
  perUserTokensPerSecond: reported(figure),
  attainment: reported(estimateSchema),
  objectives: v.pipe(v.array(objectiveAnswer), v.maxLength(32)),
  curve: reported(stageCurveSchema),
  inFlightGrowthPerMinute: reported(estimateSchema),
  littlesLawRatio: reported(figure),
  steadyFromNs: reported(duration),
  timeline: stageTimeline,
});

export const stageFieldSchemas: {
  readonly purpose: Schema<StagePurpose>;
  readonly state: Schema<StageState>;
  readonly verdict: Schema<StageVerdict>;
} = {
  purpose: v.picklist(['asked', 'alone', 'estimate', 'bracket', 'bisect', 'confirm']),
  state: v.picklist(['running', 'draining', 'ended']),
  verdict: v.picklist(['held', 'missed', 'over-capacity', 'undecided', 'client-bound', 'stopped', 'broken']),
};

export const stageSchema: Schema<Stage> = openObject({
  number: v.pipe(count, v.minValue(1)),
  load: stageLoadSchema,
  purpose: stageFieldSchemas.purpose,
  seed: count,
  runId: runIdSchema,
  directory: directoryName,
  startedAt: text,
  state: stageFieldSchemas.state,
  verdict: reported(stageFieldSchemas.verdict),
  reasons,
  figures: reported(stageFigures),
});

const head = {
  id: runIdSchema,
  plimsoll: openObject({ version: text }),
  name: reported(text),
  tags: v.record(v.pipe(v.string(), v.maxLength(64)), text),
  startedAt: text,
  target: text,
  model: reported(text),
  serverKind: reported(text),
  dataset: text,
  objectives: v.pipe(v.array(text), v.maxLength(32)),
  attainment: share,
  seed: count,
  command: sentence,
  environment: environmentSchema,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  stages: v.pipe(v.array(stageSchema), v.maxLength(STAGES_MAX)),
  stopped: v.exactOptional(failedStopSchema),
} as const;

export const resumeSchema: Schema<SweepResume> = openObject({
  args: v.pipe(v.array(v.pipe(v.string(), v.maxLength(RESUME_ARG_LENGTH_MAX))), v.maxLength(RESUME_ARGS_MAX)),
  cwd: v.pipe(v.string(), v.maxLength(RESUME_ARG_LENGTH_MAX)),
  secrets: v.pipe(v.array(text), v.maxLength(32)),
});

export const sweepDocumentSchema: Schema<SweepDocument> = openObject({
  ...head,
  schema: v.literal(SWEEP_SCHEMA),
  requested: v.pipe(v.array(stageLoadSchema), v.maxLength(STAGES_MAX)),
  endedEarly: v.exactOptional(sentence),
  resume: reported(resumeSchema),
});

const failsBy = v.picklist(['objective', 'over-capacity']);

export const loadLineSchema: Schema<LoadLine> = v.variant('kind', [
  openObject({ kind: v.literal('unknown'), reason: text }),
  openObject({
    kind: v.literal('bracket'),
    holds: load,
    fails: load,
    failsBy,
    isConfirmed: v.boolean(),
  }),
  openObject({
    kind: v.literal('at-least'),
    holds: load,
    limit: v.picklist(['client', 'budget', 'stopped', 'load-max']),
  }),
  openObject({
    kind: v.literal('at-most'),
    fails: load,
    failsBy,
    limit: v.picklist(['undecided', 'client', 'budget', 'stopped']),
  }),
  openObject({ kind: v.literal('none'), fails: load, failsBy }),
]);

export const lineProgressSchema: Schema<LineProgress> = openObject({
  stagesDone: count,
  stagesExpected: count,
  leftMs: reported(duration),
  next: openObject({ ifHeld: reported(load), ifFailed: reported(load) }),
});

export const lineDocumentSchema: Schema<LineDocument> = openObject({
  ...head,
  schema: v.literal(LINE_SCHEMA),
  by: v.picklist(['rate', 'concurrency']),
  resolution: share,
  confidence: share,
  budgetMs: duration,
  line: loadLineSchema,
  sentence,
  progress: v.exactOptional(lineProgressSchema),
});
