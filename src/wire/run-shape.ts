// The shape, name and tags of a run as sent between processes, in config.json, reports and events.

import * as v from 'valibot';
import {
  CONCURRENCY_UNITS,
  LOAD_STEPS_MAX,
  loadStepSchema,
  RUN_NAME_LENGTH_MAX,
  type RunShape,
  type RunTags,
  SESSION_HISTORIES,
  TAG_KEY,
  TAG_KEY_LENGTH_MAX,
  TAG_VALUE_LENGTH_MAX,
  TAGS_MAX,
} from '../core/run/run-shape.ts';
import type { TraceShape } from '../core/run/trace-shape.ts';
import { count, nonNegative, openObject, reported } from '../core/schema.ts';

const traceShapeSchema: v.GenericSchema<unknown, TraceShape> = openObject({
  speed: nonNegative,
  requests: count,
  fromMs: reported(nonNegative),
  untilMs: reported(nonNegative),
  startAt: reported(openObject({ from: nonNegative, to: nonNegative })),
  gapMsMax: reported(nonNegative),
  gapsCapped: count,
  spanMs: reported(nonNegative),
  inputTokens: count,
  sharedTokens: reported(count),
});

export const runShapeSchema: v.GenericSchema<unknown, RunShape> = openObject({
  rampMs: nonNegative,
  warmupMs: nonNegative,
  inFlightCap: reported(count),
  steps: v.pipe(v.array(loadStepSchema), v.maxLength(LOAD_STEPS_MAX)),
  sessions: reported(
    openObject({
      concurrencyOf: v.picklist(CONCURRENCY_UNITS),
      history: v.exactOptional(v.picklist(SESSION_HISTORIES)),
    }),
  ),
  trace: reported(traceShapeSchema),
  graceMs: v.exactOptional(nonNegative),
});

export const runNameSchema: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.maxLength(RUN_NAME_LENGTH_MAX),
);

export const runTagsSchema: v.GenericSchema<unknown, RunTags> = v.pipe(
  v.record(v.pipe(v.string(), v.regex(TAG_KEY)), v.pipe(v.string(), v.maxLength(TAG_VALUE_LENGTH_MAX))),
  v.maxEntries(TAGS_MAX),
);

/** "engine=vllm" */
export const tagTextsSchema: v.GenericSchema<unknown, string[]> = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(TAG_KEY_LENGTH_MAX + 1 + TAG_VALUE_LENGTH_MAX))),
  v.maxLength(TAGS_MAX),
);
