// calibration.json of a home, and what `plimsoll calibrate --json` prints: strict JSON, checked when it is read.

import * as v from 'valibot';
import { CALIBRATION_SCHEMA, type Calibration } from '../core/run/calibration.ts';
import { count, figure, openObject, reported, text } from './schema.ts';
import { parseShallowJson } from './shallow-json.ts';

const error = openObject({ p50: figure, p99: figure });

const calibrationSchema: v.GenericSchema<unknown, Calibration> = openObject({
  schema: v.literal(CALIBRATION_SCHEMA),
  madeAt: text,
  machine: openObject({
    kernel: text,
    node: text,
    cpu: text,
    cores: count,
    governor: reported(text),
    load: reported(figure),
  }),
  target: text,
  clock: v.nullable(openObject({ errorNs: figure, roundTripNs: figure })),
  streams: v.pipe(
    v.array(
      openObject({
        streams: count,
        chunksPerSecond: figure,
        ttftErrorNs: error,
        gapErrorNs: error,
        networkNs: reported(error),
        boundNs: reported(figure),
      }),
    ),
    v.maxLength(64),
  ),
  rates: v.pipe(
    v.array(openObject({ requestsPerSecond: figure, achievedPerSecond: figure, sendLatenessNs: error })),
    v.maxLength(64),
  ),
});

export const calibrationToJson = (calibration: Calibration): string =>
  `${JSON.stringify(calibration, undefined, 2)}\n`;

/** undefined if it is not one of this version. */
export const calibrationFromJson = (json: string): Calibration | undefined => {
  const result = v.safeParse(calibrationSchema, parseShallowJson(json));
  return result.success ? result.output : undefined;
};
