// Damaged files: for any damage, the daemon starts, the file is moved aside whole, and the new epoch is above
// the old.

import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { appendOwn, OWN, PEER, recordsTo, seqsAfter } from '../support/journal-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const WALL_MS = Date.UTC(2026, 10, 20, 11, 3, 6);
/** When the damage is found: some time after the journal was written. */
const FOUND_MS = WALL_MS + 60_000;
const STAMP = '20261120T110406Z';

let directory: TemporaryDirectory;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'journal.db');
});

afterEach(() => directory[Symbol.dispose]());

const open = (wallMs = FOUND_MS): Journal =>
  openSqliteJournal({ path, ownNode: OWN, clock: new VirtualClock({ wallMs }) });

/** A journal of some hundred pages, closed; gives its epoch. */
const writeJournal = (): number => {
  using journal = open(WALL_MS);
  journal.append(recordsTo(400, { kind: 'gpu.profiled', payload: { pad: 'x'.repeat(2000) } }));
  appendOwn(journal);
  return journal.ownEpoch;
};

const change = (sql: string): void => {
  using database = new DatabaseSync(path);
  database.exec(sql);
};

const overwrite = (from: number, bytes: Uint8Array): void => {
  const file = readFileSync(path);
  file.set(bytes, from);
  writeFileSync(path, file);
};

const DAMAGES: readonly (readonly [string, () => void])[] = [
  ['has a garbage header', () => overwrite(0, new Uint8Array(100).fill(0x5a))],
  ['is garbage from end to end', () => writeFileSync(path, Buffer.alloc(50_000, 'garbage '))],
  ['is a short text', () => writeFileSync(path, 'hello')],
  ['is cut in the middle', () => truncateSync(path, 200_000)],
  ['is cut in the middle of a page', () => truncateSync(path, 123_457)],
  ['is cut after its first page', () => truncateSync(path, 4096)],
  ['has lost its last bytes', () => truncateSync(path, statSync(path).size - 9)],
  ['has only its first byte', () => truncateSync(path, 1)],
  ['is cut in its header', () => truncateSync(path, 60)],
  ['has zeros in the middle', () => overwrite(100_000, new Uint8Array(300_000))],
  ['has garbage in the middle', () => overwrite(100_000, new Uint8Array(300_000).fill(0xa5))],
  ['has lost a table', () => change('DROP TABLE hours')],
  ['has lost its records', () => change('DROP TABLE records')],
  ['has lost an index', () => change('DROP INDEX records_position')],
  ['has lost a column', () => change('ALTER TABLE records DROP COLUMN signature')],
  ['has lost its own numbers', () => change('DELETE FROM own')],
  ['has positions behind its records', () => change('UPDATE origins SET through = 3')],
  ['has an origin that is no node id', () => change("UPDATE origins SET origin = 'x' WHERE id = 2")],
  ['is another program’s database', () => change('PRAGMA application_id = 1; PRAGMA user_version = 0')],
];

describe.each(DAMAGES)('a journal that %s', (_, damage) => {
  test('is moved aside as it is, reported, and replaced by one of a greater epoch', () => {
    const epoch = writeJournal();
    damage();
    const bytes = readFileSync(path);
    using journal = open();
    expect(journal.notices).toHaveLength(1);
    const moved = `${path}.damaged-${STAMP}`;
    expect(journal.notices[0]?.code).toBe('journal-replaced');
    expect(journal.notices[0]?.problem).toContain(path);
    expect(journal.notices[0]?.problem).toContain(moved);
    expect(journal.notices[0]?.advice).toContain('readings return by themselves');
    expect(readFileSync(moved).equals(bytes)).toBe(true);
    expect(journal.ownEpoch).toBeGreaterThan(epoch);
    expect(journal.origins()).toEqual([{ origin: OWN, epoch: journal.ownEpoch, through: 0 }]);
    expect(appendOwn(journal)).toBe(1);
    journal[Symbol.dispose]();
    using again = open();
    expect(again.notices).toEqual([]);
    expect(seqsAfter(again, OWN)).toEqual([1]);
  });
});

test('the old epoch and start number count where they can still be read, although the clock was set back', () => {
  const epoch = writeJournal();
  change('DROP TABLE hours');
  using journal = open(1000);
  expect(journal.ownEpoch).toBe(epoch + 1);
  expect(journal.startNumber).toBe(WALL_MS + 1);
});

test('the write-ahead log goes with the database, untouched', () => {
  writeJournal();
  const journal = open();
  appendOwn(journal);
  const copy = join(directory.path, 'copy.db');
  for (const part of ['', '-wal']) copyFileSync(path + part, copy + part);
  journal[Symbol.dispose]();
  path = copy;
  overwrite(100_000, new Uint8Array(300_000));
  const log = readFileSync(`${copy}-wal`);
  using replaced = open();
  expect(replaced.notices).toHaveLength(1);
  expect(readFileSync(`${copy}.damaged-${STAMP}-wal`).equals(log)).toBe(true);
});

test.each(['removed', 'emptied'])('a log whose database was %s is kept, not deleted', how => {
  const journal = open();
  journal.append(recordsTo(3));
  const copy = join(directory.path, 'copy.db');
  for (const part of ['', '-wal']) copyFileSync(path + part, copy + part);
  journal[Symbol.dispose]();
  path = copy;
  if (how === 'removed') rmSync(copy);
  else truncateSync(copy);
  const log = readFileSync(`${copy}-wal`);
  using replaced = open();
  expect(replaced.notices).toMatchObject([
    { problem: expect.stringContaining('only its write-ahead log exists') },
  ]);
  expect(readFileSync(`${copy}.damaged-${STAMP}-wal`).equals(log)).toBe(true);
});

test('a log that was cut off costs what was not acknowledged, and nothing else', () => {
  const journal = open();
  journal.append(recordsTo(3, { kind: 'run.started', key: 'a' }));
  const copy = join(directory.path, 'copy.db');
  for (const part of ['', '-wal']) copyFileSync(path + part, copy + part);
  const log = readFileSync(`${copy}-wal`);
  journal.append(recordsTo(6, { kind: 'run.started', key: 'a' }));
  writeFileSync(`${copy}-wal`, readFileSync(`${path}-wal`).subarray(0, log.length + 100));
  journal[Symbol.dispose]();
  path = copy;
  using reopened = open();
  expect(reopened.notices).toEqual([]);
  expect(seqsAfter(reopened, PEER)).toEqual([1, 2, 3]);
});

/**
 * What a kill leaves of a journal with 20 records of its own node in its log, in a folder of its own.
 * @returns its epoch
 */
const killedJournal = (): number => {
  using journal = open(WALL_MS);
  for (let count = 0; count < 20; count += 1) appendOwn(journal, { payload: { pad: 'x'.repeat(500) } });
  const copy = join(directory.path, 'copy.db');
  for (const part of ['', '-wal', '-stored']) copyFileSync(path + part, copy + part);
  path = copy;
  return journal.ownEpoch;
};

const LOST_LOGS: readonly (readonly [string, number, (log: string) => void])[] = [
  ['was removed', 20, log => rmSync(log)],
  ['was emptied', 20, log => truncateSync(log)],
  ['has a header of zeros', 20, log => writeFileSync(log, readFileSync(log).fill(0, 0, 32))],
  ['was filled with zeros', 20, log => writeFileSync(log, readFileSync(log).fill(0))],
];

describe.each(LOST_LOGS)('a journal whose write-ahead log %s', (_, missing, damage) => {
  test(`reports that at least ${missing} records are missing, and the number of its own that it had`, () => {
    // Checkpointed once, as any that is older: the log is all that is newer.
    open(WALL_MS)[Symbol.dispose]();
    killedJournal();
    damage(`${path}-wal`);
    using journal = open();
    expect(journal.notices).toEqual([
      {
        code: 'journal-cut',
        problem: `The journal ${path} has lost at least 20 records of the 20 that this node had stored: its write-ahead log (${path}-wal) was cut off or damaged.`,
        advice: expect.stringContaining('A new epoch was started'),
      },
    ]);
  });
});

test.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
  ['damaged', (bytes: Buffer) => bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 64)],
])('of a log that was %s in its middle what came before is there, and the rest is counted', (_, damage) => {
  open(WALL_MS)[Symbol.dispose]();
  const epoch = killedJournal();
  writeFileSync(`${path}-wal`, damage(readFileSync(`${path}-wal`)));
  using journal = open();
  const kept = seqsAfter(journal, OWN).at(-1) ?? 0;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(20);
  expect(journal.notices[0]?.problem).toContain(`has lost at least ${20 - kept} records of the 20 `);
  expect(journal.lost).toEqual({ origin: OWN, epoch, through: 20 });
  // Its caller starts one above it: numbers of lost records, which others may have, are not given again.
  expect(journal.startNewEpoch(journal.lost?.epoch ?? 0)).toBeGreaterThan(epoch);
  journal[Symbol.dispose]();
  using again = open();
  expect([again.notices, again.lost]).toEqual([[], undefined]);
});

test('a journal that had nothing but its write-ahead log, and lost it, reports it and begins above its epoch', () => {
  const epoch = killedJournal();
  rmSync(`${path}-wal`);
  using journal = open(1000);
  expect(journal.notices).toMatchObject([
    {
      code: 'journal-cut',
      problem: expect.stringContaining('has lost at least 20 records of the 20 that this node had stored'),
    },
  ]);
  expect(journal.ownEpoch).toBeGreaterThan(epoch);
  appendOwn(journal);
  journal[Symbol.dispose]();
  using again = open();
  expect(again.notices).toEqual([]);
});

test('a journal that is whole, also after a kill, or has no count next to it, reports nothing', () => {
  open(WALL_MS)[Symbol.dispose]();
  killedJournal();
  const damaged = `${path}-stored`;
  for (const change of [() => undefined, () => writeFileSync(damaged, '{"origin"'), () => rmSync(damaged)]) {
    change();
    using journal = open();
    expect([journal.notices, journal.lost]).toEqual([[], undefined]);
  }
});

test('two damaged files of one second both stay', () => {
  for (const content of ['first', 'second']) {
    writeFileSync(path, content);
    open()[Symbol.dispose]();
    rmSync(path);
  }
  const moved = readdirSync(directory.path).filter(name => name.includes('.damaged-'));
  expect(moved.map(name => readFileSync(join(directory.path, name), 'utf8'))).toEqual(['first', 'second']);
  expect(moved).toEqual([`journal.db.damaged-${STAMP}`, `journal.db.damaged-${STAMP}-2`]);
});

test('a first transaction that was killed half-way is rolled back, and a new journal is begun', () => {
  const half = join(directory.path, 'half.db');
  using database = new DatabaseSync(half);
  database.exec(`
    PRAGMA cache_size = 1; BEGIN; CREATE TABLE t (x); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
    INSERT INTO t SELECT zeroblob(1000) FROM n;`);
  for (const part of ['', '-journal']) copyFileSync(half + part, path + part);
  expect(readFileSync(path).length).toBeGreaterThan(0);
  using journal = open();
  expect(journal.notices).toEqual([]);
  expect(appendOwn(journal)).toBe(1);
  expect(existsSync(`${path}-journal`)).toBe(false);
});

test('an empty file is a new journal', () => {
  writeFileSync(path, '');
  using journal = open();
  expect(journal.notices).toEqual([]);
  expect(existsSync(`${path}.damaged-${STAMP}`)).toBe(false);
});
