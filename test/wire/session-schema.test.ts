import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import {
  type SessionReport,
  SessionTally,
  sessionReportSchema,
  TURN_ROWS_MAX,
} from '../../src/core/run/session-report.ts';

import { sampleOf } from '../support/sample-of.ts';

const reportOf = (turns: number, sessionsMax?: number): SessionReport => {
  const tally = new SessionTally(sessionsMax);
  for (let turn = 0; turn < turns; turn += 1)
    tally.ended(sampleOf({ turn: { session: 0, turn, turns }, firstContentNs: 10, endNs: 1_000 + turn }));
  tally.ended(sampleOf({ turn: { session: 1, turn: 0, turns: 3 } }));
  tally.skipped({ sampleId: 9, window: 0, session: 1, turn: 1, turns: 3, reason: 'run-ended' });
  return tally.report('requests');
};

const read = (report: unknown): unknown => v.parse(sessionReportSchema, JSON.parse(JSON.stringify(report)));

describe('what report.json reports of sessions', () => {
  test.each([1, TURN_ROWS_MAX + 1])('is read as it was written, of %i turns', turns => {
    const report = reportOf(turns);
    expect(read(report)).toEqual(report);
  });

  test('is read with the turns that nobody could follow, and without', () => {
    expect(reportOf(1, 0).turns.unfollowed).toBe(3);
    expect(read(reportOf(1, 0))).toEqual(reportOf(1, 0));
    expect(reportOf(1).turns).not.toHaveProperty('unfollowed');
  });

  test('is refused where something is missing, below nothing, or of an unknown reason', () => {
    const { turns, ...report } = reportOf(2);
    for (const wrong of [
      report,
      { ...report, turns: { ...turns, planned: -1 } },
      { ...report, turns, skippedBecause: { bored: 1 } },
      { ...report, turns, concurrencyOf: 'chairs' },
    ])
      expect(() => read(wrong)).toThrow(v.ValiError);
  });
});
