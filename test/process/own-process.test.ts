import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { entryUrl } from '../../src/process/entry.ts';
import { OwnProcessError, type OwnProcessOptions, startOwnProcess } from '../../src/process/own-process.ts';
import { reportParent, watchParent } from '../../src/process/parent-watch.ts';

const CHILD = entryUrl(import.meta.url, './watched-child.ts');

const optionsOf = (mode: string, changes: Partial<OwnProcessOptions> = {}): OwnProcessOptions => ({
  entry: CHILD,
  args: [mode],
  nodePath: process.execPath,
  env: process.env,
  readyTimeoutMs: 25_000,
  signal: AbortSignal.timeout(25_000),
  ...changes,
});

describe('a process of our own', () => {
  test('is there when it has reported that it is ready, and watches its parent', async () => {
    await using child = await startOwnProcess(optionsOf('ready'));
    expect(child.ready).toEqual({ kind: 'ready', watch: 'watching', pid: child.pid });
  });

  test('ends on SIGTERM, and its last words arrive', async () => {
    await using child = await startOwnProcess(optionsOf('chatty'));
    const exit = await child.stop(20_000);
    expect(exit).toMatchObject({ code: 0, signal: null, lastMessage: { kind: 'summary', text: 'fünf' } });
    expect(exit.stderr).toBe('x'.repeat(16 * 1024));
    expect(await child.stop(0)).toBe(exit);
  });

  test('is killed when it does not answer SIGTERM', async () => {
    await using child = await startOwnProcess(optionsOf('stubborn'));
    expect(await child.stop(100)).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(isAlive(child.pid)).toBe(false);
  });

  test('that ends before it is ready is an error with its code and its words', async () => {
    const start = startOwnProcess(optionsOf('exits'));
    await expect(start).rejects.toThrow(/watched-child\.ts exited at once with 7: no such model/);
    await expect(start).rejects.toMatchObject({ code: 'exited' });
  });

  test('that stays silent is killed and reported', async () => {
    const start = startOwnProcess(optionsOf('silent', { readyTimeoutMs: 50 }));
    await expect(start).rejects.toMatchObject({ code: 'not-ready' });
  });

  test('that cannot be started at all is an error', async () => {
    const start = startOwnProcess(optionsOf('ready', { nodePath: '/nowhere/node' }));
    await expect(start).rejects.toBeInstanceOf(OwnProcessError);
    await expect(start).rejects.toMatchObject({ code: 'not-started' });
  });

  test('is not left behind when its start is aborted', async () => {
    const controller = new AbortController();
    const start = startOwnProcess(optionsOf('silent', { signal: controller.signal }));
    controller.abort(new Error('enough'));
    await expect(start).rejects.toThrow('enough');
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('ends when its parent dies of %s', async signal => {
    const parent = spawn(
      process.execPath,
      [fileURLToPath(new URL('./parent-of-child.ts', import.meta.url))],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const childPid = Number(await firstLine(parent));
    expect(isAlive(childPid)).toBe(true);
    parent.kill(signal);
    await once(parent, 'close');
    await untilGone(childPid);
  });
});

describe('the watch of a parent', () => {
  test('reports that it is absent where nobody started the process', async () => {
    expect(watchParent({})).toEqual({ kind: 'absent', reason: 'not started by Plimsoll' });
    expect(reportParent({}, { kind: 'ready' })).toBe(false);
  });

  test('reports it where the pipes are named but not there', async () => {
    const alone = spawn(process.execPath, [fileURLToPath(CHILD), 'alone'], {
      env: { ...process.env, PLIMSOLL_PARENT_PIPES: '77,78' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(JSON.parse(await firstLine(alone))).toEqual({
      kind: 'absent',
      reason: 'file descriptor 77 is not a pipe',
    });
    await once(alone, 'close');
  });
});

const firstLine = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('it said nothing');
};

/** A process that nobody has waited for yet is dead all the same. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** An orphan sends no event to us. */
const untilGone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await pause(10);
};
