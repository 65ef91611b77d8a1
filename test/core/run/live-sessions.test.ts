import { expect, test } from 'vitest';
import {
  addedSessions,
  LIVE_TURNS_MAX,
  type LiveSessions,
  LiveSessionTally,
} from '../../../src/core/run/live-sessions.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { inTurnRows, liveSessionLine, liveTurnRows } from '../../../src/render/run/live-session-rows.ts';
import { sampleOf } from '../../support/sample-of.ts';

const MS = 1e6;

const position = (session: number, turn: number, turns = 12) => ({ session, turn, turns });

/** Issued, and ended with a first token behind so many ms. */
const played = (tally: LiveSessionTally, at: ReturnType<typeof position>, ttftMs: number): void => {
  tally.issued(at);
  tally.ended(
    sampleOf({ turn: at, sentNs: 0, firstContentNs: ttftMs * MS, endNs: 99 * MS, inputTokens: 100 }),
  );
};

const inTurn = (sessions: LiveSessions): readonly string[] =>
  inTurnRows(sessions).flatMap(({ turn, count }) => (count === 0 ? [] : [`${turn}: ${count}`]));

test('each session that runs is in its newest turn, and in none once it is over', () => {
  const tally = new LiveSessionTally();
  for (const session of [0, 1, 2]) tally.issued(position(session, 0, 2));
  expect(inTurn(tally.figures())).toEqual(['1: 3']);
  played(tally, position(0, 1, 2), 5);
  expect(inTurn(tally.figures())).toEqual(['1: 2', '2: 1']);
  tally.ended(sampleOf({ turn: position(0, 0, 2) }));
  expect(inTurn(tally.figures())).toEqual(['1: 2']);
  expect(liveSessionLine(tally.figures())).toBe('2 running · 1 completed');
  tally.ended(sampleOf({ turn: position(1, 0, 2), outcome: 'failed' }));
  tally.skipped({ ...position(1, 1, 2), reason: 'turn-failed' });
  expect(liveSessionLine(tally.figures())).toBe('1 running · 1 completed · 1 failed · 1 turn skipped');
});

test('turns that are reported out of order, and concurrently, count once', () => {
  const tally = new LiveSessionTally();
  for (const turn of [2, 0, 1]) tally.issued(position(0, turn));
  for (let turn = 3; turn < 12; turn += 1) tally.issued(position(1, turn));
  expect(inTurn(tally.figures())).toEqual(['3: 1', `${LIVE_TURNS_MAX}+: 1`]);
  expect(tally.figures().inTurn).toHaveLength(LIVE_TURNS_MAX);
});

test('first turns are compared with later ones, and too few values give a dash', () => {
  const tally = new LiveSessionTally();
  for (let session = 0; session < 4; session += 1)
    for (let turn = 0; turn < 12; turn += 1) played(tally, position(session, turn), turn === 0 ? 80 : 20);
  const { first, later, completed } = tally.figures();
  expect([completed, first.completed, later.completed]).toEqual([4, 4, 44]);
  expect(isUnknown(first.ttftNs) || isUnknown(later.ttftNs)).toBe(false);
  const [firstRow = [], laterRow = []] = liveTurnRows(tally.figures());
  expect(firstRow.slice(0, 2)).toEqual(['first', '4']);
  expect(laterRow[4]).toMatch(/^20\.\d\sms$/);
  expect([firstRow[5], firstRow[6]]).toEqual(['–', '–']);
});

test('those of several machines are added, except for figures that need all values', () => {
  const [one, other] = [new LiveSessionTally(), new LiveSessionTally()];
  for (const session of [0, 1]) played(one, position(session, 0, 1), 7);
  played(other, position(9, 0), 7);
  expect(addedSessions([one.figures()])).toEqual(one.figures());
  const both = addedSessions([one.figures(), other.figures()]);
  expect(both).toMatchObject({
    running: 1,
    completed: 2,
    inTurn: [1],
    first: { issued: 3, inputTokens: 300 },
  });
  expect(both?.first.ttftNs).toEqual({
    kind: 'unknown',
    reason: 'with several machines it is known at the end',
  });
  expect(addedSessions([])).toBeUndefined();
});
