import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DueTurn, TurnScheduler } from '../../../src/bench/schedule/turn-scheduler.ts';
import { type TimedTurns, TurnTable, turnTable } from '../../../src/bench/schedule/turn-table.ts';
import type { SkipReason } from '../../../src/core/run/session-outcome.ts';

interface Played {
  readonly scheduler: TurnScheduler;
  readonly skipped: { readonly session: number; readonly turn: number; readonly reason: SkipReason }[];
  readonly over: number[];
}

const played = (...sessions: readonly TimedTurns[]): Played => limited(undefined, ...sessions);

const limited = (idleMsMax: number | undefined, ...sessions: readonly TimedTurns[]): Played => {
  const skipped: Played['skipped'] = [];
  const over: number[] = [];
  const scheduler = new TurnScheduler(
    new TurnTable(turnTable(sessions)),
    {
      skipped: (position, reason) => skipped.push({ ...position, reason }),
      sessionOver: session => over.push(session),
    },
    idleMsMax === undefined ? undefined : idleMsMax * MS,
  );
  return { scheduler, skipped, over };
};

/** Each behind the one before. */
const chat = (...delaysMs: readonly number[]): TimedTurns => ({
  turns: delaysMs.map((delayMs, turn) => ({ after: turn === 0 ? [] : [turn - 1], delayMs })),
});

const MS = 1e6;

describe('turns of a session', () => {
  test('are due their delay after the one before has ended, by its end and not by when that arrived', () => {
    const { scheduler, over } = played(chat(0, 20, 5));
    scheduler.begin(0, 100 * MS, false);
    expect(scheduler.take(100 * MS)).toEqual({ session: 0, turn: 0, dueNs: 100 * MS, isWarmup: false });
    expect(scheduler.nextDueNs).toBe(Number.POSITIVE_INFINITY);
    scheduler.ended({ session: 0, turn: 0 }, 150 * MS);
    expect(scheduler.nextDueNs).toBe(170 * MS);
    expect(scheduler.take(169 * MS)).toBeUndefined();
    expect(scheduler.take(175 * MS)).toMatchObject({ turn: 1, dueNs: 170 * MS });
    scheduler.ended({ session: 0, turn: 1 }, 200 * MS);
    expect(scheduler.take(300 * MS)).toMatchObject({ turn: 2, dueNs: 205 * MS });
    expect(over).toEqual([]);
    scheduler.ended({ session: 0, turn: 2 }, 310 * MS);
    expect(over).toEqual([0]);
    expect(scheduler.openCount).toBe(0);
  });

  test('that wait for several start after the last end, in whichever order they are reported', () => {
    const fork: TimedTurns = {
      turns: [
        { after: [], delayMs: 0 },
        { after: [0], delayMs: 1 },
        { after: [0], delayMs: 2 },
        { after: [1, 2], delayMs: 10 },
      ],
    };
    const { scheduler } = played(fork);
    scheduler.begin(0, 0, false);
    scheduler.take(0);
    scheduler.ended({ session: 0, turn: 0 }, 5 * MS);
    expect([scheduler.take(9 * MS)?.turn, scheduler.take(9 * MS)?.turn]).toEqual([1, 2]);
    scheduler.ended({ session: 0, turn: 2 }, 80 * MS);
    expect(scheduler.nextDueNs).toBe(Number.POSITIVE_INFINITY);
    scheduler.ended({ session: 0, turn: 1 }, 60 * MS);
    expect(scheduler.nextDueNs).toBe(90 * MS);
  });

  test('are skipped once one has failed, while those in flight may end', () => {
    const { scheduler, skipped, over } = played({
      turns: [
        { after: [], delayMs: 0 },
        { after: [], delayMs: 0 },
        { after: [], delayMs: 50 },
        { after: [0, 1], delayMs: 0 },
      ],
    });
    scheduler.begin(0, 0, false);
    scheduler.take(0);
    scheduler.take(0);
    scheduler.failed({ session: 0, turn: 0 }, 'turn-failed');
    expect(skipped).toEqual([
      { session: 0, turn: 2, reason: 'turn-failed' },
      { session: 0, turn: 3, reason: 'turn-failed' },
    ]);
    expect(scheduler.nextDueNs).toBe(Number.POSITIVE_INFINITY);
    expect(over).toEqual([]);
    scheduler.ended({ session: 0, turn: 1 }, 9 * MS);
    expect(over).toEqual([0]);
  });

  test('have a number each, over all rounds through the data set', () => {
    const table = new TurnTable(turnTable([chat(0, 1), chat(0), chat(0, 1, 2)]));
    const positions = Array.from({ length: 12 }, (_, number) => table.positionOf(number));
    expect(positions.map(position => table.numberOf(position))).toEqual([...positions.keys()]);
    expect(positions.slice(6, 9)).toEqual([
      { session: 3, turn: 0 },
      { session: 3, turn: 1 },
      { session: 4, turn: 0 },
    ]);
  });

  test('of sessions that are played once have their numbers before all rounds through the others', () => {
    const table = new TurnTable(turnTable([chat(0), chat(0, 1), chat(0, 1, 2), chat(0)], 2));
    const positions = Array.from({ length: 20 }, (_, number) => table.positionOf(number));
    expect(positions.map(position => table.numberOf(position))).toEqual([...positions.keys()]);
    expect(positions.map(({ session }) => session)).toEqual([
      ...[0, 1, 1, 2, 2, 2, 3],
      ...[4, 4, 4, 5, 6, 6, 6, 7, 8, 8, 8, 9, 10],
    ]);
    expect([4, 5, 6, 7].map(session => table.turnsOf(session))).toEqual([3, 1, 3, 1]);
    expect([7, 10, 11].map(number => table.dataTurnOf(number))).toEqual([3, 6, 3]);
  });
});

describe('with a limit of the time without a turn in flight', () => {
  test('all pauses of all sessions are shortened by the same time once nothing is in flight', () => {
    const { scheduler } = limited(10, chat(0, 60), chat(0, 75));
    for (const session of [0, 1]) scheduler.begin(session, 0, false);
    for (const _ of [0, 1]) scheduler.take(0);
    scheduler.ended({ session: 0, turn: 0 }, 5 * MS);
    scheduler.limitIdle();
    // The other one is still in flight.
    expect(scheduler.nextDueNs).toBe(65 * MS);
    scheduler.ended({ session: 1, turn: 0 }, 20 * MS);
    scheduler.limitIdle();
    expect(scheduler.nextDueNs).toBe(30 * MS);
    expect(scheduler.take(30 * MS)).toMatchObject({ session: 0, dueNs: 30 * MS });
    // 75 ms after 20 ms, and 35 ms sooner: their distance stays.
    expect(scheduler.nextDueNs).toBe(60 * MS);
  });

  test('a pause that begins after one that was shortened has its whole length', () => {
    const { scheduler } = limited(10, chat(0, 100, 7));
    scheduler.begin(0, 0, false);
    scheduler.take(0);
    scheduler.ended({ session: 0, turn: 0 }, 1 * MS);
    scheduler.limitIdle();
    expect(scheduler.take(11 * MS)).toMatchObject({ turn: 1, dueNs: 11 * MS });
    scheduler.ended({ session: 0, turn: 1 }, 12 * MS);
    scheduler.limitIdle();
    expect(scheduler.nextDueNs).toBe(19 * MS);
  });

  test('a shorter pause stays, and nothing is due where nothing waits', () => {
    const { scheduler } = limited(10, chat(0, 10));
    scheduler.limitIdle();
    expect(scheduler.nextDueNs).toBe(Number.POSITIVE_INFINITY);
    scheduler.begin(0, 0, false);
    scheduler.take(0);
    scheduler.ended({ session: 0, turn: 0 }, 3 * MS);
    scheduler.limitIdle();
    expect(scheduler.nextDueNs).toBe(13 * MS);
  });
});

/** Any graph: each turn waits for some of those before it. */
const graph: fc.Arbitrary<TimedTurns> = fc
  .array(fc.record({ after: fc.array(fc.nat(30), { maxLength: 4 }), delayMs: fc.nat(20) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map(turns => ({
    turns: turns.map(({ after, delayMs }, turn) => ({
      after: turn === 0 ? [] : after.map(earlier => earlier % turn),
      delayMs,
    })),
  }));

test('with any graph and any failures, each turn is issued once after all its dependencies, or skipped', () => {
  fc.assert(
    fc.property(
      fc.array(graph, { minLength: 1, maxLength: 4 }),
      fc.array(fc.record({ tookMs: fc.nat(40), fails: fc.boolean(), pick: fc.nat(50) }), {
        minLength: 80,
        maxLength: 80,
      }),
      fc.nat(8),
      fc.option(fc.nat(300), { nil: undefined }),
      (sessions, fates, failEvery, stopMs) => {
        const { scheduler, skipped, over } = played(...sessions);
        for (const index of sessions.keys()) scheduler.begin(index, index * 3 * MS, false);
        const ends = new Map<string, number>();
        const issued = new Map<string, DueTurn>();
        const inFlight: { readonly due: DueTurn; readonly endNs: number; readonly fails: boolean }[] = [];
        let nowNs = 0;
        let isStopped = false;
        for (;;) {
          inFlight.sort((a, b) => a.endNs - b.endNs);
          const endNs = inFlight[0]?.endNs ?? Number.POSITIVE_INFINITY;
          nowNs = Math.max(nowNs, Math.min(scheduler.nextDueNs, endNs));
          if (nowNs === Number.POSITIVE_INFINITY) break;
          if (!isStopped && stopMs !== undefined && nowNs > stopMs * MS) {
            isStopped = true;
            scheduler.stop('run-ended');
            continue;
          }
          const due = scheduler.take(nowNs);
          if (due !== undefined) {
            const key = `${due.session}.${due.turn}`;
            expect(issued.has(key)).toBe(false);
            expect(due.dueNs).toBeLessThanOrEqual(nowNs);
            const { after = [], delayMs = 0 } = sessions[due.session]?.turns[due.turn] ?? {};
            const before = after.map(turn => ends.get(`${due.session}.${turn}`));
            expect(before).not.toContain(undefined);
            const sinceNs =
              before.length === 0 ? due.session * 3 * MS : Math.max(...before.map(end => end ?? 0));
            expect(due.dueNs).toBe(sinceNs + delayMs * MS);
            issued.set(key, due);
            const fate = fates[issued.size % fates.length];
            const fails = failEvery > 0 && fate?.fails === true && issued.size % failEvery === 0;
            inFlight.push({ due, endNs: nowNs + (fate?.tookMs ?? 0) * MS, fails });
            continue;
          }
          const first = inFlight.shift();
          if (first === undefined) break;
          if (first.fails) scheduler.failed(first.due, 'turn-failed');
          else {
            ends.set(`${first.due.session}.${first.due.turn}`, first.endNs);
            scheduler.ended(first.due, first.endNs);
          }
        }
        const skippedKeys = skipped.map(({ session, turn }) => `${session}.${turn}`);
        const planned = sessions.flatMap(({ turns }, session) =>
          turns.map((_, turn) => `${session}.${turn}`),
        );
        expect([...issued.keys(), ...skippedKeys].sort()).toEqual(planned.sort());
        expect([...over].sort()).toEqual([...sessions.keys()]);
      },
    ),
    { numRuns: 100 },
  );
});
