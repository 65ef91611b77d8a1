// A run of sessions in report.json, and what is published of them while it is in progress.

import * as v from 'valibot';
import { LIVE_TURNS_MAX, type LiveSessions, liveTurnsSchema } from '../core/run/live-sessions.ts';
import { count, openObject } from '../core/schema.ts';

export const liveSessionsSchema: v.GenericSchema<unknown, LiveSessions> = openObject({
  running: count,
  completed: count,
  failed: count,
  cut: count,
  inTurn: v.pipe(v.array(count), v.maxLength(LIVE_TURNS_MAX)),
  first: liveTurnsSchema,
  later: liveTurnsSchema,
});
