// Objectives of whole sessions: which sessions count where a run ends before some of them do.

import { describe, expect, test } from 'vitest';
import type { ObjectiveAnswer } from '../../../src/core/run/judge-objective.ts';
import type { JudgedObjective } from '../../../src/core/run/objective.ts';
import { ObjectiveTallies } from '../../../src/core/run/objective-tallies.ts';
import type { SessionEnd } from '../../../src/core/run/session-follower.ts';
import { answerSentence } from '../../../src/render/run/objective-labels.ts';

const SECOND = 1e9;
const P90: JudgedObjective = { kind: 'percentile', name: 'session', percentile: 90, limitNs: 10 * SECOND };
const MEAN: JudgedObjective = { kind: 'mean', name: 'session', limitNs: 10 * SECOND };

interface Played {
  readonly beganS: number;
  readonly tookS: number;
  readonly end?: SessionEnd;
}

const judged = (objective: JudgedObjective, sessions: readonly Played[]): ObjectiveAnswer | undefined => {
  const tallies = new ObjectiveTallies([objective]);
  for (const [at, { beganS, tookS, end = 'completed' }] of sessions.entries())
    tallies.sessionOver(
      { sentNs: beganS * SECOND, toNs: (beganS + tookS) * SECOND },
      end,
      sessions.length - 1 - at,
    );
  return tallies.answers()[0];
};

const oneASecond = (count: number, tookS: number): readonly Played[] =>
  Array.from({ length: count }, (_, beganS) => ({ beganS, tookS }));

describe('an objective of whole sessions', () => {
  test('counts all of them if none was cut', () => {
    expect(judged(P90, oneASecond(100, 4))).toMatchObject({
      objective: 'session.p90=10s',
      estimate: { value: expect.closeTo(4 * SECOND, -7) },
      answer: 'met',
      isOfSessions: true,
    });
  });

  test('is not met by a run that cut its long sessions, although all that completed are short', () => {
    const short = oneASecond(100, 4);
    const cut = short.map(({ beganS }): Played => ({ beganS, tookS: 104 - beganS, end: 'cut' }));
    expect(judged(P90, short)?.answer).toBe('met');
    expect(judged(P90, [...short, ...cut])).toMatchObject({
      answer: 'too-few-samples',
      estimate: { value: null },
    });
  });

  test('leaves out sessions that began too late for the run to know, short ones and cut ones', () => {
    const early = oneASecond(100, 4);
    // In the last ten seconds one in two is cut before its limit: nothing is known of those.
    const late = Array.from(
      { length: 9 },
      (_, at): Played => ({ beganS: 101 + at, tookS: 1, ...(at % 2 === 0 ? { end: 'cut' } : {}) }),
    );
    const all = judged(P90, [...early, ...late, { beganS: 108, tookS: 2, end: 'cut' }]);
    expect(all?.answer).toBe('met');
    expect(judged(P90, [{ beganS: 0, tookS: 5, end: 'cut' }])).toMatchObject({
      answer: 'too-few-samples',
      estimate: { reason: 'no session began long enough before the end' },
    });
  });

  test('counts a session that failed as longer than any', () => {
    const failing = oneASecond(200, 4).map(
      (each, at): Played => (at % 3 === 0 ? { ...each, end: 'failed' } : each),
    );
    expect(judged(P90, failing)?.answer).toBe('missed');
  });

  test('of a mean is unknown while the duration of one is', () => {
    const known = oneASecond(200, 4).map((each, at): Played => ({ ...each, tookS: 3 + (at % 3) }));
    expect(judged(MEAN, known)?.answer).toBe('met');
    expect(judged(MEAN, [...known, { beganS: 200, tookS: 1, end: 'cut' }])?.answer).toBe('too-few-samples');
  });

  test('states in sessions how many would decide', () => {
    const answer = judged(P90, oneASecond(20, 4));
    expect(answer === undefined ? '' : answerSentence(answer)).toMatch(
      /^too few sessions to decide: .*; about \d+ sessions would decide$/u,
    );
  });
});

test('an objective of later turns leaves out those before', () => {
  const tallies = new ObjectiveTallies([
    { kind: 'percentile', name: 'ttft', percentile: 90, limitNs: SECOND, fromTurn: 2 },
  ]);
  for (let session = 0; session < 100; session += 1)
    for (const turn of [0, 1, 2])
      tallies.ended(
        { outcome: turn === 0 ? 'failed' : 'completed', turn: { session, turn, turns: 3 } },
        turn === 0 ? undefined : { ttftNs: 0.2 * SECOND, outputTokens: 10 },
      );
  expect(tallies.answers()).toMatchObject([{ objective: 'turn 2+ ttft.p90=1s', answer: 'met' }]);
});
