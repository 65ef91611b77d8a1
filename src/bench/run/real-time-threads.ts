// Load threads that run before every program of ordinary priority: Linux's real-time class "round robin". The kernel
// reserves a twentieth of each second for other programs (sched(7), sched_rt_runtime_us), so a busy load thread
// cannot block a machine.

import { readdir, readFile } from 'node:fs/promises';
import { lastLine } from '../../core/text/single-line.ts';
import { type Env, runTool } from '../../process/child.ts';

/** @returns one sentence for the report: that they have it, or why not. @throws only the signal's reason */
export const makeLoadThreadsRealTime = async (options: {
  readonly env: Env;
  readonly signal: AbortSignal;
}): Promise<string> => {
  const refused = (reason: string): string =>
    `the load threads ran as every program does, though --real-time was asked for: ${reason}`;
  const threads = await loadThreads();
  if (threads.length === 0)
    return refused('the system does not name the threads of a process, as Linux does');
  for (const thread of threads) {
    const result = await runTool('chrt', ['--rr', '--pid', '1', thread], {
      ...options,
      timeoutMs: CHRT_MS_MAX,
    });
    if (result.kind !== 'exited') return refused(result.reason);
    if (result.code !== 0) return refused(lastLine(result.stderr) || `chrt ended with ${result.code}`);
  }
  return 'the load threads ran before every other program of this machine (--real-time, SCHED_RR)';
};

/** Linux keeps 15 bytes of a thread's name. */
const loadThreads = async (): Promise<readonly string[]> => {
  const tasks = await readdir('/proc/self/task').catch(() => []);
  const named = await Promise.all(
    tasks.map(async task => {
      const name = await readFile(`/proc/self/task/${task}/comm`, 'utf8').catch(() => '');
      return name.startsWith(LOAD_THREAD_NAME) ? [task] : [];
    }),
  );
  return named.flat();
};

/** Name of the worker in src/bench/threads. */
const LOAD_THREAD_NAME = 'plimsoll load ';
const CHRT_MS_MAX = 2_000;
