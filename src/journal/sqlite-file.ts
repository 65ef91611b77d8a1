// Brings a journal file to where it can be written: looked at, moved aside if damaged, migrated, its numbers advanced.

import type { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../core/problem.ts';
import type { JournalNotice, JournalOptions } from './journal.ts';
import type { OwnNumbers } from './own-numbers.ts';
import { openOwnNumbers } from './own-numbers.ts';
import { moveAside } from './sqlite-damage.ts';
import { inTransaction, openForWriting } from './sqlite-database.ts';
import { isDamage } from './sqlite-error.ts';
import { inspect } from './sqlite-inspection.ts';
import { type OriginRow, SqliteRecords } from './sqlite-records.ts';
import { migrate, SCHEMA_STEPS } from './sqlite-schema.ts';

export interface SqliteJournalOptions extends JournalOptions {
  /** Of the database file; its directory must be there. */
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
  const inspection = inspect(options.path);
  if (inspection.kind === 'damaged') return replace(options, inspection.reason, inspection.salvaged);
  try {
    return open(options, undefined);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return replace(options, errorMessage(error), undefined);
  }
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
    advice: `A new one was begun in epoch ${file.own.ownEpoch}: readings come back by themselves, history that no other node holds is in the moved file.`,
  };
  return { ...file, notices: [notice, ...file.notices] };
};

const open = (options: SqliteJournalOptions, lost: OwnNumbers | undefined): SqliteFile => {
  const database = openForWriting(options.path);
  try {
    // One transaction, so that a first start that is killed leaves no tables without their numbers.
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
