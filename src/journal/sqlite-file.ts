// Prepares a journal file for writing: inspected, moved aside if damaged, its tables created, its numbers
// advanced. A damaged file is moved aside unchanged, under a unique name: it may still matter, so it is never
// deleted or written to again.

import { existsSync, renameSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { counted, formatCount } from '../core/figure/figure.ts';
import { errorMessage } from '../core/problem.ts';
import type { JournalNotice, JournalOptions, StoredOrigin } from './journal.ts';
import { type OwnNumbers, openOwnNumbers } from './numbering.ts';
import { inTransaction, openForWriting } from './sqlite-database.ts';
import { isDamage } from './sqlite-error.ts';
import { inspect } from './sqlite-inspection.ts';
import { type OriginRow, SqliteRecords } from './sqlite-records.ts';
import { createTables } from './sqlite-schema.ts';
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
  readonly lost: StoredOrigin | undefined;
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
  const held = records.origins().find(row => row.origin === ownNode);
  const opened = openOwnNumbers(before, {
    ownNode,
    wallMs: clock.wallMs(),
    epochFloor,
    // For a journal that is empty now, the count is all that is known.
    heldEpoch: Math.max(held?.epoch ?? 0, before === undefined ? (stored?.epoch ?? 0) : 0),
    lost: salvaged,
  });
  const { numbers: own, isNewEpoch } = opened;
  records.setOwn(own);
  if (isNewEpoch)
    records.supersedeOlderEpochs(records.setPosition({ origin: ownNode, epoch: own.ownEpoch, through: 0 }));
  const cut =
    path === undefined || (isNewEpoch && before !== undefined)
      ? undefined
      : cutNotice(path, stored, held ?? { origin: ownNode, epoch: before?.ownEpoch ?? 0, through: 0 });
  const notices = [...opened.notices, ...(cut === undefined ? [] : [cut])];
  // An empty journal has a new epoch already.
  const lost = cut === undefined || isNewEpoch ? undefined : stored;
  return { database, records, own, origins: records.origins(), notices, lost };
};

/** SQLite treats a log that ends early, or has a damaged frame, as one that ends there. */
const cutNotice = (
  path: string,
  stored: StoredOrigin | undefined,
  held: StoredOrigin,
): JournalNotice | undefined => {
  const missing = missingRecords(stored, held);
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
