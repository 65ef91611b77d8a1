// config.json of a run directory, as text and back. Keys that a newer version adds are ignored.

import * as v from 'valibot';
import { depthPlanSchema } from '../core/depth/depth-plan.ts';
import { OFFERED_MODELS_MAX } from '../core/run/failure-advice.ts';
import { foreignOriginSchema } from '../core/run/foreign-run.ts';
import { AGENTS_MAX } from '../core/run/live-agent.ts';
import { modelMixSchema, urlMixSchema } from '../core/run/model-mix.ts';
import { objectiveEntries } from '../core/run/objective.ts';
import { provenanceSchema } from '../core/run/provenance.ts';
import { environmentSchema, type ReportRun, RUN_CONFIG_SCHEMA, type RunConfig } from '../core/run/report.ts';
import { LENGTHS_TEXT_MAX } from '../core/run/request-lengths.ts';
import { runPatternSchema } from '../core/run/run-pattern.ts';
import { runRequestsSchema } from '../core/run/run-requests.ts';
import { runNameSchema, runShapeSchema, runTagsSchema } from '../core/run/run-shape.ts';
import { count, figure, openObject, reported, text } from '../core/schema.ts';
import { DecodeError } from './decode-error.ts';
import { isNestedTooDeep } from './shallow-json.ts';

export const runConfigToJson = (config: RunConfig): string => `${JSON.stringify(config, undefined, 2)}\n`;

/** @throws DecodeError when it is not one, or of another schema. */
export const runConfigFromJson = (json: string): RunConfig => {
  const result = v.safeParse(runConfigSchema, parseJson(json, 'config.json'));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new DecodeError(`config.json is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`);
};

/** @throws DecodeError if it is not JSON, or nested deeper than NESTING_MAX. */
export const parseJson = (json: string, what: string): unknown => {
  if (isNestedTooDeep(json)) throw new DecodeError(`${what} is nested too deep`);
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch (error) {
    throw new DecodeError(`${what} is not JSON`, { cause: error });
  }
};

export const reportRunSchema: v.GenericSchema<unknown, ReportRun> = openObject({
  id: text,
  startedAt: text,
  target: text,
  serverKind: reported(text),
  api: reported(text),
  model: reported(text),
  models: v.exactOptional(modelMixSchema),
  offeredModels: v.exactOptional(v.pipe(v.array(text), v.maxLength(OFFERED_MODELS_MAX))),
  urls: v.exactOptional(urlMixSchema),
  addresses: v.exactOptional(v.pipe(v.array(text), v.maxLength(64))),
  pattern: runPatternSchema,
  shape: reported(runShapeSchema),
  name: reported(runNameSchema),
  tags: reported(runTagsSchema),
  dataset: text,
  seed: figure,
  streaming: v.boolean(),
  cancelled: v.exactOptional(text),
  warmupRequests: count,
  hasNonce: v.boolean(),
  isUnguarded: v.exactOptional(v.literal(true)),
  command: reported(text),
  from: v.exactOptional(v.pipe(v.array(text), v.maxLength(AGENTS_MAX))),
  requests: reported(runRequestsSchema),
  foreign: v.exactOptional(foreignOriginSchema),
});

/** "512,498,530", or nothing. */
const lengthsSchema = v.pipe(v.string(), v.maxLength(LENGTHS_TEXT_MAX), v.regex(/^(\d{1,7}(,\d{1,7})*)?$/));

export const runConfigSchema: v.GenericSchema<unknown, RunConfig> = openObject({
  schema: v.literal(RUN_CONFIG_SCHEMA),
  plimsoll: openObject({ version: text }),
  run: reportRunSchema,
  ...objectiveEntries,
  requestLengths: reported(openObject({ input: lengthsSchema, output: lengthsSchema })),
  depth: v.exactOptional(depthPlanSchema),
  environment: environmentSchema,
  provenance: reported(provenanceSchema),
});
