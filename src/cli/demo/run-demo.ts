// Runs a demo for the command line: what the process knows goes in, what can go wrong becomes two lines and a code.

import { systemClock } from '../../clock/system-clock.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { Demo } from '../../daemon/demo/start-demo.ts';
import { startDemo } from '../../daemon/demo/start-demo.ts';
import { terminalText } from '../command-error.ts';
import { asCommandError } from '../daemon-start.ts';
import type { ProcessState } from '../process-state.ts';
import { runDemoLoad } from './demo-load.ts';

export interface DemoRun {
  readonly nodeCount: number;
  readonly seed: number;
  readonly hasFaults: boolean;
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

const startedDemo = async (
  state: ProcessState,
  { nodeCount, seed, hasFaults, http }: DemoRun,
): Promise<Demo> => {
  try {
    return await startDemo(
      {
        nodeCount,
        seed,
        hasFaults,
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
