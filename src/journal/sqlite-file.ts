// Prepares a journal file for writing: inspected, moved aside if damaged, its tables created, its numbers
// advanced. A damaged file is moved aside unchanged, under a unique name: it may still matter, so it is never
// deleted or written to again.

import { existsSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { counted, formatCount } from '../core/figure/figure.ts';
import type { NodeId } from '../core/ids.ts';
import { errorMessage } from '../core/problem.ts';
import { decodeRecordHead } from '../wire/durable-record.ts';
import { NodeKeys, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '../wire/node-signature.ts';
import type { OriginPosition } from '../wire/version-vector.ts';
import { JournalError, type JournalNotice, type JournalOptions, type StoredRecord } from './journal.ts';
import { type OwnNumbers, openOwnNumbers } from './numbering.ts';
import {
  fileSizeBytes,
  inTransaction,
  numberIn,
  openForReading,
  openForWriting,
  textIn,
} from './sqlite-database.ts';
import { isDamage, isUnfinished } from './sqlite-error.ts';
import { type OriginRow, SqliteRecords } from './sqlite-records.ts';
import {
  APPLICATION_ID,
  applicationId,
  createTables,
  JOURNAL_SCHEMA_VERSION,
  schemaShape,
  schemaVersion,
} from './sqlite-schema.ts';
import { missingRecords, readStoredCount } from './stored-count.ts';

export interface SqliteJournalOptions extends JournalOptions {
  /** Path of the database file; its directory must exist. */
  readonly path: string;
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  readonly records: SqliteRecords;
  readonly own: OwnNumbers;
  readonly origins: readonly OriginRow[];
  readonly notices: readonly JournalNotice[];
  readonly lost: OriginPosition | undefined;
}

/** Advances the numbers of the own node in the database of an earlier journal, or in an empty one. */
export const openInTransaction = (
  database: DatabaseSync,
  options: JournalOptions,
  before: { readonly salvaged?: OwnNumbers | undefined; readonly path?: string } = {},
): OpenedDatabase =>
  // One transaction, so a first start that is killed leaves no tables without their numbers.
  inTransaction(database, () => begin(database, options, before));

export const openSqliteFile = (options: SqliteJournalOptions): OpenedDatabase => {
  const inspection = inspect(options.path, options);
  if (inspection.kind === 'damaged') return replace(options, inspection.reason, inspection.salvaged);
  try {
    return open(options, undefined);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return replace(options, errorMessage(error), undefined);
  }
};

/** Returns the new path of the database; its write-ahead log and shared memory go with it. */
const moveAside = (path: string, wallMs: number): string => {
  const target = freeName(`${path}.damaged-${stamp(wallMs)}`);
  // The database first: a log left alone by a crash is recognised, an old database without its log is not.
  for (const part of PARTS) if (existsSync(path + part)) renameSync(path + part, target + part);
  return target;
};

const replace = (
  options: SqliteJournalOptions,
  reason: string,
  salvaged: OwnNumbers | undefined,
): OpenedDatabase => {
  const movedTo = moveAside(options.path, options.clock.wallMs());
  const file = open(options, salvaged);
  const { through = 0 } = readStoredCount(options.path, options.ownNode) ?? {};
  const stored = through === 0 ? '' : ` It had at least ${counted(through, 'record')} of this node.`;
  const notice: JournalNotice = {
    code: 'journal-replaced',
    problem: `The journal ${options.path} was damaged (${reason}) and was moved to ${movedTo}.${stored}`,
    advice: `A new one was started in epoch ${file.own.ownEpoch}: readings return by themselves; history that no other node has is in the moved file.`,
  };
  return {
    ...file,
    notices: [notice, ...file.notices.filter(({ code }) => code !== 'journal-cut')],
    lost: undefined,
  };
};

const open = (options: SqliteJournalOptions, salvaged: OwnNumbers | undefined): OpenedDatabase => {
  const database = openForWriting(options.path);
  try {
    return openInTransaction(database, options, { salvaged, path: options.path });
  } catch (error) {
    database.close();
    throw error;
  }
};

const begin = (
  database: DatabaseSync,
  options: JournalOptions,
  { path, salvaged }: { readonly salvaged?: OwnNumbers | undefined; readonly path?: string },
): OpenedDatabase => {
  const { ownNode, clock, epochFloor = 0 } = options;
  createTables(database);
  const records = new SqliteRecords(database);
  const before = records.own();
  const stored = path === undefined ? undefined : readStoredCount(path, ownNode);
  const current = records.origins().find(row => row.origin === ownNode);
  const opened = openOwnNumbers(before, {
    ownNode,
    wallMs: clock.wallMs(),
    epochFloor,
    // For a journal that is empty now, the count is all that is known.
    storedEpoch: Math.max(current?.epoch ?? 0, before === undefined ? (stored?.epoch ?? 0) : 0),
    lost: salvaged,
  });
  const { numbers: own, isNewEpoch } = opened;
  records.setOwn(own);
  if (isNewEpoch)
    records.supersedeOlderEpochs(records.setPosition({ origin: ownNode, epoch: own.ownEpoch, through: 0 }));
  const cut =
    path === undefined || (isNewEpoch && before !== undefined)
      ? undefined
      : cutNotice(path, stored, current ?? { origin: ownNode, epoch: before?.ownEpoch ?? 0, through: 0 });
  const notices = [...opened.notices, ...(cut === undefined ? [] : [cut])];
  // An empty journal has a new epoch already.
  const lost = cut === undefined || isNewEpoch ? undefined : stored;
  return { database, records, own, origins: records.origins(), notices, lost };
};

/** SQLite treats a log that ends early, or has a damaged frame, as one that ends there. */
const cutNotice = (
  path: string,
  stored: OriginPosition | undefined,
  current: OriginPosition,
): JournalNotice | undefined => {
  const missing = missingRecords(stored, current);
  if (stored === undefined || missing === 0) return undefined;
  return {
    code: 'journal-cut',
    problem: `The journal ${path} has lost at least ${counted(missing, 'record')} of the ${formatCount(stored.through)} that this node had stored: its write-ahead log (${path}-wal) was cut off or damaged.`,
    advice:
      'A new epoch was started: readings return by themselves, and other nodes return what they have. Check the disk, or restore the home from a copy.',
  };
};

const freeName = (wanted: string): string => {
  const isTaken = (name: string): boolean => PARTS.some(part => existsSync(name + part));
  let name = wanted;
  for (let count = 2; isTaken(name); count += 1) name = `${wanted}-${count}`;
  return name;
};

/** 20261120T110306Z */
const stamp = (wallMs: number): string => new Date(wallMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');

const PARTS: readonly string[] = ['', '-journal', '-wal', '-shm'];

// Inspects a journal file before use, without changing it: sound, absent, damaged, or of a newer version.
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
const inspect = (path: string, own: OwnIdentity): Inspection => {
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

// Bit rot inside a record, which SQLite's own checks do not detect: a current record must still be what its
// origin signed. Otherwise a wrong figure would be shown as correct, and peers would repeatedly refuse it as
// forged.
interface OwnIdentity {
  readonly ownNode: NodeId;
  readonly ownPublicKey?: Uint8Array;
}

/** With more records a start would take too long: 0.07 ms of a core each. */
const RECORDS_CHECKED_MAX = 20_000;

/**
 * The first current record whose bytes, or whose position, are not what its origin signed, by name; those of
 * this node first. History is not checked: there is too much of it for a start.
 */
const spoiledRecord = (
  records: SqliteRecords,
  origins: readonly OriginRow[],
  own: OwnIdentity,
): string | undefined => {
  const keys = new NodeKeys();
  let left = RECORDS_CHECKED_MAX;
  for (const origin of origins.toSorted((a, b) => rank(a, own) - rank(b, own))) {
    if (left <= 0) break;
    for (const record of records.current(origin, left)) {
      left -= 1;
      if (isSpoiled(record, keys, own)) return `${record.seq} of ${record.origin}`;
    }
  }
  return undefined;
};

const rank = ({ origin }: OriginRow, { ownNode }: OwnIdentity): number => (origin === ownNode ? 0 : 1);

/**
 * A record without a signature, or with one of an identity that this home no longer has, cannot be checked.
 */
const isSpoiled = (record: StoredRecord, keys: NodeKeys, { ownNode, ownPublicKey }: OwnIdentity): boolean => {
  const { origin, body, signature } = record;
  const hasKey = signature.length === PUBLIC_KEY_BYTES + SIGNATURE_BYTES;
  const publicKey = hasKey ? signature.subarray(0, PUBLIC_KEY_BYTES) : ownPublicKey;
  if (publicKey === undefined || signature.length < SIGNATURE_BYTES) return false;
  if (!hasKey && origin !== ownNode) return false;
  if (!keys.isSignedBy(origin, publicKey, body, signature.subarray(-SIGNATURE_BYTES))) return true;
  const head = decodeRecordHead(body);
  return (['epoch', 'seq', 'kind', 'key'] as const).some(name => head?.[name] !== record[name]);
};
