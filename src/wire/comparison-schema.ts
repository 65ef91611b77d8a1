// comparison.json as text and back: strict JSON, checked against the core's types when it is read.

import * as v from 'valibot';
import {
  COMPARISON_SCHEMA,
  type ComparisonDocument,
  type ComparisonPlan,
  comparedMetricSchema,
  comparisonGateSchema,
  comparisonRefusalSchema,
  METRICS_MAX,
  type PlannedLook,
  sideSchema,
  UNITS_MAX,
} from '../core/comparison/comparison-document.ts';
import { comparisonVerdictSchema } from '../core/comparison/judge-effect.ts';
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
import { resumeSchema } from '../core/sweep/sweep-document.ts';
import { DecodeError } from './decode-error.ts';
import { parseJson } from './run-config.ts';

export const comparisonToJson = (document: ComparisonDocument): string =>
  `${JSON.stringify(document, undefined, 2)}\n`;

/** @throws DecodeError when it is not a comparison.json of this version. */
export const comparisonFromJson = (json: string): ComparisonDocument => {
  if (json.length > COMPARISON_BYTES_MAX)
    throw new DecodeError(`a comparison.json of ${json.length} characters is too large`);
  const result = v.safeParse(comparisonSchema, parseJson(json, 'comparison.json'));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new DecodeError(`comparison.json is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
};

export const COMPARISON_BYTES_MAX: number = 16 * 1024 * 1024;

const LOOKS_MAX = 16;
const REPORTED_MAX = 64;

const side = v.picklist(['a', 'b']);

const looked = { pairs: count, alpha: share } as const;
const plannedLook: Schema<PlannedLook> = openObject(looked);

const plan: Schema<ComparisonPlan> = openObject({
  looks: v.pipe(v.array(plannedLook), v.maxLength(LOOKS_MAX)),
  order: v.pipe(v.string(), v.maxLength(2 * UNITS_MAX), v.regex(/^[AB]*$/)),
  segment: openObject({ durationMs: nonNegative, requests: count, latencies: nonNegative }),
});

export const comparisonSchema: v.GenericSchema<unknown, ComparisonDocument> = openObject({
  schema: v.literal(COMPARISON_SCHEMA),
  id: runIdSchema,
  plimsoll: openObject({ version: text }),
  name: reported(text),
  tags: v.record(v.pipe(v.string(), v.maxLength(64)), text),
  startedAt: text,
  command: longText,
  environment: environmentSchema,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  endedEarly: v.exactOptional(longText),
  stopped: v.exactOptional(failedStopSchema),
  mode: v.picklist(['pairs', 'runs', 'sets']),
  a: sideSchema,
  b: sideSchema,
  load: longText,
  plan: reported(plan),
  looks: v.pipe(v.array(openObject({ ...looked, verdict: comparisonVerdictSchema })), v.maxLength(LOOKS_MAX)),
  metrics: v.pipe(v.array(comparedMetricSchema), v.maxLength(METRICS_MAX)),
  refusals: v.pipe(v.array(comparisonRefusalSchema), v.maxLength(REPORTED_MAX)),
  isAnyway: v.boolean(),
  isSameModel: v.boolean(),
  notices: v.pipe(v.array(longText), v.maxLength(REPORTED_MAX)),
  verdict: comparisonVerdictSchema,
  sentence: longText,
  gate: v.exactOptional(comparisonGateSchema),
  resume: reported(resumeSchema),
  progress: v.exactOptional(
    openObject({
      pairsDone: count,
      segment: reported(openObject({ pair: count, side })),
      nextLookMs: reported(nonNegative),
    }),
  ),
});
