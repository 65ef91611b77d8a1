// The measured speed of an engine with a model: in records of a node and in report.json.

import * as v from 'valibot';
import type { EngineCalibration } from '../core/model/engine-calibration.ts';
import { ENGINES } from '../core/model/engine-constants.ts';
import { count, figure, nodeIdSchema, openObject, reported, runIdSchema, text } from './schema.ts';

/** As many as a profile has depths. */
const CALIBRATION_POINTS_MAX = 32;
const positive = v.pipe(figure, v.minValue(0));

export const engineCalibrationSchema: v.GenericSchema<unknown, EngineCalibration> = openObject({
  calibrationKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{8,64}$/)),
  targetNode: reported(nodeIdSchema),
  runId: runIdSchema,
  engine: v.picklist(ENGINES),
  version: reported(text),
  modelName: text,
  modelDigest: v.pipe(v.string(), v.regex(/^[0-9a-f]{8,64}$/)),
  layers: count,
  weightBytes: positive,
  points: v.pipe(
    v.array(
      openObject({
        contextTokens: positive,
        cacheBytes: positive,
        seconds: positive,
        spread: reported(positive),
      }),
    ),
    v.maxLength(CALIBRATION_POINTS_MAX),
  ),
  prefill: reported(openObject({ low: positive, high: positive })),
});
