// The benchmark of the demo in its own process: one `plimsoll bench` after another against the mock, into the demo's home, so
// that its daemon receives each like any other; other patterns and limits each time, light enough for a notebook during a
// presentation. It ends with its parent, however the parent ended.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../clock/system-clock.ts';
import { reportParent, watchParent } from '../process/parent-watch.ts';
import { benchCommand } from './commands/bench.ts';
import { readProcessState } from './process-state.ts';
import { runCommand } from './run-command.ts';

/** Of `plimsoll bench`, behind the target. */
const ROUNDS: readonly (readonly string[])[] = [
  ['--rate', '6', '--duration', '45s', '--slo', 'ttft=500ms'],
  ['--concurrency', '8', '--duration', '30s'],
  ['--rate', '10', '--arrival', 'constant', '--duration', '40s', '--slo', 'latency=3s'],
];
/** So many follow each other closely, so that the list of runs fills; then it is calmer. */
const QUICK_ROUNDS = 6;
/** Kept on disk; older ones go. */
const DEMO_RUNS_MAX = 20;

const state = readProcessState();
const [target = '', home = ''] = state.args;
const parent = watchParent(state.env);
const { stop } = state;
// Nobody reads the report of a run that is cut short here: at once, and the processes of the run follow.
for (const signal of parent.kind === 'watching' ? [stop, parent.signal] : [stop])
  signal.addEventListener('abort', () => state.exit(0), { once: true });

const runs = async (): Promise<void> => {
  for (let round = 0; !stop.aborted; round += 1) {
    const options = ROUNDS[round % ROUNDS.length] ?? [];
    const common = ['--events', 'off', '--quiet', '--seed', String(42 + round)];
    const args = ['bench', target, '--home', home, ...options, ...common];
    await runCommand([benchCommand], { ...state, args });
    await forgetOldRuns();
    await systemClock.sleep(round < QUICK_ROUNDS ? 3_000 : 60_000, stop);
  }
};

const forgetOldRuns = async (): Promise<void> => {
  const folder = join(home, 'runs');
  const names = (await readdir(folder)).sort();
  for (const name of names.slice(0, Math.max(0, names.length - DEMO_RUNS_MAX)))
    await rm(join(folder, name), { recursive: true, force: true });
};

reportParent(state.env, { pid: state.pid });
try {
  await runs();
} catch (error) {
  if (!stop.aborted) throw error;
}
state.exit(0);
