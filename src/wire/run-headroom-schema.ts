// Where a run is relative to the bound, in report.json.

import * as v from 'valibot';
import { ENGINES } from '../core/model/engine-constants.ts';
import {
  CAUSE_CODES,
  CAUSE_FINDINGS,
  RUN_PHASES,
  type RunHeadroom,
  type RunStanding,
} from '../core/model/run-standing.ts';
import { figure, openObject, reported, text } from './schema.ts';

/** Three tests for each of 32 depths. */
const STANDINGS_MAX = 96;
const NOTES_MAX = 16;

const standing: v.GenericSchema<unknown, RunStanding> = openObject({
  phase: v.picklist(RUN_PHASES),
  test: text,
  batch: figure,
  contextTokens: figure,
  achieved: figure,
  bound: figure,
  expected: openObject({ value: figure, low: figure, high: figure }),
  ofBound: figure,
  ofExpected: figure,
  limit: v.picklist(['weights', 'experts', 'cache', 'compute', 'overhead', 'linkLatency', 'linkBandwidth']),
});

export const runHeadroomSchema: v.GenericSchema<unknown, RunHeadroom> = openObject({
  place: text,
  deviceName: text,
  engine: v.picklist(ENGINES),
  modelSource: text,
  constants: text,
  errorShare: reported(figure),
  ceilingBytesPerSecond: figure,
  notes: reported(v.pipe(v.array(text), v.maxLength(NOTES_MAX))),
  standings: v.pipe(v.array(standing), v.maxLength(STANDINGS_MAX)),
  unjudged: v.pipe(
    v.array(openObject({ phase: v.picklist(RUN_PHASES), reason: text })),
    v.maxLength(STANDINGS_MAX),
  ),
  readBytes: reported(openObject({ bytesPerSecond: figure, ofCeiling: figure })),
  causes: v.pipe(
    v.array(openObject({ code: v.picklist(CAUSE_CODES), finding: v.picklist(CAUSE_FINDINGS), words: text })),
    v.maxLength(2 * CAUSE_CODES.length),
  ),
});
