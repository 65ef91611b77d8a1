// Inspects a journal file before use, without changing it: sound, absent, damaged, or of a newer version.

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../core/problem.ts';
import { JournalError } from './journal.ts';
import type { OwnNumbers } from './numbering.ts';
import { type OwnIdentity, spoiledRecord } from './spoiled-record.ts';
import { fileSizeBytes, numberIn, openForReading, textIn } from './sqlite-database.ts';
import { isDamage, isUnfinished } from './sqlite-error.ts';
import { SqliteRecords } from './sqlite-records.ts';
import {
  APPLICATION_ID,
  applicationId,
  createTables,
  JOURNAL_SCHEMA_VERSION,
  schemaShape,
  schemaVersion,
} from './sqlite-schema.ts';

type Inspection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'sound' }
  | {
      readonly kind: 'damaged';
      readonly reason: string;
      /** What could still be read; later numbers are never below it. */
      readonly salvaged: OwnNumbers | undefined;
    };

/** @throws JournalError `newer-schema`, and SQLite's error if a file cannot be opened at all */
export const inspect = (path: string, own: OwnIdentity): Inspection => {
  refuseOtherThanFile(path);
  try {
    return look(path, own);
  } catch (error) {
    if (!isUnfinished(error)) throw error;
    // Reading rolls back what a killed first start left unfinished.
    using database = new DatabaseSync(path);
    schemaVersion(database);
  }
  return look(path, own);
};

const look = (path: string, own: OwnIdentity): Inspection => {
  if (fileSizeBytes(path) === 0) {
    // SQLite would delete a log without its database, which may be all that is left.
    return fileSizeBytes(`${path}-wal`) === 0
      ? { kind: 'absent' }
      : { kind: 'damaged', reason: 'only its write-ahead log exists', salvaged: undefined };
  }
  let salvaged: OwnNumbers | undefined;
  try {
    using database = openForReading(path);
    refuseNewer(database, path);
    salvaged = salvage(database);
    const reason = cutOff(database, path) ?? faultOf(database, own);
    return reason === undefined ? { kind: 'sound' } : { kind: 'damaged', reason, salvaged };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { kind: 'damaged', reason: errorMessage(error), salvaged };
  }
};

/** Before opening it: for a device, tightening the mode would affect the whole machine, and a pipe would block. */
const refuseOtherThanFile = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new JournalError({
    code: 'io',
    problem: `The journal ${path} cannot be opened: something other than a file is there.`,
    advice: 'Find out what it is and move it away, or start with another --home.',
  });
};

const refuseNewer = (database: DatabaseSync, path: string): void => {
  const version = schemaVersion(database);
  if (applicationId(database) !== APPLICATION_ID || version <= JOURNAL_SCHEMA_VERSION) return;
  throw new JournalError({
    code: 'newer-schema',
    problem: `The journal ${path} has schema ${version}, which this Plimsoll does not read: it reads ${JOURNAL_SCHEMA_VERSION}.`,
    advice:
      'Run the version that wrote it, or start with another --home. Checkouts from before 0.2.0 wrote schema 2: move such a journal away. It was not changed.',
  });
};

/**
 * SQLite reads a last page that is incomplete as one with zeros, and a file of one byte as an empty one. If
 * there is a log, a killed checkpoint may have left such a page, and the log contains it completely.
 */
const cutOff = (database: DatabaseSync, path: string): string | undefined => {
  if (fileSizeBytes(`${path}-wal`) > 0) return undefined;
  const pageBytes = numberIn(database.prepare('PRAGMA page_size').get(), 'page_size');
  return fileSizeBytes(path) % pageBytes === 0 ? undefined : 'its last page is incomplete';
};

/** The first problem found, cheapest check first. */
const faultOf = (database: DatabaseSync, own: OwnIdentity): string | undefined => {
  const version = schemaVersion(database);
  const shape = schemaShape(database);
  // A first start that was killed before it created its tables.
  if (version === 0 && shape === '') return undefined;
  if (applicationId(database) !== APPLICATION_ID || version < 1) return 'it is not a Plimsoll journal';
  if (shape !== expectedShape()) return 'tables are missing or wrong';
  // Not quick_check: a flipped bit may make a row and its index differ, and a record would silently not be
  // found.
  const check = textIn(database.prepare('PRAGMA integrity_check(1)').get(), 'integrity_check');
  if (check !== 'ok') return check.replaceAll(/[*\s]+/g, ' ').trim();
  const records = new SqliteRecords(database);
  if (records.own() === undefined) return 'its own epoch is missing';
  const origins = records.origins(); // throws if one is invalid
  const ahead = database.prepare(RECORDS_AHEAD).get() ?? database.prepare(CURRENT_OF_OLD).get();
  if (ahead !== undefined) return 'it has records beyond the position of their origin';
  const spoiled = spoiledRecord(records, origins, own);
  return spoiled === undefined ? undefined : `record ${spoiled} is not what its origin signed`;
};

const salvage = (database: DatabaseSync): OwnNumbers | undefined => {
  try {
    return new SqliteRecords(database).own();
  } catch {
    return undefined; // the check that follows reports what is wrong with it
  }
};

const expectedShape = (): string => {
  using database = new DatabaseSync(':memory:');
  createTables(database);
  return schemaShape(database);
};

const RECORDS_AHEAD = `
  SELECT 1 FROM origins o
  WHERE EXISTS (SELECT 1 FROM records r WHERE r.origin_id = o.id AND (r.epoch, r.seq) > (o.epoch, o.through))
  LIMIT 1
`;
/** Once an epoch has started, nothing of an older one is current. */
const CURRENT_OF_OLD = `
  SELECT 1 FROM origins o
  WHERE EXISTS (SELECT 1 FROM records r WHERE r.origin_id = o.id AND r.is_superseded = 0 AND r.epoch <> o.epoch)
  LIMIT 1
`;
