// Prepares a journal file for writing: inspected, moved aside if damaged, migrated, its numbers advanced. A damaged
// file is moved aside whole, under a unique name: it may still matter, so it is never deleted and never written to
// again.

import { existsSync, renameSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../core/problem.ts';
import type { JournalNotice, JournalOptions } from './journal.ts';
import type { OwnNumbers } from './numbering.ts';
import { openOwnNumbers } from './numbering.ts';
import { inTransaction, openForWriting } from './sqlite-database.ts';
import { isDamage } from './sqlite-error.ts';
import { inspect } from './sqlite-inspection.ts';
import type { OriginRow } from './sqlite-records.ts';
import { SqliteRecords } from './sqlite-records.ts';
import { migrate, SCHEMA_STEPS } from './sqlite-schema.ts';

export interface SqliteJournalOptions extends JournalOptions {
  /** Of the database file; its directory must exist. */
  readonly path: string;
}

export interface SqliteFile {
  readonly database: DatabaseSync;
  readonly records: SqliteRecords;
  readonly own: OwnNumbers;
  readonly origins: readonly OriginRow[];
  readonly notices: readonly JournalNotice[];
}

export const openSqliteFile = (options: SqliteJournalOptions): SqliteFile => {
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
export const moveAside = (path: string, wallMs: number): string => {
  const target = freeName(`${path}.damaged-${stamp(wallMs)}`);
  // The database first: a log left alone by a crash is recognized, an old database without its log is not.
  for (const part of PARTS) if (existsSync(path + part)) renameSync(path + part, target + part);
  return target;
};

const replace = (
  options: SqliteJournalOptions,
  reason: string,
  salvaged: OwnNumbers | undefined,
): SqliteFile => {
  const movedTo = moveAside(options.path, options.clock.wallMs());
  const file = open(options, salvaged);
  const notice: JournalNotice = {
    code: 'journal-replaced',
    problem: `The journal ${options.path} was damaged (${reason}) and was moved to ${movedTo}.`,
    advice: `A new one was started in epoch ${file.own.ownEpoch}: readings come back by themselves; history that no other node has is in the moved file.`,
  };
  return { ...file, notices: [notice, ...file.notices] };
};

const open = (options: SqliteJournalOptions, lost: OwnNumbers | undefined): SqliteFile => {
  const database = openForWriting(options.path);
  try {
    // One transaction, so a first start that is killed leaves no tables without their numbers.
    return inTransaction(database, () => begin(database, options, lost));
  } catch (error) {
    database.close();
    throw error;
  }
};

const begin = (
  database: DatabaseSync,
  options: SqliteJournalOptions,
  lost: OwnNumbers | undefined,
): SqliteFile => {
  const { path, ownNode, clock, epochFloor = 0 } = options;
  const from = migrate(database);
  const records = new SqliteRecords(database);
  const opened = openOwnNumbers(records.own(), {
    ownNode,
    wallMs: clock.wallMs(),
    epochFloor,
    heldEpoch: records.origins().find(row => row.origin === ownNode)?.epoch ?? 0,
    lost,
  });
  const { numbers: own, isNewEpoch } = opened;
  records.setOwn(own);
  if (isNewEpoch)
    records.supersedeOlderEpochs(records.setPosition({ origin: ownNode, epoch: own.ownEpoch, through: 0 }));
  const isMigrated = from > 0 && from < SCHEMA_STEPS.length;
  const migrated: JournalNotice = {
    code: 'journal-migrated',
    problem: `The journal ${path} was migrated from schema ${from} to ${SCHEMA_STEPS.length}.`,
    advice: '',
  };
  const notices = [...(isMigrated ? [migrated] : []), ...opened.notices];
  return { database, records, own, origins: records.origins(), notices };
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
