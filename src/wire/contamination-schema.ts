// Contamination of a run's figures, as sent between processes and stored on disk.

import * as v from 'valibot';
import type { ContaminationFinding } from '../core/run/contamination.ts';
import { figure, openObject, text } from '../core/schema.ts';

const FINDINGS_MAX = 64;

export const contaminationFindings: v.GenericSchema<unknown, ContaminationFinding[]> = v.pipe(
  v.array(
    openObject({
      code: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
      count: figure,
      of: figure,
      unit: text,
      spoils: v.pipe(v.array(v.pipe(v.string(), v.maxLength(128))), v.maxLength(64)),
      problem: text,
      advice: text,
    }),
  ),
  v.maxLength(FINDINGS_MAX),
);
