// The tables of version 1. Once a version is released, its tables are not edited: a change is a step to the next version.

import type { DatabaseSync } from 'node:sqlite';
import { numberIn, type SqliteRow, textIn } from './sqlite-database.ts';

/** Version of the tables below. A file with a greater one is rejected. */
export const JOURNAL_SCHEMA_VERSION = 1;

const TABLES = `
  CREATE TABLE own (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    node TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    start_number INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE origins (
    id INTEGER PRIMARY KEY,
    origin TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    through INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    origin_id INTEGER NOT NULL REFERENCES origins,
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    slot TEXT NOT NULL,
    key TEXT NOT NULL,
    has_history INTEGER NOT NULL,
    is_superseded INTEGER NOT NULL DEFAULT 0,
    at_ms INTEGER NOT NULL,
    age_ms INTEGER NOT NULL,
    body BLOB NOT NULL,
    signature BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX records_position ON records (origin_id, epoch, seq);
  CREATE INDEX records_current ON records (origin_id, slot, key) WHERE is_superseded = 0;
  CREATE INDEX records_superseded ON records (id) WHERE is_superseded = 1 AND has_history = 0;
  CREATE TABLE hours (
    origin_id INTEGER NOT NULL REFERENCES origins,
    slot TEXT NOT NULL,
    key TEXT NOT NULL,
    hour_ms INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (origin_id, slot, key, hour_ms)
  ) STRICT;
  CREATE INDEX hours_by_time ON hours (hour_ms);
  CREATE INDEX records_history ON records (origin_id, slot, key, at_ms) WHERE has_history = 1;
  CREATE INDEX records_past ON records (at_ms) WHERE is_superseded = 1 AND has_history = 1;
`;

/** "PLMJ": distinguishes this journal from any other SQLite file. */
export const APPLICATION_ID = 0x504c4d4a;

export const schemaVersion = (database: DatabaseSync): number =>
  numberIn(database.prepare('PRAGMA user_version').get(), 'user_version');

export const applicationId = (database: DatabaseSync): number =>
  numberIn(database.prepare('PRAGMA application_id').get(), 'application_id');

/** In the caller's transaction, so that a kill undoes it. Does nothing in a file that has its tables. */
export const createTables = (database: DatabaseSync): void => {
  if (schemaVersion(database) > 0) return;
  database.exec(TABLES);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(`PRAGMA user_version = ${JOURNAL_SCHEMA_VERSION}`);
};

/** Every table with its columns and every index, one per line: two files with the same schema give the same text. */
export const schemaShape = (database: DatabaseSync): string => {
  const rows: readonly SqliteRow[] = database
    .prepare(
      `SELECT m.type || ' ' || m.name || ' ' || coalesce(group_concat(c.name || ':' || c.type), '') AS line
       FROM sqlite_schema m LEFT JOIN pragma_table_info(m.name) c ON m.type = 'table'
       GROUP BY m.type, m.name ORDER BY line`,
    )
    .all();
  return rows.map(row => textIn(row, 'line')).join('\n');
};
