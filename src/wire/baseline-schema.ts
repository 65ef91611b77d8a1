// <home>/baselines/NAME.json as text and back, and repeat.json, which has the same figures of several runs. A baseline may come
// from another machine, so every field has its limit.

import * as v from 'valibot';
import { BASELINE_NAME, BASELINE_SCHEMA, type BaselineDocument } from '../core/comparison/baseline.ts';
import type { ComparableFacts } from '../core/comparison/comparability.ts';
import type { FinishedUnit } from '../core/comparison/compare-finished.ts';
import { comparedUnitSchema, UNITS_MAX } from '../core/comparison/comparison-document.ts';
import { REPEAT_SCHEMA, type RepeatDocument } from '../core/comparison/repeat-document.ts';
import { spreadMetricSchema } from '../core/comparison/run-spread.ts';
import { environmentSchema } from '../core/run/report.ts';
import { runPatternSchema } from '../core/run/run-pattern.ts';
import { BODY_TEXT_MAX } from '../core/run/run-requests.ts';
import { runShapeSchema } from '../core/run/run-shape.ts';
import { figure, type Infer, longText, openObject, reported, type Schema, text } from '../core/schema.ts';
import { DecodeError } from './decode-error.ts';
import { parseJson } from './run-config.ts';

export const baselineToJson = (baseline: BaselineDocument): string =>
  `${JSON.stringify(baseline, undefined, 2)}\n`;

/** @throws DecodeError when it is no baseline of this version. */
export const baselineFromJson = (json: string): BaselineDocument => {
  if (json.length > BASELINE_BYTES_MAX)
    throw new DecodeError(`a baseline of ${json.length} characters is too large`);
  const result = v.safeParse(baselineSchema, parseJson(json, 'the baseline'));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new DecodeError(`the baseline is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
};

export const BASELINE_BYTES_MAX: number = 4 * 1024 * 1024;
const SPREAD_MAX = 64;

const facts: Schema<ComparableFacts> = openObject({
  runId: text,
  model: reported(text),
  dataset: text,
  datasetDigest: reported(text),
  foreign: v.exactOptional(text),
  pattern: runPatternSchema,
  shape: reported(runShapeSchema),
  isStreaming: v.boolean(),
  inputTokens: reported(figure),
  outputTokens: reported(figure),
  clientVerdict: v.picklist(['trustworthy', 'client-bound', 'unknown']),
  sampling: reported(v.pipe(v.string(), v.maxLength(2 * BODY_TEXT_MAX))),
  spoiledBy: reported(text),
});

const unit: Schema<FinishedUnit> = v.intersect([comparedUnitSchema, openObject({ facts, fault: text })]);

export const baselineSchema: Schema<BaselineDocument> = openObject({
  schema: v.literal(BASELINE_SCHEMA),
  name: v.pipe(v.string(), v.regex(BASELINE_NAME, 'not the name of a baseline')),
  plimsoll: openObject({ version: text }),
  savedAt: text,
  target: reported(text),
  model: reported(text),
  serverKind: reported(text),
  environment: reported(environmentSchema),
  units: v.pipe(v.array(unit), v.minLength(1), v.maxLength(UNITS_MAX)),
  spread: v.pipe(v.array(spreadMetricSchema), v.maxLength(SPREAD_MAX)),
});

/** What `plimsoll baseline list --json` prints. */
export const baselinesSchema = v.object({
  schema: v.literal('plimsoll.baselines/1'),
  baselines: v.array(baselineSchema),
});

export type BaselinesDocument = Infer<typeof baselinesSchema>;

/** repeat.json, which is derived from the directories of its runs and never read. */
export const repeatSchema: Schema<RepeatDocument> = openObject({
  schema: v.literal(REPEAT_SCHEMA),
  id: text,
  plimsoll: openObject({ version: text }),
  environment: environmentSchema,
  target: reported(text),
  model: reported(text),
  serverKind: reported(text),
  units: v.pipe(v.array(unit), v.maxLength(UNITS_MAX)),
  spread: v.pipe(v.array(spreadMetricSchema), v.maxLength(SPREAD_MAX)),
  notices: v.pipe(
    v.array(longText),
    v.description('What a reader must know in addition to the figures, one sentence each.'),
  ),
});
