// The statements of the journal's tables, prepared once: what is read and written, separate from when and why.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { eventSlot } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { DurableRecord } from '../wire/durable-record.ts';
import type { OriginPosition } from '../wire/version-vector.ts';
import type { CurrentSize } from './current-bound.ts';
import {
  type HistoryQuery,
  type HistoryRow,
  isHistorySlot,
  type PastQuery,
  type StoredRecord,
  supersessions,
} from './journal.ts';
import { type OwnNumbers, wholeAgeMs } from './numbering.ts';
import { bytesIn, nodeIdIn, numberIn, type SqliteRow, textIn } from './sqlite-database.ts';

export interface OriginRow extends OriginPosition {
  readonly id: number;
}

export class SqliteRecords {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  own(): OwnNumbers | undefined {
    const row: SqliteRow | undefined = this.#sql('SELECT node, epoch, start_number FROM own').get();
    if (row === undefined) return undefined;
    return {
      ownNode: textIn(row, 'node'),
      ownEpoch: numberIn(row, 'epoch'),
      startNumber: numberIn(row, 'start_number'),
    };
  }

  setOwn(own: OwnNumbers): void {
    this.#sql(
      `INSERT INTO own (id, node, epoch, start_number) VALUES (1, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET node = excluded.node, epoch = excluded.epoch, start_number = excluded.start_number`,
    ).run(own.ownNode, own.ownEpoch, own.startNumber);
  }

  origins(): readonly OriginRow[] {
    const rows: readonly SqliteRow[] = this.#sql('SELECT id, origin, epoch, through FROM origins').all();
    return rows.map(originRow);
  }

  setPosition({ origin, epoch, through }: OriginPosition): OriginRow {
    return originRow(
      this.#sql(
        `INSERT INTO origins (origin, epoch, through) VALUES (?, ?, ?)
         ON CONFLICT (origin) DO UPDATE SET epoch = excluded.epoch, through = excluded.through
         RETURNING id, origin, epoch, through`,
      ).get(origin, epoch, through),
    );
  }

  /** After an origin's epoch has moved on: older epochs are no longer current. */
  supersedeOlderEpochs({ id, epoch }: OriginRow): void {
    this.#sql(
      'UPDATE records SET is_superseded = 1 WHERE origin_id = ? AND epoch < ? AND is_superseded = 0',
    ).run(id, epoch);
  }

  forget({ id }: OriginRow): void {
    this.#sql('DELETE FROM records WHERE origin_id = ?').run(id);
    this.#sql('DELETE FROM hours WHERE origin_id = ?').run(id);
    this.#sql('DELETE FROM origins WHERE id = ?').run(id);
  }

  /** Everything current, of every origin that has anything. */
  currentSizes(): ReadonlyMap<number, CurrentSize> {
    const rows: readonly SqliteRow[] = this.#sql(
      `SELECT origin_id, count(*) AS records, sum(length(body)) AS bytes FROM records
       WHERE is_superseded = 0 GROUP BY origin_id`,
    ).all();
    return new Map(rows.map(row => [numberIn(row, 'origin_id'), sizeIn(row)]));
  }

  currentSize({ id }: OriginRow): CurrentSize {
    const row: SqliteRow | undefined = this.#sql(
      `SELECT count(*) AS records, coalesce(sum(length(body)), 0) AS bytes FROM records
       WHERE origin_id = ? AND is_superseded = 0`,
    ).get(id);
    return sizeIn(row);
  }

  /** Supersedes the records that this one replaces. */
  supersede(record: DurableRecord, originId: number): CurrentSize {
    let [records, bytes] = [0, 0];
    for (const { slot, exceptKind } of supersessions(record.kind)) {
      const rows: readonly SqliteRow[] = this.#sql(
        `UPDATE records SET is_superseded = 1
         WHERE origin_id = ? AND slot = ? AND key = ? AND is_superseded = 0 AND kind <> ? RETURNING length(body) AS bytes`,
      ).all(originId, slot, record.key, exceptKind);
      records += rows.length;
      for (const row of rows) bytes += numberIn(row, 'bytes');
    }
    return { records, bytes };
  }

  put(record: DurableRecord, originId: number, storedAtWallMs: number): void {
    const slot = eventSlot(record.kind);
    const ageMs = wholeAgeMs(record.ageMs);
    this.#sql(
      `INSERT INTO records (origin_id, epoch, seq, kind, slot, key, has_history, at_ms, age_ms, body, signature)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      originId,
      record.epoch,
      record.seq,
      record.kind,
      slot,
      record.key,
      isHistorySlot(slot) ? 1 : 0,
      storedAtWallMs - ageMs,
      ageMs,
      record.body,
      record.signature,
    );
  }

  after({ id, origin, epoch }: OriginRow, after: number, limit: number): readonly StoredRecord[] {
    const rows: readonly SqliteRow[] = this.#sql(
      `SELECT seq, kind, key, at_ms, age_ms, body, signature FROM records
       WHERE origin_id = ? AND epoch = ? AND seq > ? ORDER BY seq LIMIT ?`,
    ).all(id, epoch, after, limit);
    return rows.map(row => storedRecord(row, origin, epoch));
  }

  /** Few among many: found by the index of current records (the + keeps the index of positions out), then sorted. */
  current({ id, origin, epoch }: OriginRow, limit = -1): readonly StoredRecord[] {
    const rows: readonly SqliteRow[] = this.#sql(
      `SELECT seq, kind, key, at_ms, age_ms, body, signature FROM records
       WHERE origin_id = ? AND is_superseded = 0 AND +epoch = ? ORDER BY +seq LIMIT ?`,
    ).all(id, epoch, limit);
    return rows.map(row => storedRecord(row, origin, epoch));
  }

  /** Ascending by time; an hourly row before a raw one of the same moment. */
  history(originId: number, { origin, slot, key, sinceWallMs, limit }: HistoryQuery): readonly HistoryRow[] {
    const entry = { origin, slot, key };
    const rows: readonly SqliteRow[] = this.#sql(
      `SELECT at_ms, body, is_hourly FROM (
         SELECT at_ms, body, 0 AS is_hourly, epoch, seq FROM records
         WHERE origin_id = ?1 AND slot = ?2 AND key = ?3 AND has_history = 1 AND at_ms >= ?4
         UNION ALL
         SELECT hour_ms, body, 1, 0, 0 FROM hours
         WHERE origin_id = ?1 AND slot = ?2 AND key = ?3 AND hour_ms >= ?4
       ) ORDER BY at_ms DESC, is_hourly, epoch DESC, seq DESC LIMIT ?5`,
    ).all(originId, slot, key, sinceWallMs, limit);
    return rows.toReversed().map(row => ({
      ...entry,
      atWallMs: numberIn(row, 'at_ms'),
      body: bytesIn(row, 'body'),
      isHourly: numberIn(row, 'is_hourly') === 1,
    }));
  }

  past({ node, slot, sinceWallMs, limit }: PastQuery): readonly HistoryRow[] {
    const rows: readonly SqliteRow[] = this.#sql(
      `SELECT origin, key, at_ms, body FROM records JOIN origins ON origins.id = origin_id
       WHERE is_superseded = 1 AND has_history = 1 AND at_ms >= ?1 AND slot = ?2
         AND (origin = ?3 OR substr(key, 1, length(?3) + 1) = ?3 || ' ')
       ORDER BY at_ms DESC, records.epoch DESC, seq DESC LIMIT ?4`,
    ).all(sinceWallMs, slot, node, limit);
    return rows.toReversed().map(row => ({
      origin: nodeIdIn(row, 'origin'),
      slot,
      key: textIn(row, 'key'),
      atWallMs: numberIn(row, 'at_ms'),
      body: bytesIn(row, 'body'),
      isHourly: false,
    }));
  }

  #sql(text: string): StatementSync {
    const prepared = this.#prepared.get(text) ?? this.#database.prepare(text);
    this.#prepared.set(text, prepared);
    return prepared;
  }
}

const sizeIn = (row: SqliteRow | undefined): CurrentSize => ({
  records: numberIn(row, 'records'),
  bytes: numberIn(row, 'bytes'),
});

const originRow = (row: SqliteRow | undefined): OriginRow => ({
  id: numberIn(row, 'id'),
  origin: nodeIdIn(row, 'origin'),
  epoch: numberIn(row, 'epoch'),
  through: numberIn(row, 'through'),
});

const storedRecord = (row: SqliteRow, origin: NodeId, epoch: number): StoredRecord => {
  const ageMs = numberIn(row, 'age_ms');
  return {
    origin,
    epoch,
    seq: numberIn(row, 'seq'),
    kind: textIn(row, 'kind'),
    key: textIn(row, 'key'),
    body: bytesIn(row, 'body'),
    signature: bytesIn(row, 'signature'),
    ageMs,
    storedAtWallMs: numberIn(row, 'at_ms') + ageMs,
  };
};
