// A real `plimsoll up` in its own process, home and port: for end-to-end tests and benchmarks.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './process-ids.ts';
import { repositoryRoot } from './repository-root.ts';

export interface RunOptions {
  /** The command in front of `up`; the built program of this checkout by default. */
  readonly command?: readonly [string, ...string[]];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** An existing home is kept; one that is made here is removed at the end. */
  readonly home?: string;
}

export interface RunningDaemon extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  readonly token: string;
  /** Of the daemon itself, also where a script started it. */
  readonly pid: number;
  readonly home: string;
  readonly child: ChildProcess;
  output(): string;
  /** SIGTERM; resolves with the exit code once it has ended. */
  stop(): Promise<number | null>;
}

/** Resolves when the daemon listens. @throws Error with what it printed when it ends before. */
export const runDaemon = async (options: RunOptions = {}): Promise<RunningDaemon> => {
  const ownFolder =
    options.home === undefined ? await mkdtemp(join(tmpdir(), 'plimsoll-daemon-')) : undefined;
  const home = options.home ?? join(ownFolder ?? '', 'home');
  const [program, ...before] = options.command ?? [
    process.execPath,
    join(repositoryRoot, 'bin/plimsoll.js'),
    'up',
  ];
  const args = [
    ...before,
    '--home',
    home,
    '--http',
    '127.0.0.1:0',
    '--no-open',
    ...PROBES_OFF,
    ...(options.args ?? []),
  ];
  const child = spawn(program, args, {
    cwd: options.cwd ?? repositoryRoot,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX);
    });
  const ended = once(child, 'close').then(([code]): number | null => code);
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    return ended;
  };
  const dispose = async (): Promise<void> => {
    const killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    await stop();
    clearTimeout(killing);
    if (ownFolder !== undefined) await rm(ownFolder, { recursive: true, force: true });
  };
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const file = await untilListening(join(home, 'daemon.json'), isOver);
  if (file === undefined) {
    await dispose();
    throw new Error(`plimsoll up did not come up:\n${output}`);
  }
  return { ...file, home, child, output: () => output, stop, [Symbol.asyncDispose]: dispose };
};

interface DaemonFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

/** A daemon publishes its address in <home>/daemon.json, which also works if a script has started it. */
const untilListening = async (path: string, isOver: () => boolean): Promise<DaemonFile | undefined> => {
  const deadlineMs = performance.now() + COME_UP_MS_MAX;
  while (!isOver() && performance.now() < deadlineMs) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text !== '') {
      const { url, token, pid }: DaemonFile = JSON.parse(text);
      if (isRunning(pid)) return { url, token, pid };
    }
    await delay(POLL_MS);
  }
  return undefined;
};

/** A probe of the processor would take all cores from the code under test. */
const PROBES_OFF = ['--probes', 'off'] as const;
const POLL_MS = 5;
const COME_UP_MS_MAX = 30_000;
const STOP_MS_MAX = 30_000;
const OUTPUT_CHARACTERS_MAX = 100_000;
