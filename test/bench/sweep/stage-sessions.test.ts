// What a stage counts of its sessions while some of them are open.

import { expect, test } from 'vitest';
import { StageAccount } from '../../../src/bench/sweep/stage-account.ts';
import { stageCriterion } from '../../../src/bench/sweep/stage-criteria.ts';
import type { JudgedObjective } from '../../../src/core/run/objective.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { sampleOf } from '../../support/sample-of.ts';

const SECOND = 1e9;
const TTFT: JudgedObjective = { kind: 'percentile', name: 'ttft', percentile: 90, limitNs: SECOND };
const SESSION: JudgedObjective = {
  kind: 'percentile',
  name: 'session',
  percentile: 90,
  limitNs: 10 * SECOND,
};

const accountOf = (...objectives: readonly JudgedObjective[]): StageAccount =>
  new StageAccount(objectives.map(stageCriterion), {
    pattern: { kind: 'concurrency', concurrency: 2 },
    shape: { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } },
    isStreaming: true,
  });

interface Played {
  readonly session: number;
  readonly turn: number;
  readonly fromS: number;
  readonly toS?: number;
}

/** Sessions of two turns: session 1 has the rows 2 and 3. */
const play = (account: StageAccount, { session, turn, fromS, toS }: Played, isPlaced = true): void => {
  const row = 2 * session + turn;
  const position = { session, turn, turns: 2 };
  const sentNs = fromS * SECOND;
  account.issued(row, sentNs);
  if (isPlaced) account.placed(row, position);
  if (toS === undefined) return;
  account.ended(
    row,
    sampleOf({
      sampleId: row,
      intendedNs: sentNs,
      sentNs,
      firstContentNs: sentNs,
      endNs: toS * SECOND,
      turn: position,
    }),
    0,
  );
};

const rows = (account: StageAccount, nowS: number): readonly number[] => {
  const { values, count } = account.ledger.column(0, nowS * SECOND);
  return [...values.subarray(0, count)];
};

const judgedSessions = (account: StageAccount, nowS: number): readonly number[] => {
  const column = account.sessions?.ledger.column(0, nowS * SECOND);
  return column === undefined ? [] : [...column.values.subarray(0, column.count)];
};

test('turns count up to the oldest session that is open, and know their session', () => {
  const account = accountOf(TTFT);
  play(account, { session: 0, turn: 0, fromS: 0, toS: 1 });
  play(account, { session: 1, turn: 0, fromS: 0, toS: 2 });
  play(account, { session: 1, turn: 1, fromS: 2, toS: 3 });
  // Session 0 has a turn to come: nothing counts, not even what is over.
  expect(rows(account, 5)).toEqual([]);
  play(account, { session: 0, turn: 1, fromS: 4, toS: 5 });
  expect(rows(account, 5)).toEqual([0, 0, 0, 0]);
  expect([...(account.ledger.column(0, 5 * SECOND).sessions ?? [])]).toEqual([0, 0, 1, 1]);
  expect(account.sessions?.figures()).toEqual({ completed: 2, failed: 0, meanNs: 4 * SECOND });
});

test('a session that the end of the stage cuts off stays open, and what began behind it does not count', () => {
  const account = accountOf(TTFT);
  play(account, { session: 0, turn: 0, fromS: 0, toS: 1 });
  play(account, { session: 1, turn: 0, fromS: 0, toS: 2 });
  play(account, { session: 1, turn: 1, fromS: 2, toS: 3 });
  account.skipped({ sampleId: 1, window: 0, session: 0, turn: 1, turns: 2, reason: 'run-ended' });
  expect(rows(account, 5)).toEqual([]);
});

test('a session counts for its objective once the limit has passed, over or not', () => {
  const account = accountOf(TTFT, SESSION);
  for (const session of [0, 1, 2]) play(account, { session, turn: 0, fromS: session, toS: session + 1 });
  play(account, { session: 1, turn: 1, fromS: 3, toS: 4 });
  expect(judgedSessions(account, 9)).toEqual([]);
  // Session 0 is open after 10 s, and missed it; session 1 took 3 s; session 2 began less than 10 s ago.
  expect(judgedSessions(account, 11.5)).toEqual([1, 0]);
});

test('objectives of sessions follow those of requests, and each has its answer', () => {
  const account = accountOf(SESSION, TTFT);
  expect(account.criteria.map(({ objective }) => 'name' in objective && objective.name)).toEqual([
    'ttft',
    'session',
  ]);
  expect(account.tallies.answers().map(({ objective }) => objective)).toEqual([
    'ttft.p90=1s',
    'session.p90=10s',
  ]);
});

test('an objective of later turns counts neither first turns nor their waiting', () => {
  const account = accountOf({ ...TTFT, fromTurn: 2 });
  play(account, { session: 0, turn: 0, fromS: 0, toS: 3 });
  play(account, { session: 0, turn: 1, fromS: 3, toS: 4 });
  play(account, { session: 1, turn: 0, fromS: 0, toS: 1 });
  play(account, { session: 1, turn: 1, fromS: 1, toS: 2 });
  const column = account.ledger.column(0, 5 * SECOND);
  expect([...(column.sessions ?? []).slice(0, column.count)]).toEqual([0, 1]);
  expect(account.tallies.answers()[0]).toMatchObject({ objective: 'turn 2+ ttft.p90=1s' });
});

test('turns whose session other machines report only at their end belong to it all the same', () => {
  const account = accountOf(TTFT);
  for (const session of [0, 1])
    for (const turn of [0, 1])
      play(account, { session, turn, fromS: 2 * turn + session, toS: 2 * turn + session + 1 }, false);
  const column = account.ledger.column(0, 9 * SECOND);
  expect([...(column.sessions ?? []).slice(0, column.count)]).toEqual([0, 0, 1, 1]);
  expect(account.sessions?.figures()).toMatchObject({ completed: 2 });
});

test('turns in flight are counted by the time at which they were sent, not by their session', () => {
  const account = accountOf(TTFT);
  play(account, { session: 0, turn: 0, fromS: 0, toS: 1 });
  play(account, { session: 0, turn: 1, fromS: 6, toS: 8 });
  play(account, { session: 1, turn: 0, fromS: 2, toS: 5 });
  play(account, { session: 1, turn: 1, fromS: 7, toS: 9 });
  const seconds = Float64Array.of(0.5, 3, 5.5, 7.5, 8.5);
  expect([...account.ledger.inFlight().at(seconds.map(s => s * SECOND))]).toEqual([1, 1, 0, 2, 1]);
});
