// What only a file has: its mode, its size on disk, its lock, and a disk that is full or not there.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Journal } from '../../src/journal/journal.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { storedCountPath } from '../../src/journal/stored-count.ts';
import { FILLER, startWriter } from '../support/journal-process.ts';
import { appendOwn, OWN, PEER, record, recordsTo, seqsAfter } from '../support/journal-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

let directory: TemporaryDirectory;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'journal.db');
});

afterEach(() => directory[Symbol.dispose]());

const open = (at = path): Journal => openSqliteJournal({ path: at, ownNode: OWN, clock: new VirtualClock() });

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);

test('the file and its log are for their owner alone, also when the mode was loosened', () => {
  for (const loosened of [undefined, 0o644, 0o666]) {
    if (loosened !== undefined) chmodSync(path, loosened);
    using journal = open();
    appendOwn(journal);
    expect([mode(path), mode(`${path}-wal`)]).toEqual(['600', '600']);
  }
});

test('compaction gives the space back to the file system and empties the log', () => {
  using journal = open();
  journal.append(recordsTo(1500, { payload: 'x'.repeat(2000) }));
  const before = statSync(path).size + statSync(`${path}-wal`).size;
  const { sizeBytes, droppedRecords } = journal.compact();
  expect(droppedRecords).toBe(1499);
  expect(before).toBeGreaterThan(3_000_000);
  expect(statSync(path).size).toBeLessThan(200_000);
  expect(statSync(`${path}-wal`).size).toBe(0);
  expect(sizeBytes).toBe(statSync(path).size);
  expect(seqsAfter(journal, PEER)).toEqual([1500]);
});

test('the log stays bounded while much is written that stays', () => {
  using journal = open();
  const payload = 'x'.repeat(4000);
  let logBytesMax = 0;
  for (let round = 0; round < 60; round += 1) {
    const through = journal.origins().find(one => one.origin === PEER)?.through ?? 0;
    const records = Array.from({ length: 100 }, (_, index) => {
      const seq = through + index + 1;
      return record({ seq, key: `k${seq}`, payload });
    });
    journal.append(records);
    logBytesMax = Math.max(logBytesMax, statSync(`${path}-wal`).size);
  }
  expect(statSync(path).size).toBeGreaterThan(20_000_000);
  expect(logBytesMax).toBeLessThan(8_000_000);
});

test('a journal that another process holds is refused, and free once that is killed', async () => {
  await using writer = startWriter(path);
  for await (const line of writer.lines) if (line.kind === 'acknowledged') break;
  expect(() => open()).toThrow(
    expect.objectContaining({
      code: 'locked',
      problem: expect.objectContaining({
        problem: expect.stringMatching(/^[^\n]+in use[^\n]+$/),
        advice: expect.stringMatching(/^Stop [^\n]+$/),
      }),
    }),
  );
  await writer[Symbol.asyncDispose]();
  using journal = open();
  expect(seqsAfter(journal, OWN).length).toBeGreaterThan(0);
});

test.each([
  ['a directory that is not there', () => join(path, 'missing', 'journal.db')],
  [
    'a file in place of a directory',
    () => {
      writeFileSync(path, 'a file');
      return join(path, 'journal.db');
    },
  ],
  [
    'a directory in place of the file',
    () => {
      mkdirSync(path);
      return path;
    },
  ],
])('%s is reported with what to do', (_, pathOf) => {
  const at = pathOf();
  expect(() => open(at)).toThrow(
    expect.objectContaining({
      code: 'io',
      problem: expect.objectContaining({
        problem: expect.stringMatching(/^[^\n]+journal.db[^\n]+$/),
        advice: expect.stringMatching(/^(Check|Find out) [^\n]+$/),
      }),
    }),
  );
});

test('a pipe in place of the file is refused at once, and keeps its mode', () => {
  execFileSync('mkfifo', ['-m', '666', path]);
  expect(() => open()).toThrow(
    expect.objectContaining({ code: 'io', message: expect.stringContaining('something other than a file') }),
  );
  expect(mode(path)).toBe('666');
});

test('a pipe in place of the count of stored records delays nothing', () => {
  const count = storedCountPath(path);
  execFileSync('mkfifo', [count]);
  // In a process of its own, which can be ended: an open that waits stops the whole thread.
  const script = `import { StoredCount } from ${JSON.stringify(new URL('../../src/journal/stored-count.ts', import.meta.url))};
    new StoredCount(process.argv[1]).set({ origin: 'a'.repeat(26), epoch: 1, through: 1 });`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script, path], { timeout: 20_000 });
  expect([ran.status, ran.signal]).toEqual([0, null]);
});

test.each([
  ['that may not be written', 0o555],
  ['that may not be entered', 0o000],
])('a directory %s is reported with what to do', async (_, directoryMode) => {
  chmodSync(directory.path, directoryMode);
  const lines = [];
  {
    // Root may write everywhere, so the writer runs as nobody.
    await using writer = startWriter(path, process.getuid?.() === 0 ? { uid: 65_534 } : {});
    for await (const line of writer.lines) {
      lines.push(line);
      if (line.kind === 'acknowledged') break;
    }
  }
  expect(lines.at(-1)).toMatchObject({ kind: 'failed', code: 'io', message: expect.stringContaining(path) });
});

test('a full disk refuses the append, loses nothing, and takes more once there is room', context => {
  if (!canMount()) context.skip('needs a mount namespace of its own (unshare --mount)');
  const script = `mount -t tmpfs -o size=16m plimsoll "$1" &&
    dd if=/dev/zero of="$1/ballast" bs=1024 count=10000 status=none &&
    exec "$2" "$3" "$1/journal.db" "$1/ballast"`;
  const ran = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-ec', script, 'sh', directory.path, process.execPath, FILLER],
    { encoding: 'utf8' },
  );
  expect(ran.stderr).toBe('');
  const reported = JSON.parse(ran.stdout);
  expect(reported).toMatchObject({ code: 'full', codeAtOpen: 'full', notices: [] });
  expect(reported.problem).toMatchObject({
    problem: expect.stringMatching(/^[^\n]+disk is full[^\n]*$/),
    advice: expect.stringMatching(/^Free some disk space[^\n]+$/),
  });
  expect(reported.seq).toBeGreaterThan(5);
  expect(reported.storedWhenFull).toBe(reported.seq);
  expect(reported.seqAfterwards).toBe(reported.seq + 1);
  expect(reported.stored).toBe(reported.seq + 1);
});

const canMount = (): boolean => {
  try {
    execFileSync('unshare', ['--map-root-user', '--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
