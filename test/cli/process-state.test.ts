import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SMALL_YOUNG_GENERATION } from '../../src/cli/process-state.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('this Node accepts the flag that keeps the young generation of a daemon small', () => {
  const { status, stderr } = spawnSync(process.execPath, [SMALL_YOUNG_GENERATION, '--eval', '0'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('a second Ctrl-C ends a command at once, even while a file system hangs under a reading', async () => {
  using folder = temporaryDirectory();
  const pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const entry = fileURLToPath(new URL('./stuck-command-process.ts', import.meta.url));
  const child = spawn(process.execPath, [entry, pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = child.stdout.setEncoding('utf8');
  for (const line of ['reading', 'asked']) {
    const [reported] = await once(lines, 'data');
    expect(String(reported).trim()).toBe(line);
    child.kill('SIGINT');
  }
  expect(await exited).toEqual([null, 'SIGINT']);
});
