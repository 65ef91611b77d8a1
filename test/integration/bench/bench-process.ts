// `plimsoll bench` as a process of its own, from source, for tests that kill its parts. Children are found in /proc.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnv } from '../../support/child-env.ts';
import { PROGRAM } from '../../support/program.ts';

export interface BenchProcess extends AsyncDisposable {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly directory: string;
  readonly home: string;
  output(): string;
  /** Resolves once the output matches. */
  until(pattern: RegExp): Promise<void>;
  /** The id of a child of ours whose command line has this text. */
  childPid(text: string): Promise<number>;
  /** Resolves with the exit code once it has ended. */
  readonly ended: Promise<number | null>;
}

export const spawnBench = (
  folder: string,
  args: readonly string[],
  command: 'bench' | 'sweep' | 'line' | 'capture' = 'bench',
): BenchProcess => {
  const directory = join(folder, 'run');
  const home = join(folder, 'home');
  const directories = [
    '--home',
    home,
    ...(args.includes('--out') || args.includes('--resume') ? [] : ['--out', directory]),
  ];
  const child = spawn(process.execPath, [PROGRAM, command, ...args, ...directories], {
    env: childEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const wakes = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output += text;
      for (const wake of [...wakes]) wake();
    });
  const pid = child.pid ?? 0;
  const ended = once(child, 'close').then(([code]): number | null => code);
  return {
    pid,
    child,
    directory,
    home,
    output: () => output,
    until: async pattern => {
      while (!pattern.test(output)) {
        if (child.exitCode !== null) throw new Error(`it ended before it said ${pattern}:\n${output}`);
        const woken = Promise.withResolvers<void>();
        wakes.add(woken.resolve);
        await Promise.race([woken.promise, ended]);
        wakes.delete(woken.resolve);
      }
    },
    childPid: async text => {
      while (child.exitCode === null) {
        const found = childrenOf(pid).find(id => commandLine(id).includes(text));
        if (found !== undefined) return found;
        await delay(POLL_MS);
      }
      throw new Error(`it ended before it had a child ${text}:\n${output}`);
    },
    ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
};

export const childrenOf = (pid: number): readonly number[] =>
  readOr(`/proc/${pid}/task/${pid}/children`).trim().split(/\s+/).filter(Boolean).map(Number);

/** '' when the process is gone or a zombie. */
const commandLine = (pid: number): string => readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

/** Resolves when the process is gone; the test's own time limit bounds it. */
export const untilGone = async (pid: number): Promise<void> => {
  while (commandLine(pid) !== '') await delay(POLL_MS);
};

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const POLL_MS = 10;
