// Runs a benchmark for the command line: takes the state of the process, returns views and a report, and turns errors into two
// lines and a code. Loaded late, because it loads ZeroMQ.

import { join, resolve } from 'node:path';
import type { BenchResult } from '../../bench/run/bench-parts.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { HomeError, openHome } from '../../config/home.ts';
import type { KeptCall } from '../../core/run/provenance.ts';
import type { Reported } from '../../core/unknown.ts';
import { agentsRun } from '../agent/load-agents.ts';
import { citedCalibration } from '../calibrate/calibrated-machine.ts';
import type { LoadStart } from '../load-start.ts';
import type { ProcessState } from '../process-state.ts';
import { asBenchCommandError, benchProcess, newRun, runningDaemon } from './bench-process.ts';
import { type DisplayMode, RunDisplay } from './run-display.ts';
import { energyRuns } from './run-energy.ts';
import { judgedRuns } from './run-headroom.ts';
import { RunObservers } from './run-observers.ts';
import { runProvenance } from './run-provenance.ts';

export interface BenchStart extends LoadStart {
  /** What to type to run it again, without secrets. */
  readonly command: Reported<string>;
  /** The same, to be kept with the run. */
  readonly call: Reported<KeptCall>;
  readonly mode: DisplayMode;
}

export interface BenchEnd extends BenchResult {
  readonly directory: string;
  /** Notices that the person received in addition to the report. */
  readonly notices: readonly string[];
}

/** @throws CommandError when there is nothing to report. */
export const startBench = async (state: ProcessState, start: BenchStart): Promise<BenchEnd> => {
  const { request, home } = start;
  const started = newRun(start.id);
  const directory =
    start.out === undefined ? join(home, 'runs', started.runId) : resolve(state.cwd, start.out);
  await using display = new RunDisplay({
    mode: start.mode,
    stdout: state.stdout,
    clock: systemClock,
    footer: 'Ctrl-C stops the run and reports on what was done.',
  });
  for (const notice of start.notices) display.notice(notice);
  await using observers = new RunObservers(state, {
    home,
    directory,
    limits: request,
    display,
    isElsewhere: start.out !== undefined,
  });
  try {
    await useHome(start, observers);
    const run = judgedRuns(
      state,
      { home, facts: start.facts },
      energyRuns(state, home, agentsRun(state, home, start.agents)),
    );
    const result = await run(request, {
      ...benchProcess(state),
      ...started,
      command: start.command,
      provenance: await runProvenance(state, start),
      reported: citedCalibration(home, state),
      directory,
      stop: AbortSignal.any([state.stop, observers.stopRequested]),
      stopNow: state.takeSecondStop(),
      observer: observers,
      isLookedAt: start.mode !== 'nothing' || (await runningDaemon(home, state)) !== undefined,
    });
    await observers.ended(result);
    await display.close();
    return { ...result, directory, notices: display.notices };
  } catch (error) {
    await display.close();
    throw asBenchCommandError(error);
  }
};

/** A run that is kept elsewhere needs no home, but only there `plimsoll watch` can find it. */
const useHome = async ({ home, out }: BenchStart, observers: RunObservers): Promise<void> => {
  try {
    await openHome(home);
  } catch (error) {
    if (out === undefined || !(error instanceof HomeError)) throw error;
    observers.withoutHome(error.problem.problem);
  }
};
