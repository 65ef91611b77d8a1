// comparison.json as text and back: strict JSON, checked against the core's types when it is read.

import * as v from 'valibot';
import {
  COMPARISON_SCHEMA,
  type ComparedMetric,
  type ComparedUnit,
  type ComparisonDocument,
  type ComparisonGate,
  type ComparisonPlan,
  type ComparisonRefusal,
  type ComparisonSide,
  GATE_OUTCOMES,
  GATE_STATES,
  type PlannedLook,
  REFUSAL_CODES,
} from '../core/comparison/comparison-document.ts';
import type { ComparisonVerdict } from '../core/comparison/judge-effect.ts';
import { DecodeError } from './decode-error.ts';
import { environmentSchema, parseJson } from './run-config.ts';
import { failedStopSchema } from './run-stop-schema.ts';
import { count, figure, openObject, reported, runIdSchema, type Schema, share, text } from './schema.ts';
import { estimateSchema, resumeSchema } from './sweep-schema.ts';

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
/** Runs or segments per side. */
export const UNITS_MAX = 200;
const METRICS_MAX = 64;
const LOOKS_MAX = 16;
const REPORTED_MAX = 64;

const sentence = v.pipe(v.string(), v.maxLength(16_384));
const duration = v.pipe(figure, v.minValue(0));
const path = v.pipe(v.string(), v.maxLength(4_096));
const side = v.picklist(['a', 'b']);

export const comparisonVerdictSchema: v.GenericSchema<unknown, ComparisonVerdict> = v.variant('kind', [
  openObject({ kind: v.literal('better') }),
  openObject({ kind: v.literal('worse') }),
  openObject({ kind: v.literal('same') }),
  openObject({ kind: v.literal('different') }),
  openObject({ kind: v.literal('undecided'), pairsToDecide: reported(count) }),
  openObject({ kind: v.literal('not-comparable'), reason: sentence }),
]);

export const comparedUnitSchema: v.GenericSchema<unknown, ComparedUnit> = openObject({
  runId: runIdSchema,
  directory: path,
  startedAt: text,
  pair: v.exactOptional(
    openObject({ number: v.pipe(count, v.minValue(1)), seed: count, order: v.picklist([1, 2]) }),
  ),
  issued: count,
  completed: count,
  failed: count,
  windowNs: reported(duration),
  clientVerdict: v.picklist(['trustworthy', 'client-bound', 'unknown']),
  figures: v.record(v.pipe(v.string(), v.maxLength(64)), reported(figure)),
});

const sideSchema: Schema<ComparisonSide> = openObject({
  label: text,
  target: reported(text),
  model: reported(text),
  serverKind: reported(text),
  isStartedHere: v.boolean(),
  units: v.pipe(v.array(comparedUnitSchema), v.maxLength(UNITS_MAX)),
});

const looked = { pairs: count, alpha: share } as const;
const plannedLook: Schema<PlannedLook> = openObject(looked);

const plan: Schema<ComparisonPlan> = openObject({
  looks: v.pipe(v.array(plannedLook), v.maxLength(LOOKS_MAX)),
  order: v.pipe(v.string(), v.maxLength(2 * UNITS_MAX), v.regex(/^[AB]*$/)),
  segment: openObject({ durationMs: duration, requests: count, latencies: duration }),
});

const metric: Schema<ComparedMetric> = openObject({
  name: text,
  label: text,
  unit: v.picklist(['ns', 'req/s', 'tok/s']),
  better: v.picklist(['higher', 'lower', 'none']),
  isPrimary: v.boolean(),
  marginShare: duration,
  a: reported(figure),
  b: reported(figure),
  ratio: reported(estimateSchema),
  level: share,
  sameInterval: reported(estimateSchema),
  spread: reported(duration),
  count,
  p: reported(share),
  adjustedP: reported(share),
  signFlipP: reported(share),
  verdict: comparisonVerdictSchema,
});

const refusal: Schema<ComparisonRefusal> = openObject({
  code: v.picklist(REFUSAL_CODES),
  problem: sentence,
  a: sentence,
  b: sentence,
});

const gate: Schema<ComparisonGate> = openObject({
  rules: v.pipe(
    v.array(openObject({ rule: text, state: v.picklist(GATE_STATES), nearest: reported(figure) })),
    v.maxLength(METRICS_MAX),
  ),
  failsIfUndecided: v.boolean(),
  outcome: v.picklist(GATE_OUTCOMES),
});

export const comparisonSchema: v.GenericSchema<unknown, ComparisonDocument> = openObject({
  schema: v.literal(COMPARISON_SCHEMA),
  id: runIdSchema,
  plimsoll: openObject({ version: text }),
  name: reported(text),
  tags: v.record(v.pipe(v.string(), v.maxLength(64)), text),
  startedAt: text,
  command: sentence,
  environment: environmentSchema,
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  endedEarly: v.exactOptional(sentence),
  stopped: v.exactOptional(failedStopSchema),
  mode: v.picklist(['pairs', 'runs', 'sets']),
  a: sideSchema,
  b: sideSchema,
  load: sentence,
  plan: reported(plan),
  looks: v.pipe(v.array(openObject({ ...looked, verdict: comparisonVerdictSchema })), v.maxLength(LOOKS_MAX)),
  metrics: v.pipe(v.array(metric), v.maxLength(METRICS_MAX)),
  refusals: v.pipe(v.array(refusal), v.maxLength(REPORTED_MAX)),
  isAnyway: v.boolean(),
  isSameModel: v.boolean(),
  notices: v.pipe(v.array(sentence), v.maxLength(REPORTED_MAX)),
  verdict: comparisonVerdictSchema,
  sentence,
  gate: v.exactOptional(gate),
  resume: reported(resumeSchema),
  progress: v.exactOptional(
    openObject({
      pairsDone: count,
      segment: reported(openObject({ pair: count, side })),
      nextLookMs: reported(duration),
    }),
  ),
});
