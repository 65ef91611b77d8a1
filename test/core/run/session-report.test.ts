import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import type { SampleTurn } from '../../../src/core/run/session-outcome.ts';
import { type SessionReport, SessionTally, TURN_ROWS_MAX } from '../../../src/core/run/session-report.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { sessionSection } from '../../../src/render/run/session-rows.ts';
import type { SectionTable } from '../../../src/render/section.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { REMARK } from '../../support/spoiled-run.ts';

const MS = 1e6;

/**
 * Of a session of three turns by default: sent at its intended time, first content 10 ms and end 30 ms
 * behind.
 */
const turn = (
  turn: Partial<SampleTurn>,
  more: Partial<EndedSample> & { cached?: number } = {},
): EndedSample => {
  const { cached, ...changes } = more;
  const atNs = changes.intendedNs ?? 0;
  return sampleOf({
    turn: { session: 0, turn: 0, turns: 3, ...turn },
    sentNs: atNs,
    firstContentNs: atNs + 10 * MS,
    endNs: atNs + 30 * MS,
    inputTokens: 100,
    ...(cached === undefined
      ? {}
      : {
          remark: { ...REMARK, cachedTokens: cached },
        }),
    ...changes,
  });
};

const reported = (
  ended: readonly EndedSample[],
  skipped: readonly (SampleTurn & { reason: 'turn-failed' | 'run-ended'; window?: number })[] = [],
  tally = new SessionTally(),
): SessionReport => {
  for (const sample of ended) tally.ended(sample);
  for (const turn of skipped) tally.skipped({ sampleId: 0, window: 0, ...turn });
  return tally.report('sessions');
};

describe('the account of sessions', () => {
  test('reports a completed session, its duration from the first intended start to the last end', () => {
    const report = reported([
      turn({ turn: 2 }, { intendedNs: 500 * MS }),
      turn({ turn: 0 }, { intendedNs: 100 * MS, sentNs: 105 * MS }),
      turn({ turn: 1 }, { intendedNs: 300 * MS }),
    ]);
    expect(report.sessions).toEqual({ begun: 1, completed: 1, failed: 0, cut: 0 });
    expect(report.turns).toEqual({ planned: 3, issued: 3, skipped: 0, unresolved: 0 });
    expect(report.durationNs).toEqual({ p50: 430 * MS, p90: 430 * MS, max: 430 * MS });
    expect(report.byTurn.map(({ issued, completed }) => [issued, completed])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  test('counts each session once: failed before cut, and those that a killed run left open as cut', () => {
    const report = reported(
      [
        turn({ session: 1 }, { outcome: 'failed' }),
        turn({ session: 2 }),
        turn({ session: 3 }, { outcome: 'cancelled' }),
        turn({ session: 4 }),
      ],
      [
        { session: 1, turn: 1, turns: 3, reason: 'turn-failed' },
        { session: 1, turn: 2, turns: 3, reason: 'turn-failed' },
        { session: 2, turn: 1, turns: 3, reason: 'run-ended' },
        { session: 2, turn: 2, turns: 3, reason: 'run-ended' },
        { session: 3, turn: 1, turns: 3, reason: 'run-ended' },
        { session: 3, turn: 2, turns: 3, reason: 'run-ended' },
      ],
    );
    expect(report.sessions).toEqual({ begun: 4, completed: 0, failed: 1, cut: 3 });
    expect(report.turns).toEqual({ planned: 12, issued: 4, skipped: 6, unresolved: 2 });
    expect(report.skippedBecause).toEqual({ 'turn-failed': 2, 'run-ended': 4 });
    expect(report.durationNs).toEqual({ kind: 'unknown', reason: 'no session was completed' });
  });

  test('leaves out what is not measured', () => {
    const report = reported(
      [turn({}, { window: -1 })],
      [{ session: 0, turn: 1, turns: 3, reason: 'run-ended', window: -1 }],
    );
    expect(report.sessions.begun).toBe(0);
    expect(report.turns.planned).toBe(0);
    expect(report.byTurn).toEqual([]);
  });

  test("shares are of the server's prompt tokens, and unknown if it never reports a cache", () => {
    const silent = reported([turn({ turns: 1 })]);
    expect(isUnknown(silent.cachedShare)).toBe(true);
    expect(tablesOf(silent).map(({ name }) => name)).toEqual(['Turns']);
    const reporting = reported([
      turn({ session: 0, turns: 1 }),
      turn({ session: 1, turns: 1 }, { cached: 60 }),
      turn({ session: 2, turns: 1 }, { inputTokens: NO_FIGURE, cached: 60 }),
    ]);
    expect(reporting.cachedShare).toBe(60 / 200);
    expect(reporting.byTurn[0]).toMatchObject({ inputTokensMean: 100, cachedShare: 60 / 200, completed: 3 });
    expect(reporting.byUncached).toEqual([
      { from: 32, to: 64, count: 1, ttftNs: { p50: 10 * MS, p90: 10 * MS, max: 10 * MS } },
      { from: 64, to: 128, count: 1, ttftNs: { p50: 10 * MS, p90: 10 * MS, max: 10 * MS } },
    ]);
  });

  test('by uncached tokens: none at all is a row of its own, and a server that claims more than it was asked has none', () => {
    const { byUncached } = reported([
      turn({ turns: 1 }, { cached: 100 }),
      turn({ session: 1, turns: 1 }, { cached: 200 }),
      turn({ session: 2, turns: 1 }, { cached: 99 }),
    ]);
    expect(isUnknown(byUncached) ? [] : byUncached.map(({ from, to, count }) => [from, to, count])).toEqual([
      [0, 1, 2],
      [1, 2, 1],
    ]);
  });

  test('has one row for all turns after the last one with a row of its own', () => {
    const turns = TURN_ROWS_MAX + 10;
    const report = reported(Array.from({ length: turns }, (_, index) => turn({ turn: index, turns })));
    expect(report.byTurn).toHaveLength(TURN_ROWS_MAX);
    expect(report.byTurn.at(-1)).toMatchObject({ issued: 11, isLast: true });
    expect(tablesOf(report)[0]?.rows.at(-1)?.slice(0, 2)).toEqual([`${TURN_ROWS_MAX}+`, '11']);
    expect(report.sessions.completed).toBe(1);
  });

  test('follows so many open sessions and no more: turns of later ones are counted, and reported', () => {
    const tally = new SessionTally(2);
    const report = reported(
      [
        turn({ session: 0, turns: 2 }),
        turn({ session: 1, turns: 2 }),
        turn({ session: 2, turns: 2 }),
        turn({ session: 0, turn: 1, turns: 2 }),
        // A slot is free again.
        turn({ session: 3, turns: 1 }),
      ],
      [],
      tally,
    );
    expect(report.sessions).toEqual({ begun: 3, completed: 2, failed: 0, cut: 1 });
    expect(report.turns).toEqual({ planned: 6, issued: 5, skipped: 0, unresolved: 1, unfollowed: 1 });
    expect(sessionSection({ sessions: report })?.lead?.join('\n')).toMatch(/1 turns? of sessions above/);
  });
});

const tablesOf = (sessions: SessionReport): readonly SectionTable[] =>
  sessionSection({ sessions })?.tables ?? [];

interface Story {
  readonly turns: number;
  /** The turn that fails or is cut by the end; the others behind it are skipped. */
  readonly breaksAt: number;
  readonly how: 'failed' | 'cancelled' | 'whole';
}

const story: fc.Arbitrary<Story> = fc.record({
  turns: fc.integer({ min: 1, max: 6 }),
  breaksAt: fc.nat(5),
  how: fc.constantFrom('failed', 'cancelled', 'whole'),
});

test('in every case, planned = issued + skipped, sessions add up, and the order of lines changes nothing', () => {
  fc.assert(
    fc.property(fc.array(story, { maxLength: 12 }), fc.nat(), (stories, seed) => {
      type Line = (tally: SessionTally) => void;
      const lines = stories.flatMap(({ turns, breaksAt, how }, session): readonly Line[] => {
        const last = how === 'whole' ? turns - 1 : Math.min(breaksAt, turns - 1);
        return Array.from({ length: turns }, (_, index): Line => {
          const position = { session, turn: index, turns };
          if (index > last)
            return tally =>
              tally.skipped({
                ...position,
                sampleId: 0,
                window: 0,
                reason: how === 'failed' ? 'turn-failed' : 'run-ended',
              });
          const outcome = index === last && how !== 'whole' ? how : 'completed';
          return tally => tally.ended(turn(position, { outcome, intendedNs: (session * 7 + index) * MS }));
        });
      });
      const reportOf = (ordered: readonly Line[]): SessionReport => {
        const tally = new SessionTally();
        for (const line of ordered) line(tally);
        return tally.report('sessions');
      };
      const report = reportOf(lines);
      const { sessions, turns } = report;
      expect(turns.planned).toBe(stories.reduce((sum, one) => sum + one.turns, 0));
      expect(turns.planned).toBe(turns.issued + turns.skipped);
      expect(turns.unresolved).toBe(0);
      expect(sessions).toEqual({
        begun: stories.length,
        completed: stories.filter(({ how }) => how === 'whole').length,
        failed: stories.filter(({ how }) => how === 'failed').length,
        cut: stories.filter(({ how }) => how === 'cancelled').length,
      });
      const shuffled = lines.toSorted(
        (a, b) => ((lines.indexOf(a) * 31 + seed) % 17) - ((lines.indexOf(b) * 31 + seed) % 17),
      );
      expect(reportOf(shuffled)).toEqual(report);
    }),
  );
});
