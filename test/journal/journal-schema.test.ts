// Files of newer versions are rejected and left as they are.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import { inTransaction } from '../../src/journal/sqlite-database.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import {
  createTables,
  JOURNAL_SCHEMA_VERSION,
  schemaShape,
  schemaVersion,
} from '../../src/journal/sqlite-schema.ts';
import { OWN } from '../support/journal-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

let directory: TemporaryDirectory;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'journal.db');
});

afterEach(() => directory[Symbol.dispose]());

const open = (): Journal => openSqliteJournal({ path, ownNode: OWN, clock: new VirtualClock() });

test('a file of a newer version is refused in two lines and left as it was', () => {
  open()[Symbol.dispose]();
  change(`PRAGMA user_version = ${JOURNAL_SCHEMA_VERSION + 1}; ALTER TABLE records ADD COLUMN novelty TEXT`);
  const bytes = readFileSync(path);
  expect(open).toThrow(
    expect.objectContaining({
      name: 'JournalError',
      code: 'newer-schema',
      problem: expect.objectContaining({
        problem: expect.stringMatching(/^[^\n]+which this Plimsoll does not read[^\n]+$/),
        advice: expect.stringContaining('Run the version that wrote it'),
      }),
    }),
  );
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(directory.path).filter(name => name.includes('damaged'))).toEqual([]);
});

test('a first start that fails half-way leaves no tables', () => {
  using database = new DatabaseSync(path);
  database.exec('CREATE TABLE records (id INTEGER)');
  const shape = schemaShape(database);
  expect(() => inTransaction(database, () => createTables(database))).toThrow('records already exists');
  expect([schemaVersion(database), schemaShape(database)]).toEqual([0, shape]);
});

const change = (sql: string): void => {
  using database = new DatabaseSync(path);
  database.exec(sql);
};
