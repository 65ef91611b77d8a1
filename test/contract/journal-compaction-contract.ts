// What compaction of a journal drops, summarises and keeps, for any storage. Run on each adapter by its own
// test file.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import { OTHER, PEER, payloadOf, record, recordsTo, seqsAfter } from '../support/journal-records.ts';
import type { JournalSettings, JournalStorage } from '../support/journal-storage.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export const describeCompaction = (name: string, createStore: () => JournalStorage): void => {
  describe(`compaction of ${name}`, () => {
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

    test('the newest record of each slot and key stays, and through goes on answering for the rest', () => {
      journal.append([
        record({ seq: 1, kind: 'run.started', key: 'r1' }),
        record({ seq: 2, kind: 'run.started', key: 'r2' }),
        record({ seq: 3, kind: 'run.ended', key: 'r1' }),
        record({ seq: 4, kind: 'config.gathered' }),
        record({ seq: 5, kind: 'config.gathered' }),
        record({ seq: 6, kind: 'newer.kind', key: 'x' }),
        record({ seq: 7, kind: 'nodot', key: 'x' }),
      ]);
      expect(journal.compact()).toMatchObject({ droppedRecords: 2, hourlyRows: 0 });
      expect(seqsAfter(journal, PEER)).toEqual([2, 3, 5, 6, 7]);
      expect(journal.origins()).toContainEqual({ origin: PEER, epoch: 1, through: 7 });
      expect(journal.compact()).toMatchObject({ droppedRecords: 0, hourlyRows: 0, droppedHourlyRows: 0 });
      journal.append([record({ seq: 8 })]);
      expect(seqsAfter(reopen(), PEER, 5)).toEqual([6, 7, 8]);
    });

    test('the newest closing of a connection stays, so that a peer who was away drops its profile', () => {
      const key = 'sink socket 10.0.0.2';
      journal.append([
        record({ seq: 1, kind: 'connection.opened', key }),
        record({ seq: 2, kind: 'connection.closed', key }),
        record({ seq: 3, kind: 'connection.opened', key }),
        record({ seq: 4, kind: 'connection.closed', key }),
        record({ seq: 5, kind: 'connection.opened', key }),
      ]);
      journal.compact();
      expect(seqsAfter(journal, PEER)).toEqual([4, 5]);
    });

    test('closing a connection makes its profile history', async () => {
      const key = 'sink socket 10.0.0.2';
      journal.append([
        record({ seq: 1, kind: 'connection.opened', key }),
        record({ seq: 2, kind: 'link.profiled', key, payload: { roundTripNsMin: 5 } }),
        record({ seq: 3, kind: 'link.profiled', key: 'other' }),
        record({ seq: 4, kind: 'connection.closed', key }),
      ]);
      await clock.advance(4 * DAY_MS);
      journal.compact();
      expect(seqsAfter(journal, PEER)).toEqual([3, 4]);
      const query = { origin: PEER, slot: 'link', key, sinceWallMs: 0, limit: 9 };
      expect(journal.history(query).map(row => row.isHourly)).toEqual([true]);
    });

    test('profiles are kept raw for their time, then as one row an hour, then not at all', async () => {
      const profile = (seq: number, rate: number): void =>
        journal.append([record({ seq, kind: 'gpu.profiled', key: 'gpu-0', payload: { rate, name: 'x' } })]);
      const rows = () =>
        journal
          .history({ origin: PEER, slot: 'gpu', key: 'gpu-0', sinceWallMs: 0, limit: 99 })
          .map(row => [row.isHourly, row.atWallMs - HOUR_START_MS]);
      await clock.advance(HOUR_START_MS - clock.wallMs());
      for (const [index, rate] of [30, 10, 50].entries()) {
        profile(index + 1, rate);
        await clock.advance(15 * MINUTE_MS);
      }
      await clock.advance(15 * MINUTE_MS);
      profile(4, 70);
      await clock.advance(3 * DAY_MS - 1);
      expect(journal.compact()).toMatchObject({ droppedRecords: 0, hourlyRows: 0 });
      expect(rows()).toHaveLength(4);

      await clock.advance(1);
      expect(journal.compact()).toMatchObject({ droppedRecords: 3, hourlyRows: 1 });
      expect(rows()).toEqual([
        [true, 0],
        [false, HOUR_MS],
      ]);
      const [hourly] = journal.history({
        origin: PEER,
        slot: 'gpu',
        key: 'gpu-0',
        sinceWallMs: 0,
        limit: 9,
      });
      expect(JSON.parse(new TextDecoder().decode(hourly?.body))).toEqual({
        version: 1,
        count: 3,
        failedCount: 0,
        figures: { rate: { min: 10, median: 30, max: 50, count: 3 } },
      });

      await clock.advance(87 * DAY_MS - 1);
      journal.compact();
      expect(rows()).toHaveLength(2);
      await clock.advance(1);
      expect(journal.compact()).toMatchObject({ droppedHourlyRows: 1 });
      expect(rows()).toEqual([[false, HOUR_MS]]);
      expect(seqsAfter(reopen(), PEER)).toEqual([4]);
    });

    test('a late record of an hour that was summed up is added to its row', async () => {
      const profile = (seq: number, rate: number, ageMs: number): void =>
        journal.append([record({ seq, kind: 'gpu.profiled', key: 'g', payload: { rate }, ageMs })]);
      const old = 5 * DAY_MS;
      profile(1, 10, old);
      profile(2, 20, old);
      journal.compact();
      profile(3, 5, old);
      profile(4, 1, 0);
      expect(journal.compact()).toMatchObject({ droppedRecords: 2, hourlyRows: 1 });
      const [hourly] = journal.history({ origin: PEER, slot: 'gpu', key: 'g', sinceWallMs: 0, limit: 9 });
      expect(JSON.parse(new TextDecoder().decode(hourly?.body)).figures.rate).toMatchObject({
        min: 5,
        max: 20,
        count: 3,
      });
    });

    test('history gives the newest rows in ascending order, of its place and time only', async () => {
      for (let seq = 1; seq <= 5; seq += 1) {
        journal.append([record({ seq, kind: 'gpu.profiled', key: 'a' })]);
        await clock.advance(1000);
      }
      journal.append([record({ seq: 6, kind: 'gpu.profiled', key: 'b' })]);
      const entry = { origin: PEER, slot: 'gpu', key: 'a', sinceWallMs: 0, limit: 99 };
      const seqs = (query: Partial<typeof entry>) =>
        journal.history({ ...entry, ...query }).map(row => payloadOf(row));
      expect(seqs({})).toEqual([1, 2, 3, 4, 5].map(seq => ({ seq })));
      expect(seqs({ limit: 2 })).toEqual([{ seq: 4 }, { seq: 5 }]);
      expect(seqs({ sinceWallMs: WALL_MS + 3000 })).toEqual([{ seq: 4 }, { seq: 5 }]);
      expect(seqs({ limit: 2.9 })).toEqual([{ seq: 4 }, { seq: 5 }]);
      expect(seqs({ limit: Number.POSITIVE_INFINITY })).toHaveLength(5);
      for (const limit of [0, -1, Number.NaN]) expect(seqs({ limit })).toEqual([]);
      expect(seqs({ slot: 'link' })).toEqual([]);
      expect(seqs({ origin: OTHER })).toEqual([]);
    });

    test('the past of a node are the profiles that are not current, of every key in which it has part', async () => {
      const profile = (seq: number, key: string, origin = PEER) =>
        record({ origin, seq, kind: 'link.profiled', key });
      journal.append([profile(1, 'sink a'), profile(1, `${PEER} a`, OTHER), profile(2, 'else a', OTHER)]);
      await clock.advance(1_000);
      journal.append([profile(2, 'sink a'), profile(3, `${PEER} a`, OTHER), profile(4, 'else a', OTHER)]);
      await clock.advance(1_000);
      journal.append([profile(3, 'sink a'), record({ seq: 4, kind: 'gpu.profiled', key: 'g' })]);
      const query = { node: PEER, slot: 'link', sinceWallMs: 0, limit: 99 };
      const past = (change: Partial<typeof query> = {}) =>
        journal.past({ ...query, ...change }).map(row => [row.origin, row.key, row.atWallMs - WALL_MS]);
      expect(past().toSorted()).toEqual(
        [
          [PEER, 'sink a', 0],
          [OTHER, `${PEER} a`, 0],
          [PEER, 'sink a', 1_000],
        ].toSorted(),
      );
      expect(past().map(([, , atMs]) => atMs)).toEqual([0, 0, 1_000]);
      expect(past({ sinceWallMs: WALL_MS + 1 })).toEqual([[PEER, 'sink a', 1_000]]);
      expect(past({ limit: 1 })).toEqual([[PEER, 'sink a', 1_000]]);
      expect(past({ slot: 'connection' })).toEqual([]);
      expect(past({ node: OTHER })).toHaveLength(2);
    });

    test('other slots have no history', () => {
      journal.append(recordsTo(3));
      const query = { origin: PEER, slot: 'identity', key: '', sinceWallMs: 0, limit: 9 };
      expect(journal.history(query)).toEqual([]);
    });

    test('a new epoch of an origin makes its profiles history, and drops the rest', () => {
      journal.append([record({ seq: 1, kind: 'gpu.profiled', key: 'g' }), record({ seq: 2 })]);
      journal.append([record({ epoch: 2, seq: 1, key: 'else' })]);
      expect(journal.compact()).toMatchObject({ droppedRecords: 1 });
      const query = { origin: PEER, slot: 'gpu', key: 'g', sinceWallMs: 0, limit: 9 };
      expect(journal.history(query)).toHaveLength(1);
      expect(seqsAfter(journal, PEER)).toEqual([1]);
    });

    test('past its size the oldest history goes first, and what is current stays', async () => {
      const sizeBytesMax = 300_000;
      reopen({ limits: { rawHistoryMs: DAY_MS, hourlyHistoryMs: 90 * DAY_MS, sizeBytesMax } });
      const pad = 'x'.repeat(1000);
      journal.append(
        recordsTo(20, { origin: OTHER, payload: { pad } }).map((one, index) => ({
          ...one,
          key: `k${index}`,
        })),
      );
      for (let seq = 1; seq <= 1000; seq += 1) {
        journal.append([record({ seq, kind: 'gpu.profiled', key: 'g', payload: { seq, pad } })]);
        await clock.advance(5 * MINUTE_MS);
      }
      const compacted = journal.compact();
      expect(compacted.sizeBytes).toBeLessThanOrEqual(sizeBytesMax);
      expect(journal.sizeBytes()).toBe(compacted.sizeBytes);
      const query = { origin: PEER, slot: 'gpu', key: 'g', sinceWallMs: 0, limit: 5000 };
      const rows = journal.history(query);
      expect(rows.length).toBeGreaterThan(20);
      expect(rows.every(row => !row.isHourly)).toBe(true);
      const seqs = rows.map(row => JSON.stringify(payloadOf(row)).match(/\d+/)?.[0]);
      expect(seqs.at(-1)).toBe('1000');
      expect(seqs).toEqual(seqs.map((_, index) => String(1001 - rows.length + index)));
      expect(seqsAfter(journal, OTHER)).toHaveLength(20);
      expect(journal.origins()).toContainEqual({ origin: PEER, epoch: 1, through: 1000 });
    });

    test('its size is held while it is written to, however fast, without anybody asking for compaction', async () => {
      const sizeBytesMax = 2_000_000;
      reopen({ limits: { rawHistoryMs: 90 * DAY_MS, hourlyHistoryMs: 90 * DAY_MS, sizeBytesMax } });
      const pad = 'x'.repeat(1000);
      let sizeBytes = 0;
      for (let seq = 1; seq <= 20_000; seq += 100) {
        const records = Array.from({ length: 100 }, (_, index) =>
          record({
            seq: seq + index,
            kind: index % 2 === 0 ? 'gpu.profiled' : 'run.started',
            key: 'g',
            payload: { pad },
          }),
        );
        journal.append(records);
        sizeBytes = Math.max(sizeBytes, journal.sizeBytes());
      }
      expect(sizeBytes).toBeGreaterThan(sizeBytesMax / 2);
      expect(sizeBytes).toBeLessThan(2 * sizeBytesMax);
    });

    test('current records stay although they alone are past the size', () => {
      reopen({ limits: { rawHistoryMs: 0, hourlyHistoryMs: 0, sizeBytesMax: 1 } });
      journal.append(recordsTo(50).map((one, index) => ({ ...one, key: `k${index}` })));
      expect(journal.compact()).toMatchObject({ droppedRecords: 0 });
      expect(seqsAfter(journal, PEER)).toHaveLength(50);
    });
  });
};

const WALL_MS = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const HOUR_START_MS = Math.ceil(WALL_MS / HOUR_MS) * HOUR_MS;
