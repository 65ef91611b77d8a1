// sweep.json and line.json as text and back: strict JSON, checked against the core's types when it is read.

import * as v from 'valibot';
import { failedStopSchema } from '../core/run/failed-stop.ts';
import { environmentSchema } from '../core/run/report.ts';
import {
  count,
  longText,
  nonNegative,
  openObject,
  reported,
  runIdSchema,
  type Schema,
  share,
  text,
} from '../core/schema.ts';
import { stageLoadSchema, stageSchema } from '../core/sweep/stage.ts';
import {
  LINE_SCHEMA,
  type LineDocument,
  lineProgressSchema,
  loadLineSchema,
  resumeSchema,
  SWEEP_SCHEMA,
  type SweepDocument,
} from '../core/sweep/sweep-document.ts';
import { DecodeError } from './decode-error.ts';
import { parseJson } from './run-config.ts';

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
  command: longText,
  environment: environmentSchema,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  stages: v.pipe(v.array(stageSchema), v.maxLength(STAGES_MAX)),
  stopped: v.exactOptional(failedStopSchema),
} as const;

export const sweepDocumentSchema: Schema<SweepDocument> = openObject({
  ...head,
  schema: v.literal(SWEEP_SCHEMA),
  requested: v.pipe(v.array(stageLoadSchema), v.maxLength(STAGES_MAX)),
  endedEarly: v.exactOptional(longText),
  resume: reported(resumeSchema),
});

export const lineDocumentSchema: Schema<LineDocument> = openObject({
  ...head,
  schema: v.literal(LINE_SCHEMA),
  by: v.picklist(['rate', 'concurrency']),
  resolution: share,
  confidence: share,
  budgetMs: nonNegative,
  line: loadLineSchema,
  sentence: longText,
  progress: v.exactOptional(lineProgressSchema),
});
