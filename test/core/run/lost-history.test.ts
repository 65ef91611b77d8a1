// Sessions whose history the server was to keep: replies without an id, and replies without counts of tokens.

import { describe, expect, test } from 'vitest';
import { benchExit } from '../../../src/cli/commands/bench.ts';
import { withLostHistory } from '../../../src/core/run/lost-history.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import type { SkipReason } from '../../../src/core/run/session-outcome.ts';
import { SessionTally } from '../../../src/core/run/session-report.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import { reportVerdict } from '../../../src/render/run/report-summary.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { runConfig } from '../../support/run-records.ts';
import { sampleOf } from '../../support/sample-of.ts';

/** Of two sessions with three turns each: `completed` turns of each came, the others were not sent. */
const reportOf = (
  completed: number,
  { inputTokens = 10, reason = 'answer-not-kept' }: { inputTokens?: number; reason?: SkipReason } = {},
): Report => {
  const config = runConfig({ pattern: { kind: 'concurrency', concurrency: 1 } });
  const tally = new SessionTally();
  for (const session of [0, 1])
    for (const turn of [0, 1, 2]) {
      const position = { session, turn, turns: 3 };
      const sampleId = 3 * session + turn;
      if (turn < completed) tally.ended(sampleOf({ sampleId, inputTokens, turn: position }));
      else tally.skipped({ ...position, sampleId, window: 0, reason });
    }
  const sessions = { concurrencyOf: 'sessions', history: 'server' } as const;
  const report = buildReport({
    config: { ...config, run: { ...config.run, shape: { ...PLAIN_SHAPE, sessions } } },
    snapshot: { seq: 1, timestampNs: 1, state: 'complete', pendingTasks: 0, metrics: [] },
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  return withLostHistory({
    ...report,
    contamination: [],
    counts: { issued: 2 * completed, completed: 2 * completed, failed: 0, cancelled: 0, unresolved: 0 },
    client: { ...report.client, verdict: 'trustworthy', reasons: [] },
    sessions: tally.report('sessions'),
  });
};

const exitOf = (report: Report, maxFailures = 0): string =>
  benchExit(report, { maxFailures, needsTrustworthy: false, diskProblems: [] });

const HEADLINE =
  'The server did not store the history: 4 of 6 turns not sent, because its replies have no id';

describe('a run whose history the server was to keep', () => {
  test('begins with the turns that were not sent where replies have no id, and ends with the code of failures', () => {
    const report = reportOf(1);
    expect(reportVerdict(report)).toMatchObject({ tone: 'bad', headline: HEADLINE });
    const text = renderReport(report, { isUnicode: true, isFull: false }).join(' ').replace(/\s+/gu, ' ');
    expect(text).toMatch(new RegExp(`^${HEADLINE.toUpperCase()}\\.`, 'u'));
    expect(text).toContain(
      '! The server did not store the history of sessions: its replies have no id that a later turn can name (4 of 6 turns). Leave out --history server, so that each request contains its history.',
    );
    expect(exitOf(report)).toBe('benchFailures');
    expect(exitOf(report, 4)).toBe('ok');
    expect(withLostHistory(report)).toEqual(report);
  });

  test('is not blamed for turns that were left because the run was over', () => {
    const report = reportOf(1, { reason: 'run-ended' });
    expect(reportVerdict(report).headline).toMatch(/^Trustworthy/u);
    expect(report.contamination).toEqual([]);
    expect(exitOf(report)).toBe('ok');
  });

  test('reports that nobody could check it where replies have no token counts', () => {
    const unchecked =
      'whether the server stored the history of sessions could not be checked: its replies have no token counts';
    expect(reportOf(3, { inputTokens: -1 }).notices).toContain(unchecked);
    expect(reportOf(3).notices).not.toContain(unchecked);
  });
});
