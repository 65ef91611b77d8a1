// Why a run was stopped by its own rule, and the rules, in report.json and in messages to an agent.

import * as v from 'valibot';
import type { FailedStop } from '../core/run/failed-stop.ts';
import { type RunStop, STOP_CAUSES, STOP_RULES_MAX, type StopRules } from '../core/run/run-stop.ts';
import { runFailuresSchema } from './failure-schema.ts';
import { figure, openObject, reported } from './schema.ts';

const sentence = v.pipe(v.string(), v.maxLength(4_096));

export const runStopSchema: v.GenericSchema<unknown, RunStop> = openObject({
  cause: v.picklist(STOP_CAUSES),
  problem: sentence,
  advice: sentence,
  atNs: figure,
});

export const failedStopSchema: v.GenericSchema<unknown, FailedStop> = openObject({
  where: sentence,
  cause: v.picklist(STOP_CAUSES),
  problem: sentence,
  advice: sentence,
  failures: reported(runFailuresSchema),
});

export const stopRulesSchema: v.GenericSchema<unknown, StopRules> = openObject({
  when: v.pipe(
    v.array(
      openObject({
        failedShareMax: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
        windowMs: v.pipe(v.number(), v.minValue(1_000), v.maxValue(600_000)),
      }),
    ),
    v.maxLength(STOP_RULES_MAX),
  ),
  keepsGoing: v.boolean(),
});
