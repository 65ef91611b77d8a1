// Runs one tool's command to its end and returns its cost: its own time and that of all children that it started and
// waited for.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface PeerRun {
  readonly code: number | string;
  /** User and system time of the program and of all that it started and waited for. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** The end of what it wrote. */
  readonly reported: string;
}

/** A shell's `times` includes the children of a child; the group ends with it. */
export const runPeer = async (
  command: readonly string[],
  { folder, timeoutMs }: { readonly folder: string; readonly timeoutMs: number },
): Promise<PeerRun> => {
  const usePath = join(folder, 'times');
  const startedMs = performance.now();
  const child = spawn(
    'bash',
    ['-c', 'use=$1; shift; "$@"; code=$?; times > "$use"; exit $code', 'bash', usePath, ...command],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      cwd: folder,
    },
  );
  let reported = '';
  const receive = (text: string): void => {
    reported = (reported + text).slice(-4_000);
  };
  child.stdout.setEncoding('utf8').on('data', receive);
  child.stderr.setEncoding('utf8').on('data', receive);
  const killing = setTimeout(() => endGroup(child.pid), timeoutMs);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(killing);
  const wallSeconds = (performance.now() - startedMs) / 1e3;
  endGroup(child.pid);
  if (code === null)
    return { code: `${signal} after ${wallSeconds.toFixed(0)} s`, cpuSeconds: 0, wallSeconds, reported };
  return { code, cpuSeconds: childSeconds(readFileSync(usePath, 'utf8')), wallSeconds, reported };
};

/** Ends its process group, including child processes that are still running. */
const endGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
};

/** "0m1.230s 0m0.450s" of the shell, and beneath it of its children. */
const childSeconds = (times: string): number =>
  (times.trim().split('\n').at(-1) ?? '').split(/\s+/).reduce((sum, text) => {
    const [, minutes = '0', seconds = '0'] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
    return sum + 60 * Number(minutes) + Number(seconds);
  }, 0);
