// The kind of event about how fast an engine runs a model on a node: a row of the table of kinds.

import { isUnknown } from '../unknown.ts';
import { type EngineCalibration, engineCalibrationSchema } from './engine-calibration.ts';

export const MODEL_KINDS = {
  'engine.calibrated': {
    class: 'durable',
    field: 'engineCalibrations',
    shape: 'keyed',
    // Engines and versions times models that people profile; the oldest is dropped.
    entriesMax: 64,
    isNewestKept: true,
    schema: engineCalibrationSchema,
    key: ({ targetNode, calibrationKey }: EngineCalibration): string =>
      `${isUnknown(targetNode) ? 'unknown' : targetNode} ${calibrationKey}`,
    texts: {
      calibrationKey: 'plain',
      runId: 'runId',
      engine: 'plain',
      version: 'plain',
      modelName: 'modelName',
      modelDigest: 'plain',
    },
  },
} as const;
