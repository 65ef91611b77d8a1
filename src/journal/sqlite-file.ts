// Brings a journal file to where it can be written: looked at, moved aside if damaged, migrated, its numbers advanced.

import type { DatabaseSync } from 'node:sqlite';
import type { JournalOptions } from './journal.ts';
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
  readonly notices: readonly string[];
}

export const openSqliteFile = (options: SqliteJournalOptions): SqliteFile => {
  const inspection = inspect(options.path);
  if (inspection.kind === 'damaged') return replace(options, inspection.reason, inspection.salvaged);
  try {
    return open(options, undefined);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return replace(options, error instanceof Error ? error.message : 'unreadable', undefined);
  }
};

const replace = (
  options: SqliteJournalOptions,
  reason: string,
  salvaged: OwnNumbers | undefined,
): SqliteFile => {
  const movedTo = moveAside(options.path, options.clock.wallMs());
  const file = open(options, salvaged);
  const notice =
    `The journal ${options.path} was damaged (${reason}) and was moved to ${movedTo}.\n` +
    `A new one was begun in epoch ${file.own.ownEpoch}: readings come back by themselves, history that no other node holds is in the moved file.`;
  return { ...file, notices: [notice, ...file.notices] };
};

const open = (options: SqliteJournalOptions, lost: OwnNumbers | undefined): SqliteFile => {
  const database = openForWriting(options.path);
  try {
    const from = migrate(database);
    const records = new SqliteRecords(database);
    const opened = advance(database, records, options, lost);
    const notices =
      from > 0 && from < SCHEMA_STEPS.length
        ? [`The journal ${options.path} was migrated from schema ${from} to ${SCHEMA_STEPS.length}.`]
        : [];
    const origins = records.origins();
    return { database, records, own: opened.numbers, origins, notices: [...notices, ...opened.notices] };
  } catch (error) {
    database.close();
    throw error;
  }
};

const advance = (
  database: DatabaseSync,
  records: SqliteRecords,
  options: SqliteJournalOptions,
  lost: OwnNumbers | undefined,
): ReturnType<typeof openOwnNumbers> => {
  const { ownNode, clock } = options;
  const held = records.origins().find(row => row.origin === ownNode);
  const opened = openOwnNumbers(records.own(), {
    ownNode,
    wallMs: clock.wallMs(),
    epochFloor: options.epochFloor ?? 0,
    heldEpoch: held?.epoch ?? 0,
    lost,
  });
  inTransaction(database, () => {
    records.setOwn(opened.numbers);
    const epoch = opened.numbers.ownEpoch;
    if (opened.isNewEpoch)
      records.supersedeOlderEpochs(records.setPosition({ origin: ownNode, epoch, through: 0 }));
  });
  return opened;
};
