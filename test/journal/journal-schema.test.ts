// Files of other versions: older ones migrate and say so, newer ones are refused and left alone.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { inTransaction } from '../../src/journal/sqlite-database.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { migrate, SCHEMA_STEPS, schemaShape, schemaVersion } from '../../src/journal/sqlite-schema.ts';
import { appendOwn, OWN, PEER, record, seqsAfter } from '../support/journal-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

let directory: TemporaryDirectory;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'journal.db');
});

afterEach(() => directory[Symbol.dispose]());

const open = (): Journal => openSqliteJournal({ path, ownNode: OWN, clock: new VirtualClock() });

test('a file of the first version is migrated with everything in it, and says so once', () => {
  writeFirstVersion();
  using journal = open();
  expect(journal.notices).toEqual([
    {
      code: 'journal-migrated',
      problem: `The journal ${path} was migrated from schema 1 to ${SCHEMA_STEPS.length}.`,
      advice: '',
    },
  ]);
  expect([journal.ownEpoch, journal.startNumber > 700]).toEqual([500, true]);
  expect(journal.origins()).toEqual([
    { origin: OWN, epoch: 500, through: 4 },
    { origin: PEER, epoch: 1, through: 9 },
  ]);
  expect(seqsAfter(journal, OWN)).toEqual([4]);
  expect(seqsAfter(journal, PEER)).toEqual([8, 9]);
  const query = { origin: PEER, slot: 'gpu', key: 'g', sinceWallMs: 0, limit: 9 };
  expect(journal.history(query)).toHaveLength(2);
  expect(journal.compact()).toMatchObject({ droppedRecords: 1, hourlyRows: 1 });
  expect(appendOwn(journal)).toBe(5);
  journal[Symbol.dispose]();
  using again = open();
  expect(again.notices).toEqual([]);
});

test('a file of a newer version is refused in two lines and left as it was', () => {
  open()[Symbol.dispose]();
  change(`PRAGMA user_version = ${SCHEMA_STEPS.length + 1}; ALTER TABLE records ADD COLUMN novelty TEXT`);
  const bytes = readFileSync(path);
  expect(open).toThrow(
    expect.objectContaining({
      name: 'JournalError',
      code: 'newer-schema',
      problem: expect.objectContaining({
        problem: expect.stringMatching(/^[^\n]+newer Plimsoll[^\n]+$/),
        advice: expect.stringContaining('Install that version again'),
      }),
    }),
  );
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(directory.path).filter(name => name.includes('damaged'))).toEqual([]);
});

test('a step that fails half-way has not happened', () => {
  using database = new DatabaseSync(path);
  inTransaction(database, () => migrate(database));
  const shape = schemaShape(database);
  const steps = [
    ...SCHEMA_STEPS,
    'CREATE TABLE extra (id INTEGER) STRICT; CREATE TABLE records (id INTEGER);',
  ];
  expect(() => inTransaction(database, () => migrate(database, steps))).toThrow('records already exists');
  expect([schemaVersion(database), schemaShape(database)]).toEqual([SCHEMA_STEPS.length, shape]);
});

test('migrating step by step gives the tables that a new file has', () => {
  using fresh = new DatabaseSync(':memory:');
  migrate(fresh);
  using old = new DatabaseSync(':memory:');
  for (let version = 1; version <= SCHEMA_STEPS.length; version += 1)
    expect(migrate(old, SCHEMA_STEPS.slice(0, version))).toBe(version - 1);
  expect(schemaShape(old)).toBe(schemaShape(fresh));
});

const change = (sql: string): void => {
  using database = new DatabaseSync(path);
  database.exec(sql);
};

/** As the first version wrote it: no hourly rows yet. */
const writeFirstVersion = (): void => {
  using database = new DatabaseSync(path);
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
  migrate(database, SCHEMA_STEPS.slice(0, 1));
  database.exec(`
    INSERT INTO own VALUES (1, '${OWN}', 500, 700);
    INSERT INTO origins VALUES (1, '${OWN}', 500, 4), (2, '${PEER}', 1, 9);
  `);
  const put = database.prepare(
    `INSERT INTO records (origin_id, epoch, seq, kind, slot, key, has_history, is_superseded, at_ms, age_ms, body, signature)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
  );
  const { body, signature } = record({ seq: 8, payload: { rate: 5 } });
  put.run(1, 500, 4, 'identity.gathered', 'identity', '', 0, 0, 1000, body, signature);
  put.run(2, 1, 8, 'gpu.profiled', 'gpu', 'g', 1, 1, 1000, body, signature);
  put.run(2, 1, 9, 'gpu.profiled', 'gpu', 'g', 1, 0, 2000, body, signature);
};
