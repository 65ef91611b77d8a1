import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryRoot } from '../support/repository-root.ts';
import { lock } from '../support/scripts.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('processes that want the lock at once get it one after another', async () => {
  const log = join(folder, 'log');
  const program = `
    const { withLock } = require(${JSON.stringify(join(repositoryRoot, 'scripts/lock.js'))});
    const { appendFileSync } = require('node:fs');
    withLock(${JSON.stringify(join(folder, 'lock'))}, () => {}, async () => {
      appendFileSync(${JSON.stringify(log)}, 'in ');
      await new Promise(resolve => setTimeout(resolve, 20));
      appendFileSync(${JSON.stringify(log)}, 'out ');
    });`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['-e', program], { stdio: 'inherit' }),
  );
  const codes = await Promise.all(children.map(child => once(child, 'close')));
  expect(codes.map(([code]) => code)).toEqual(Array(6).fill(0));
  expect(await readFile(log, 'utf8')).toBe('in out '.repeat(6));
});

test('the lock of a process that is gone is taken over', async () => {
  await writeFile(join(folder, 'lock'), '999999999\n');
  expect(await lock.withLock(join(folder, 'lock'), refuseToWait, async () => 'done')).toBe('done');
});

test('an empty lock that a power failure left is taken over', async () => {
  await writeFile(join(folder, 'lock'), '');
  await utimes(join(folder, 'lock'), 0, 0);
  expect(await lock.withLock(join(folder, 'lock'), refuseToWait, async () => 'done')).toBe('done');
});

test('the lock is given back when the work fails', async () => {
  const work = lock.withLock(join(folder, 'lock'), refuseToWait, async () => {
    throw new Error('broke');
  });
  await expect(work).rejects.toThrow('broke');
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});

const refuseToWait = (): void => {
  throw new Error('waited for a process that is gone');
};
