// A disk that is full, and folders in which no run can be stored.

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { errorCode } from '../../../src/core/problem.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, expectInvariants } from './bench-here.ts';

const quickMock = () =>
  spawnMock({ ttftMs: 1, gapMs: 0, outputTokens: 50 }, { nodePath: process.execPath, env: process.env });

test('a full disk makes a run incomplete, reports it, and hangs nothing', async context => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'small');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    context.skip('no file system can be mounted here');
  }
  try {
    await using mock = await quickMock();
    const run = await benchHere(folder.path, [
      mock.url,
      '--requests',
      '1500',
      '--concurrency',
      '16',
      '--out',
      join(path, 'run'),
    ]);
    expect(run.exit).toBe('benchIncomplete');
    expect(run.stdout).toContain('INCOMPLETE');
    expect(run.stdout + run.stderr).toContain('no space left on the disk');
    // The figures themselves came by message, and are whole.
    expect(run.stdout).toMatch(/Failed +0\sof 1\s500 +1\s500 completed/);
    // And a report that is made again, now that there is space, counts what the run did.
    execFileSync('mount', ['-o', 'remount,size=8m', path]);
    const again = madeUpProcess(['report', join(path, 'run')]);
    expect(await again.run()).toBe(EXIT_CODES.benchIncomplete.code);
    expect(again.stdout.text).toMatch(/Failed +0\sof 1\s500 +1\s500 completed/);
    expect(again.stdout.text).toContain('no space left on the disk');
  } finally {
    execFileSync('umount', [path]);
  }
});

test('a sweep onto a disk that fills up ends with words, and prints what is known', async context => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'small');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    context.skip('no file system can be mounted here');
  }
  try {
    await using mock = await quickMock();
    const out = join(path, 'sweep');
    const loads = ['--concurrency', '4,8,12', '--duration', '1s', '--pause', '1ms'];
    const home = ['--home', join(folder.path, 'home')];
    const sweep = madeUpProcess(['sweep', mock.url, ...loads, '--out', out, ...home]);
    const ended = sweep.run();
    await sweep.stdout.until(/Stage 1 of 3 has begun/);
    // Somebody else takes each byte that the sweep gives back, as when it replaces a file.
    const filling = setInterval(() => fill(join(path, 'other')), 10);
    try {
      expect(await ended).toBe(EXIT_CODES.benchIncomplete.code);
    } finally {
      clearInterval(filling);
    }
    expect(sweep.stderr.text).toContain('no space left on the disk');
    expect(sweep.stderr.text).not.toMatch(/should not have happened|ENOSPC/);
    expect(sweep.stdout.text).toContain('INTERRUPTED');
    expect(sweep.stdout.text).toMatch(/Stages in the order they ran/);
  } finally {
    execFileSync('umount', [path]);
  }
});

test('a sweep onto a disk that is full already is refused in words, and leaves nothing there', async context => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'small');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    context.skip('no file system can be mounted here');
  }
  try {
    fill(join(path, 'other'));
    const directories = ['--out', join(path, 'sweep'), '--home', join(folder.path, 'home')];
    const sweep = madeUpProcess(['sweep', 'http://127.0.0.1:9', '--concurrency', '1', ...directories]);
    expect(await sweep.run()).toBe(EXIT_CODES.benchRunDirectory.code);
    expect(sweep.stderr.text).toMatch(/^plimsoll: .*no space left on the disk\n.*--out DIR\n$/);
    expect(readdirSync(path)).toEqual(['other']);
  } finally {
    execFileSync('umount', [path]);
  }
});

/** Fills the remaining room, as another program would. */
const fill = (file: string): void => {
  const block = Buffer.alloc(4_096);
  try {
    for (;;) appendFileSync(file, block);
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error;
  }
};

test.each([
  [
    'is not empty',
    (path: string) => [mkdirSync(path), writeFileSync(join(path, 'notes.txt'), 'keep')],
    'is not empty',
  ],
  [
    'is a file',
    (path: string) => [writeFileSync(path, '')],
    'cannot be written: part of its path is a file|a file is in its place',
  ],
])('a run directory that %s is refused before a request is sent', async (_, make, reason) => {
  using folder = temporaryDirectory();
  await using mock = await quickMock();
  const out = join(folder.path, 'out');
  make(out);
  const run = await benchHere(folder.path, [mock.url, '--out', out]);
  expect(run.exit).toBe('benchRunDirectory');
  expect(run.stderr).toMatch(new RegExp(`^plimsoll: the run directory .* (${reason})\n.*--out DIR`));
  const { requests }: { requests: number } = JSON.parse(await (await fetch(`${mock.url}/mock/log`)).text());
  expect(requests).toBe(0);
});

test('a run directory where nothing can be made is refused, and does not hang', async () => {
  using folder = temporaryDirectory();
  await using mock = await quickMock();
  const run = await benchHere(folder.path, [mock.url, '--out', '/proc/plimsoll/run']);
  expect(run.exit).toBe('benchRunDirectory');
});

test('an empty directory is taken, holds the files of a run and no other, and is listed', async () => {
  using folder = temporaryDirectory();
  await using mock = await quickMock();
  const out = join(folder.path, 'out');
  mkdirSync(out);
  const run = await benchHere(folder.path, [
    mock.url,
    '--requests',
    '5',
    '--out',
    out,
    '--max-failures',
    '0',
  ]);
  expect(run.exit).toBe('ok');
  const listing = madeUpProcess(['runs', '--json', '--home', join(folder.path, 'home')]);
  await listing.run();
  expect(JSON.parse(listing.stdout.text)).toMatchObject({
    runs: [{ directory: realpathSync(out), state: 'complete' }],
  });
  // A run may be over before the server has reported its metrics.
  expect(
    readdirSync(out)
      .filter(name => name !== 'server.csv')
      .sort(),
  ).toEqual(['config.json', 'final_snapshot.json', 'report.json', 'report.txt', 'samples.jsonl']);
  const again = await benchHere(folder.path, [mock.url, '--requests', '5', '--events', 'on']);
  expectInvariants(again.report());
  expect(readdirSync(again.directory)).toContain('events.jsonl');
});

test('a home that cannot be used is no matter to a run that is kept elsewhere, but to one that is not', async () => {
  using folder = temporaryDirectory();
  await using mock = await quickMock();
  const home = ['--home', '/proc/plimsoll'];
  for (const [out, code] of [
    [['--out', join(folder.path, 'out')], 0],
    [[], EXIT_CODES.homeUnusable.code],
  ] as const) {
    const run = madeUpProcess(['bench', mock.url, '--requests', '3', ...home, ...out]);
    expect(await run.run()).toBe(code);
    expect(run.stderr.text).toMatch(/\/proc\/plimsoll/);
  }
});
