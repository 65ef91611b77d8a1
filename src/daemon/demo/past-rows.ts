// The past of a simulated cluster as a journal would hold it: raw profiles of the last days, before them sums of an hour. It
// is made when somebody asks, so that a month of two hundred machines costs nothing to begin with.

import type { Clock } from '../../clock/clock.ts';
import { factKey } from '../../core/event-kinds.ts';
import { encodeHourlySummary, summarizeHour } from '../../journal/hourly-summary.ts';
import { type HistoryQuery, type HistoryRow, JOURNAL_LIMITS } from '../../journal/journal.ts';
import type { Simulation } from '../../simulate/simulation.ts';
import { encodeRecordBody } from '../../wire/durable-record.ts';

/** Ascending by time. */
export const pastRows = (
  simulation: Simulation,
  query: HistoryQuery,
  clock: Clock,
): readonly HistoryRow[] => {
  const { origin, slot, key, sinceWallMs, limit } = query;
  const [nowMs, wallMs] = [clock.nowMs(), clock.wallMs()];
  return simulation
    .past(origin, { slot, key })
    .map(({ fact, atMs }) => ({ fact, agoMs: nowMs - atMs }))
    .filter(({ agoMs }) => wallMs - agoMs >= sinceWallMs)
    .slice(-limit)
    .map(({ fact, agoMs }, index): HistoryRow => {
      const body = encodeRecordBody({ origin, epoch: 0, seq: index + 1 }, fact);
      const row = { origin, slot, key: factKey(fact) };
      if (agoMs <= JOURNAL_LIMITS.rawHistoryMs)
        return { ...row, atWallMs: Math.round(wallMs - agoMs), body, isHourly: false };
      const atWallMs = Math.floor((wallMs - agoMs) / HOUR_MS) * HOUR_MS;
      return { ...row, atWallMs, body: encodeHourlySummary(summarizeHour([body])), isHourly: true };
    });
};

const HOUR_MS = 3_600_000;
