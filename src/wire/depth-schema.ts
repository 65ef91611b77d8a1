// A depth profile in config.json and report.json.

import * as v from 'valibot';
import { DEPTH_REPETITIONS_MAX, DEPTHS_MAX, type DepthPlan } from '../core/depth/depth-plan.ts';
import { DEPTH_TESTS, type DepthProfile, type DepthRow, PREFIX_USES } from '../core/depth/depth-profile.ts';
import { count, figure, list, openObject, reported, text } from './schema.ts';

export const depthPlanSchema: v.GenericSchema<unknown, DepthPlan> = openObject({
  depths: v.pipe(v.array(count), v.maxLength(DEPTHS_MAX)),
  promptTokens: count,
  outputTokens: count,
  repetitions: count,
  skipped: v.pipe(v.array(openObject({ depth: count, reason: text })), v.maxLength(DEPTHS_MAX)),
  sizeBytes: reported(count),
  parameters: reported(count),
  contextMax: reported(count),
});

const rowSchema: v.GenericSchema<unknown, DepthRow> = openObject({
  test: v.picklist(DEPTH_TESTS),
  depth: count,
  tokens: count,
  contextTokens: reported(figure),
  tokensPerSecond: reported(
    openObject({
      mean: figure,
      stdDev: reported(figure),
      values: v.pipe(v.array(figure), v.maxLength(DEPTH_REPETITIONS_MAX)),
    }),
  ),
  prefix: v.picklist(PREFIX_USES),
  remarks: list(text),
});

export const depthProfileSchema: v.GenericSchema<unknown, DepthProfile> = openObject({
  plan: depthPlanSchema,
  rows: v.pipe(v.array(rowSchema), v.maxLength(3 * DEPTHS_MAX)),
});
