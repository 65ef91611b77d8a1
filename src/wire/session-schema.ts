// A run of sessions in report.json, and what is published of them while it is in progress.

import * as v from 'valibot';
import { LIVE_TURNS_MAX, type LiveSessions, type LiveTurns } from '../core/run/live-sessions.ts';
import { CONCURRENCY_UNITS } from '../core/run/run-shape.ts';
import { SKIP_REASONS } from '../core/run/session-outcome.ts';
import { type SessionReport, TURN_ROWS_MAX } from '../core/run/session-report.ts';
import type { SpreadFigures } from '../core/statistics/bounded-spread.ts';
import { count, figure, openObject, reported } from './schema.ts';

const spread: v.GenericSchema<unknown, SpreadFigures> = openObject({ p50: figure, p90: figure, max: figure });

export const sessionReportSchema: v.GenericSchema<unknown, SessionReport> = openObject({
  concurrencyOf: v.picklist(CONCURRENCY_UNITS),
  sessions: openObject({ begun: count, completed: count, failed: count, cut: count }),
  turns: openObject({
    planned: count,
    issued: count,
    skipped: count,
    unresolved: count,
    unfollowed: v.exactOptional(count),
  }),
  skippedBecause: v.record(v.picklist(SKIP_REASONS), v.exactOptional(count)),
  durationNs: reported(spread),
  cachedShare: reported(figure),
  byTurn: v.pipe(
    v.array(
      openObject({
        turn: count,
        isLast: v.boolean(),
        issued: count,
        completed: count,
        failed: count,
        skipped: count,
        ttftNs: reported(spread),
        latencyNs: reported(spread),
        inputTokensMean: reported(figure),
        cachedShare: reported(figure),
      }),
    ),
    v.maxLength(TURN_ROWS_MAX),
  ),
  byUncached: reported(
    // Powers of two of any integer.
    v.pipe(v.array(openObject({ from: figure, to: figure, count, ttftNs: spread })), v.maxLength(64)),
  ),
});

const liveTurns: v.GenericSchema<unknown, LiveTurns> = openObject({
  issued: count,
  completed: count,
  failed: count,
  skipped: count,
  ttftNs: reported(spread),
  inputTokens: count,
  cachedTokens: reported(count),
});

export const liveSessionsSchema: v.GenericSchema<unknown, LiveSessions> = openObject({
  running: count,
  completed: count,
  failed: count,
  cut: count,
  inTurn: v.pipe(v.array(count), v.maxLength(LIVE_TURNS_MAX)),
  first: liveTurns,
  later: liveTurns,
});
