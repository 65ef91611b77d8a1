// Runs a demo for the command line: takes the state of the process, and turns errors into two lines and a code. A mock and a
// benchmark run as well; the cluster is shown without them too.

import { untilAborted } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import type { HostPort } from '../core/address/host-port.ts';
import { errorMessage } from '../core/problem.ts';
import { type Demo, startDemo } from '../daemon/demo/start-demo.ts';
import { spawnMock } from '../mock/spawn-mock.ts';
import { entryUrl } from '../process/entry.ts';
import { startOwnProcess } from '../process/own-process.ts';
import type { Scenario } from '../simulate/scenario/scenario.ts';
import { terminalText } from './command-error.ts';
import { asCommandError } from './daemon-start.ts';
import type { ProcessState } from './process-state.ts';

interface DemoRun {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly http: HostPort | undefined;
  readonly hasBench: boolean;
  readonly onStarted: (demo: Demo) => Promise<void>;
}

/** Until somebody asks it to stop. @throws CommandError when it cannot start. */
export const runDemo = async (state: ProcessState, run: DemoRun): Promise<void> => {
  await using demo = await startedDemo(state, run);
  const end = new AbortController();
  const until = AbortSignal.any([state.stop, end.signal]);
  const load = run.hasBench ? runDemoLoad(state, demo.home, until) : undefined;
  try {
    await run.onStarted(demo);
    await demo.daemon.stopped;
  } finally {
    end.abort();
    await load;
  }
};

/** Until the signal aborts. The cluster is shown without these processes too, so their failure is only reported. */
const runDemoLoad = async (
  { nodePath, env, stderr }: ProcessState,
  home: string,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await using mock = await spawnMock(MOCK, { nodePath, env, signal });
    await using bench = await startOwnProcess({
      entry: entryUrl(import.meta.url, './demo-bench-process.ts'),
      args: [mock.url, home],
      nodePath,
      env,
      readyTimeoutMs: READY_MS_MAX,
      signal,
    });
    await Promise.race([untilAborted(signal), mock.exited, bench.exited]);
    if (!signal.aborted)
      await stderr.write('plimsoll: the benchmark of the demo ended; the cluster continues.\n');
  } catch (error) {
    if (signal.aborted) return;
    const reason = errorMessage(error);
    await stderr.write(`plimsoll: the demo continues without its benchmark: ${reason}\n`);
  }
};

const startedDemo = async (state: ProcessState, { scenario, seed, http }: DemoRun): Promise<Demo> => {
  try {
    return await startDemo(
      {
        scenario,
        seed,
        http,
        name: undefined,
        env: state.env,
        clock: systemClock,
        platform: state.platform,
        root: '/',
        version: state.version,
        dashboardDir: state.dashboardDir,
        pid: state.pid,
        temporaryFolder: state.temporaryFolder,
        resources: () => state.resources(),
        onNotice: notice => void state.stderr.write(terminalText(notice)),
      },
      state.stop,
    );
  } catch (error) {
    throw asCommandError(error);
  }
};

/** A model of middling size: 80 ms to the first token, then about 80 tokens a second. */
const MOCK = { port: 0, models: ['demo-model'], ttftMs: 80, gapMs: 12, jitter: 0.3, outputTokens: 90 };
const READY_MS_MAX = 15_000;
