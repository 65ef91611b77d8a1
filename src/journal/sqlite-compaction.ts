// Compaction of the database in small transactions: killed at any moment, it leaves the rest of its work to the next
// one. Then the file is truncated to its contents.

import type { DatabaseSync } from 'node:sqlite';
import type { HourlySummary } from '../wire/api/history-answers.ts';
import { decodeHourlySummary, encodeHourlySummary, mergeSummaries, summarizeHour } from './hourly-summary.ts';
import { HOUR_MS, hourOf, type JournalLimits, rawHistoryEndMs } from './journal.ts';
import { bytesIn, inTransaction, numberIn, pragma, type SqliteRow, textIn } from './sqlite-database.ts';

interface Compacted {
  readonly droppedRecords: number;
  readonly hourlyRows: number;
  readonly droppedHourlyRows: number;
}

export const compactDatabase = (
  database: DatabaseSync,
  limits: JournalLimits,
  nowWallMs: number,
): Compacted => {
  const superseded = repeat(() => deleteSome(database, SUPERSEDED));
  const past = sumUpPast(database, rawHistoryEndMs(nowWallMs, limits.rawHistoryMs));
  const tooOldMs = Math.floor(nowWallMs - limits.hourlyHistoryMs - HOUR_MS);
  const tooOld = repeat(() => deleteSome(database, HOURS_UNTIL, tooOldMs));
  const overSize = dropOverSize(database, limits.sizeBytesMax);
  return {
    droppedRecords: superseded + past.records + overSize.records,
    hourlyRows: past.hourlyRows,
    droppedHourlyRows: tooOld + overSize.hourlyRows,
  };
};

/** Returns free pages to the file system, in parts, so the write-ahead log stays short. */
export const shrink = (database: DatabaseSync): void => {
  let freePages = pragma(database, 'freelist_count');
  while (freePages > 0) {
    database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const left = pragma(database, 'freelist_count');
    if (left >= freePages) break;
    freePages = left;
  }
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
};

export const hasFreePages = (database: DatabaseSync): boolean => pragma(database, 'freelist_count') > 0;

/** Summarises the superseded profiles of every hour that ended before `endMs`, one hour per transaction. */
const sumUpPast = (database: DatabaseSync, endMs: number): { records: number; hourlyRows: number } => {
  const oldest = database.prepare(
    'SELECT min(at_ms) AS at_ms FROM records WHERE is_superseded = 1 AND has_history = 1',
  );
  const total = { records: 0, hourlyRows: 0 };
  for (;;) {
    const atMs = oldest.get()?.['at_ms'];
    if (typeof atMs !== 'number' || atMs >= endMs) return total;
    const hour = inTransaction(database, () => sumUpHour(database, hourOf(atMs)));
    total.records += hour.records;
    total.hourlyRows += hour.hourlyRows;
  }
};

const sumUpHour = (database: DatabaseSync, hourMs: number): { records: number; hourlyRows: number } => {
  const endMs = hourMs + HOUR_MS;
  const keys: readonly SqliteRow[] = database.prepare(KEYS_OF_HOUR).all(hourMs, endMs);
  for (const row of keys) {
    const key = [numberIn(row, 'origin_id'), textIn(row, 'slot'), textIn(row, 'key')] as const;
    const bodies = database.prepare(BODIES_OF_KEY).iterate(...key, hourMs, endMs);
    const summary = summarizeHour(bodies.map(record => bytesIn(record, 'body')));
    const earlier = database.prepare(HOUR_BODY).get(...key, hourMs);
    database.prepare(PUT_HOUR).run(...key, hourMs, encodeHourlySummary(mergedWith(earlier, summary)));
  }
  const records = deleteSome(database, RAW_OF_HOUR, hourMs, endMs);
  return { records, hourlyRows: keys.length };
};

const mergedWith = (earlier: SqliteRow | undefined, summary: HourlySummary): HourlySummary => {
  const stored = earlier === undefined ? undefined : decodeHourlySummary(bytesIn(earlier, 'body'));
  return stored === undefined ? summary : mergeSummaries(stored, summary);
};

/** The oldest history is dropped first, whether hourly or raw; all current records stay. */
const dropOverSize = (
  database: DatabaseSync,
  sizeBytesMax: number,
): { records: number; hourlyRows: number } => {
  const total = { records: 0, hourlyRows: 0 };
  while (usedBytes(database) > sizeBytesMax) {
    const hourMs = database.prepare('SELECT min(hour_ms) AS at_ms FROM hours').get()?.['at_ms'];
    const rawMs = database
      .prepare('SELECT min(at_ms) AS at_ms FROM records WHERE is_superseded = 1 AND has_history = 1')
      .get()?.['at_ms'];
    if (typeof hourMs === 'number' && (typeof rawMs !== 'number' || hourMs <= rawMs))
      total.hourlyRows += deleteSome(database, OLDEST_HOURS);
    else if (typeof rawMs === 'number') total.records += deleteSome(database, OLDEST_RAW);
    else break;
  }
  return total;
};

const usedBytes = (database: DatabaseSync): number =>
  (pragma(database, 'page_count') - pragma(database, 'freelist_count')) * pragma(database, 'page_size');

const deleteSome = (database: DatabaseSync, sql: string, ...values: readonly number[]): number =>
  Number(database.prepare(sql).run(...values).changes);

/** Repeats until a round finds nothing; returns the sum. */
const repeat = (round: () => number): number => {
  let sum = 0;
  for (let count = round(); count > 0; count = round()) sum += count;
  return sum;
};

/** 16 MB. */
const VACUUM_PAGES = 4096;

const SUPERSEDED = `
  DELETE FROM records WHERE id IN (
    SELECT id FROM records WHERE is_superseded = 1 AND has_history = 0 LIMIT 2000
  )`;
const HOURS_UNTIL = `
  DELETE FROM hours WHERE rowid IN (SELECT rowid FROM hours WHERE hour_ms <= ? ORDER BY hour_ms LIMIT 2000)`;
const OLDEST_HOURS = `
  DELETE FROM hours WHERE rowid IN (SELECT rowid FROM hours ORDER BY hour_ms LIMIT 200)`;
const OLDEST_RAW = `
  DELETE FROM records WHERE id IN (
    SELECT id FROM records WHERE is_superseded = 1 AND has_history = 1 ORDER BY at_ms LIMIT 200
  )`;
const KEYS_OF_HOUR = `
  SELECT DISTINCT origin_id, slot, key FROM records
  WHERE is_superseded = 1 AND has_history = 1 AND at_ms >= ? AND at_ms < ?`;
const BODIES_OF_KEY = `
  SELECT body FROM records
  WHERE origin_id = ? AND slot = ? AND key = ? AND is_superseded = 1 AND has_history = 1 AND at_ms >= ? AND at_ms < ?`;
const RAW_OF_HOUR =
  'DELETE FROM records WHERE is_superseded = 1 AND has_history = 1 AND at_ms >= ? AND at_ms < ?';
const HOUR_BODY = 'SELECT body FROM hours WHERE origin_id = ? AND slot = ? AND key = ? AND hour_ms = ?';
const PUT_HOUR = `
  INSERT INTO hours (origin_id, slot, key, hour_ms, body) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (origin_id, slot, key, hour_ms) DO UPDATE SET body = excluded.body`;
