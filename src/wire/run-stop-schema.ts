// Why a run was stopped by its own rule, and the rules, in report.json and in messages to an agent.

import * as v from 'valibot';
import type { FailedStop } from '../core/run/failed-stop.ts';
import { STOP_CAUSES, stopText } from '../core/run/run-stop.ts';
import { openObject, reported } from '../core/schema.ts';
import { runFailuresSchema } from './failure-schema.ts';

export const failedStopSchema: v.GenericSchema<unknown, FailedStop> = openObject({
  where: stopText,
  cause: v.picklist(STOP_CAUSES),
  problem: stopText,
  advice: stopText,
  failures: reported(runFailuresSchema),
});
