// calibration.json of a home, and what `plimsoll calibrate --json` prints: strict JSON, checked when it is read.

import * as v from 'valibot';
import { type Calibration, calibrationSchema } from '../core/run/calibration.ts';
import { parseShallowJson } from './shallow-json.ts';

export const calibrationToJson = (calibration: Calibration): string =>
  `${JSON.stringify(calibration, undefined, 2)}\n`;

/** undefined if it is not one of this version. */
export const calibrationFromJson = (json: string): Calibration | undefined => {
  const result = v.safeParse(calibrationSchema, parseShallowJson(json));
  return result.success ? result.output : undefined;
};
