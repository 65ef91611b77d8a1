// What every journal guarantees, for any storage. Run on each adapter by its own test file.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Journal, JournalError } from '../../src/journal/journal.ts';
import {
  appendOwn,
  OTHER,
  OWN,
  PEER,
  payloadOf,
  record,
  recordsTo,
  seqsAfter,
} from '../support/journal-records.ts';
import type { JournalSettings, JournalStorage } from '../support/journal-storage.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export const describeJournal = (name: string, createStore: () => JournalStorage): void => {
  describe(`${name} keeps the contract of a journal`, () => {
    let storage: JournalStorage;
    let clock: VirtualClock;
    let journal: Journal;

    beforeEach(() => {
      storage = createStore();
      clock = new VirtualClock({ wallMs: WALL_MS });
      journal = storage.open({ clock });
    });

    afterEach(() => {
      journal[Symbol.dispose]();
      storage[Symbol.dispose]();
    });

    const reopen = (settings: Partial<JournalSettings> = {}): Journal => {
      journal[Symbol.dispose]();
      journal = storage.open({ clock, ...settings });
      return journal;
    };

    describe('forget', () => {
      test('takes every trace of another node away, and takes it up again from the beginning', () => {
        journal.append(recordsTo(3));
        journal.append([record({ origin: OTHER, seq: 1 })]);
        const own = appendOwn(journal);
        journal.forget(PEER);
        journal.forget(OWN);
        for (const open of [() => journal, reopen]) {
          const again = open();
          expect(again.origin(PEER)).toBeUndefined();
          expect([...again.recordsAfter(PEER, 0)]).toEqual([]);
          expect(seqsAfter(again, OTHER)).toEqual([1]);
          expect(seqsAfter(again, OWN)).toEqual([own]);
        }
        journal.append([record({ seq: 1, payload: 'again' })]);
        expect([...journal.recordsAfter(PEER, 0)].map(payloadOf)).toEqual(['again']);
      });
    });

    describe('what is current', () => {
      test('is returned without what was replaced since, in order, after a restart too', () => {
        const device = (seq: number, key: string) => record({ seq, kind: 'gpu.profiled', key });
        journal.append([device(1, 'a'), device(2, 'b'), device(3, 'a'), device(4, 'c'), device(5, 'b')]);
        for (const open of [() => journal, reopen]) {
          const again = open();
          expect(again.currentRecords(PEER).map(({ seq }) => seq)).toEqual([3, 4, 5]);
          expect(seqsAfter(again, PEER), 'the rest is history').toEqual([1, 2, 3, 4, 5]);
          expect(again.currentRecords(OTHER)).toEqual([]);
        }
        journal.append([record({ epoch: 2, seq: 1, kind: 'gpu.profiled', key: 'd' })]);
        expect(journal.currentRecords(PEER).map(({ key }) => key)).toEqual(['d']);
      });
    });

    describe('what is current of other nodes', () => {
      const currentLimits = {
        recordsPerOriginMax: 4,
        bytesPerOriginMax: 2_000,
        recordsMax: 6,
        bytesMax: 3_000,
      };
      const device = (seq: number, key: string, more: Partial<Parameters<typeof record>[0]> = {}) =>
        record({ seq, kind: 'gpu.profiled', key, payload: seq, ...more });
      const keysOf = (of: Journal, origin = PEER) => of.currentRecords(origin).map(({ key }) => key);

      test('is bounded: one key more is passed over, and the position moves on', () => {
        reopen({ currentLimits });
        journal.append(['a', 'b', 'c', 'd', 'e', 'a', 'f'].map((key, index) => device(index + 1, key)));
        expect(keysOf(journal)).toEqual(['b', 'c', 'd', 'a']);
        expect(journal.origin(PEER)?.through).toBe(7);
        expect(journal.passedOver).toBe(2);
        reopen({ currentLimits });
        journal.append([device(8, 'g'), device(9, 'b')]);
        expect(keysOf(journal)).toEqual(['c', 'd', 'a', 'b']);
      });

      test('is bounded over all of them, not for the own node, and starts again with an epoch', () => {
        reopen({ currentLimits });
        for (const origin of [PEER, OTHER])
          journal.append(['a', 'b', 'c', 'd'].map((key, index) => device(index + 1, key, { origin })));
        expect(keysOf(journal, OTHER)).toEqual(['a', 'b']);
        for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
          appendOwn(journal, { kind: 'gpu.profiled', key });
        expect(keysOf(journal, OWN)).toHaveLength(7);
        journal.append([device(1, 'z', { epoch: 2 })]);
        journal.append([device(5, 'c', { origin: OTHER }), device(6, 'd', { origin: OTHER })]);
        expect([keysOf(journal), keysOf(journal, OTHER)]).toEqual([['z'], ['a', 'b', 'c', 'd']]);
        journal.forget(OTHER);
        journal.append([device(2, 'y', { epoch: 2 }), device(3, 'x', { epoch: 2 })]);
        expect(keysOf(journal)).toEqual(['z', 'y', 'x']);
      });

      test('is bounded in bytes, also where a short record is replaced by a long one', () => {
        reopen({ currentLimits });
        journal.append([device(1, 'a'), device(2, 'a', { payload: 'x'.repeat(3_000) }), device(3, 'a')]);
        expect(journal.currentRecords(PEER).map(({ seq }) => seq)).toEqual([3]);
        expect(journal.passedOver).toBe(1);
      });
    });

    describe('append', () => {
      test('a record comes back as the very bytes it was, with its age and the time it was stored', () => {
        const given = record({ seq: 1, ageMs: 1500.4, key: 'clé 鍵 🔑' });
        journal.append([given]);
        const expected = { ...given, ageMs: 1500, storedAtWallMs: WALL_MS };
        expect([...journal.recordsAfter(PEER, 0)]).toEqual([expected]);
        expect([...reopen().recordsAfter(PEER, 0)]).toEqual([expected]);
      });

      test('an unsigned record and an empty body come back empty', () => {
        const empty = new Uint8Array(0);
        journal.append([{ ...record({ seq: 1 }), body: empty, signature: empty }]);
        const [stored] = journal.recordsAfter(PEER, 0);
        expect([stored?.body, stored?.signature]).toEqual([empty, empty]);
      });

      test('what the caller does to the bytes afterwards does not reach the journal', () => {
        const given = record({ seq: 1 });
        const before = given.body.slice();
        journal.append([given]);
        given.body.fill(0);
        expect([...journal.recordsAfter(PEER, 0)][0]?.body).toEqual(before);
      });

      test('a record that skips a number is refused, and the batch leaves no trace', () => {
        journal.append(recordsTo(2));
        const batch = [record({ seq: 3 }), record({ seq: 5 })];
        expect(() => journal.append(batch)).toThrow(
          expect.objectContaining({ name: 'JournalError', code: 'out-of-order' }),
        );
        expect(seqsAfter(journal, PEER)).toEqual([1, 2]);
        expect(journal.origins()).toContainEqual({ origin: PEER, epoch: 1, through: 2 });
        expect(journal.origin(PEER)).toEqual({ origin: PEER, epoch: 1, through: 2 });
      });

      test('a batch of several origins is refused whole when one of them is out of order', () => {
        const batch = [record({ seq: 1 }), record({ origin: OTHER, seq: 2 })];
        expect(() => journal.append(batch)).toThrow(JournalError);
        expect(journal.origins().map(({ origin }) => origin)).toEqual([OWN]);
      });

      test('a record that is held already is skipped, and the first one stays', () => {
        journal.append([record({ seq: 1, payload: 'first' })]);
        journal.append([record({ seq: 1, payload: 'second' }), record({ seq: 2 })]);
        expect(Array.from(journal.recordsAfter(PEER, 0), payloadOf)).toEqual(['first', { seq: 2 }]);
      });

      test('a newer epoch of an origin begins at 1, and records of the older one are skipped', () => {
        journal.append(recordsTo(3));
        expect(() => journal.append([record({ epoch: 2, seq: 4 })])).toThrow(JournalError);
        journal.append([record({ epoch: 2, seq: 1 })]);
        journal.append([record({ epoch: 1, seq: 4 })]);
        expect(journal.origins()).toContainEqual({ origin: PEER, epoch: 2, through: 1 });
        expect(Array.from(journal.recordsAfter(PEER, 0), one => one.epoch)).toEqual([2]);
      });

      test('a batch may end one epoch and begin the next', () => {
        journal.append([...recordsTo(2), record({ epoch: 2, seq: 1 }), record({ epoch: 2, seq: 2 })]);
        expect(seqsAfter(journal, PEER)).toEqual([1, 2]);
        journal.compact();
        expect(seqsAfter(reopen(), PEER)).toEqual([2]);
      });

      test('numbers that are not whole are refused', () => {
        for (const seq of [1.5, Number.NaN, 2 ** 60])
          expect(() => journal.append([record({ seq })])).toThrow(JournalError);
        for (const epoch of [1.5, Number.NaN, 2 ** 60, -1])
          expect(() => journal.append([record({ epoch, seq: 1 })])).toThrow(JournalError);
        expect(journal.origins().map(({ origin }) => origin)).toEqual([OWN]);
      });

      test('an empty batch changes nothing', () => {
        journal.append([]);
        expect(journal.origins()).toEqual([{ origin: OWN, epoch: journal.ownEpoch, through: 0 }]);
      });
    });

    describe('catch-up', () => {
      test('an answer with holes is taken over up to its through, and append goes on from there', () => {
        const answer = { origin: PEER, epoch: 7, through: 9 };
        journal.appendCatchUp(answer, [record({ epoch: 7, seq: 2 }), record({ epoch: 7, seq: 5 })]);
        expect(journal.origins()).toContainEqual(answer);
        journal.append([record({ epoch: 7, seq: 10 })]);
        expect(seqsAfter(reopen(), PEER)).toEqual([2, 5, 10]);
      });

      test('an answer without a record moves the position all the same', () => {
        journal.append(recordsTo(2));
        journal.appendCatchUp({ origin: PEER, epoch: 1, through: 40 }, []);
        expect(reopen().origins()).toContainEqual({ origin: PEER, epoch: 1, through: 40 });
        expect(seqsAfter(journal, PEER)).toEqual([1, 2]);
      });

      test('each record of an answer keeps its own age', () => {
        const records = [record({ seq: 1, ageMs: 9000 }), record({ seq: 2, ageMs: 10, key: 'b' })];
        journal.appendCatchUp({ origin: PEER, epoch: 1, through: 2 }, records);
        expect(Array.from(journal.recordsAfter(PEER, 0), one => one.ageMs)).toEqual([9000, 10]);
      });

      test('what is held already is skipped, and an answer of the past changes nothing', () => {
        journal.append(recordsTo(5, { epoch: 2 }));
        journal.appendCatchUp(
          { origin: PEER, epoch: 2, through: 6 },
          [3, 6].map(seq => record({ epoch: 2, seq, payload: 'again' })),
        );
        journal.appendCatchUp({ origin: PEER, epoch: 2, through: 4 }, []);
        journal.appendCatchUp({ origin: PEER, epoch: 1, through: 90 }, [record({ seq: 90 })]);
        expect(journal.origins()).toContainEqual({ origin: PEER, epoch: 2, through: 6 });
        expect(seqsAfter(journal, PEER)).toEqual([1, 2, 3, 4, 5, 6]);
      });

      test('an answer that is not ascending, of another origin or past its through is refused whole', () => {
        const answer = { origin: PEER, epoch: 1, through: 5 };
        const wrong = [
          [record({ seq: 3 }), record({ seq: 2 })],
          [record({ seq: 3 }), record({ seq: 3 })],
          [record({ seq: 6 })],
          [record({ seq: 0 })],
          [record({ seq: 1, origin: OTHER })],
          [record({ seq: 1, epoch: 2 })],
        ];
        for (const records of wrong)
          expect(() => journal.appendCatchUp(answer, records)).toThrow(
            expect.objectContaining({ code: 'out-of-order' }),
          );
        expect(journal.origins()).toHaveLength(1);
      });

      test('a newer epoch leaves nothing of the older one current', () => {
        journal.append(recordsTo(3, { key: 'a' }));
        journal.appendCatchUp({ origin: PEER, epoch: 4, through: 0 }, []);
        journal.compact();
        expect(seqsAfter(journal, PEER)).toEqual([]);
        expect(journal.origins()).toContainEqual({ origin: PEER, epoch: 4, through: 0 });
      });

      test('a peer that has more of the own node than the journal is reported as own-future', () => {
        appendOwn(journal);
        const epoch = journal.ownEpoch;
        journal.appendCatchUp({ origin: OWN, epoch, through: 1 }, []);
        journal.appendCatchUp({ origin: OWN, epoch: epoch - 1, through: 99 }, []);
        for (const ahead of [
          { origin: OWN, epoch, through: 2 },
          { origin: OWN, epoch: epoch + 1, through: 1 },
        ])
          expect(() => journal.appendCatchUp(ahead, [])).toThrow(
            expect.objectContaining({ code: 'own-future' }),
          );
        expect(() => journal.append([record({ origin: OWN, epoch: epoch + 1, seq: 1 })])).toThrow(
          expect.objectContaining({ code: 'own-future' }),
        );
        expect(journal.origins()).toEqual([{ origin: OWN, epoch, through: 1 }]);
      });
    });

    describe('reading', () => {
      test('origins are ascending and the own node is always among them', () => {
        journal.append([record({ seq: 1 }), record({ origin: OTHER, seq: 1 })]);
        expect(journal.origins().map(({ origin }) => origin)).toEqual([OTHER, OWN, PEER]);
      });

      test('records after a number come ascending, also when they are many', () => {
        journal.append(recordsTo(1000));
        expect(seqsAfter(journal, PEER, 990)).toEqual([991, 992, 993, 994, 995, 996, 997, 998, 999, 1000]);
        expect(seqsAfter(journal, PEER)).toHaveLength(1000);
        expect(seqsAfter(journal, PEER, 1000)).toEqual([]);
        expect(seqsAfter(journal, OTHER)).toEqual([]);
      });

      test('reading may be left half-way, and the journal written and compacted meanwhile', () => {
        journal.append(recordsTo(600, { kind: 'gpu.profiled' }));
        for (const one of journal.recordsAfter(PEER, 0)) {
          if (one.seq === 10) journal.append([record({ seq: 601, kind: 'gpu.profiled' })]);
          if (one.seq === 20) journal.compact();
          if (one.seq === 300) break;
        }
        journal.append([record({ seq: 602, kind: 'gpu.profiled' })]);
        expect(seqsAfter(journal, PEER, 600)).toEqual([601, 602]);
      });
    });

    describe('numbers of the own node', () => {
      test('the epoch comes from the wall clock and stays over restarts, while the start number grows', () => {
        const { ownEpoch, startNumber } = journal;
        expect(ownEpoch).toBe(WALL_MS);
        reopen();
        expect([journal.ownEpoch, journal.startNumber]).toEqual([ownEpoch, startNumber + 1]);
      });

      test('start numbers grow although the wall clock was set back', () => {
        const { startNumber } = journal;
        clock = new VirtualClock({ wallMs: 1000 });
        expect(reopen().startNumber).toBe(startNumber + 1);
      });

      test('a new journal begins above the floor, and an older one moves above it', () => {
        const floor = WALL_MS + 5000;
        using other = createStore();
        using fresh = other.open({ clock, epochFloor: floor });
        expect(fresh.ownEpoch).toBe(floor + 1);
        appendOwn(journal);
        expect(reopen({ epochFloor: floor }).ownEpoch).toBe(floor + 1);
        expect(reopen({ epochFloor: floor + 1 }).ownEpoch).toBe(floor + 1);
        expect(journal.origins()).toEqual([{ origin: OWN, epoch: floor + 1, through: 0 }]);
      });

      test('a new epoch is above the floor, the old epoch and a clock that was set back', () => {
        appendOwn(journal);
        expect(journal.startNewEpoch(WALL_MS + 50)).toBe(WALL_MS + 51);
        expect(journal.startNewEpoch(0)).toBe(WALL_MS + 52);
        expect(journal.ownEpoch).toBe(WALL_MS + 52);
        expect(appendOwn(journal)).toBe(1);
        expect(reopen().ownEpoch).toBe(WALL_MS + 52);
        expect(seqsAfter(journal, OWN)).toEqual([1]);
      });

      test('a start number is raised above one that peers have received, and stays', () => {
        const { startNumber } = journal;
        journal.raiseStart(startNumber - 1);
        expect(journal.startNumber).toBe(startNumber);
        journal.raiseStart(startNumber);
        expect(journal.startNumber).toBe(startNumber + 1);
        journal.raiseStart(startNumber + 40);
        expect(journal.startNumber).toBe(startNumber + 41);
        expect(reopen().startNumber).toBe(startNumber + 42);
      });

      test('a floor that leaves no number above it is refused and changes nothing', () => {
        expect(() => journal.startNewEpoch(Number.MAX_SAFE_INTEGER)).toThrow(RangeError);
        expect(() => journal.startNewEpoch(Number.NaN)).toThrow(RangeError);
        expect(journal.ownEpoch).toBe(WALL_MS);
        expect(appendOwn(journal)).toBe(1);
      });

      test('a journal that another node wrote keeps its records as that node’s, and reports it', () => {
        appendOwn(journal);
        journal.append(recordsTo(3, { epoch: WALL_MS + 70 }));
        reopen({ ownNode: PEER });
        expect(journal.ownEpoch).toBe(WALL_MS + 71);
        expect(journal.notices).toMatchObject([
          { code: 'journal-of-other-node', problem: expect.stringContaining(OWN) },
        ]);
        expect(seqsAfter(journal, OWN)).toEqual([1]);
        expect(reopen({ ownNode: PEER }).notices).toEqual([]);
      });
    });

    test('one journal at a time holds the place', () => {
      expect(() => storage.open({ clock })).toThrow(expect.objectContaining({ code: 'locked' }));
      expect(appendOwn(journal)).toBe(1);
    });

    test('a closed journal reports it, and may be closed twice', () => {
      journal[Symbol.dispose]();
      journal[Symbol.dispose]();
      const closed = expect.objectContaining({ code: 'closed' });
      expect(() => journal.append([record({ seq: 1 })])).toThrow(closed);
      expect(() => journal.origins()).toThrow(closed);
      expect(() => journal.compact()).toThrow(closed);
      expect(() => journal.startNewEpoch(0)).toThrow(closed);
      expect(() => [...journal.recordsAfter(PEER, 0)]).toThrow(closed);
    });
  });
};

const WALL_MS = 1_800_000_000_000;
