// `npm run simulate -- --runs N --seed N`: runs one after another, until one breaks; its faults are made as few as still break it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPlanOf, type SimulatedRunPlan } from './run-faults.ts';
import type { RunMutation } from './run-mutations.ts';
import { type RunsSoFar, RunsSoFarFile } from './runs-so-far.ts';
import { simulateRun } from './simulate-run.ts';

interface SimulatedRunsOptions {
  /** Of the first run; each other has the next. */
  readonly seed: number;
  readonly runs: number;
  readonly mutation: RunMutation;
  /** Stops then, and goes on where it stopped when it is called again. */
  readonly budgetMs?: number | undefined;
}

/** @returns whether every invariant held. */
export const simulateRuns = async (
  { seed: first, runs, mutation, budgetMs }: SimulatedRunsOptions,
  print: (line: string) => void,
): Promise<boolean> => {
  const home = mkdtempSync(join(tmpdir(), 'plimsoll-runs-'));
  const folder = join(home, 'run');
  const file = budgetMs === undefined ? undefined : new RunsSoFarFile(first);
  let done: RunsSoFar = file?.read() ?? { code: '', runs: 0, requests: 0, faults: 0, seconds: 0 };
  if (done.runs > 0) print(`${reported(done)} before; it goes on with seed ${first + done.runs}`);
  const startedMs = performance.now();
  const endsAtMs = startedMs + (budgetMs ?? Number.POSITIVE_INFINITY);
  const before = done.seconds;
  let isGood = true;
  while (done.runs < runs && isGood && performance.now() < endsAtMs) {
    const seed = first + done.runs;
    const plan = runPlanOf(seed);
    const outcome = await simulateRun(plan, folder, mutation);
    isGood = outcome.broken.length === 0;
    for (const what of outcome.broken) print(`seed ${seed}: ${what}`);
    if (!isGood) print(JSON.stringify(await fewerFaults(plan, folder, mutation)));
    done = {
      ...done,
      runs: done.runs + 1,
      requests: done.requests + outcome.requests,
      faults: done.faults + outcome.faults,
      seconds: before + (performance.now() - startedMs) / 1_000,
    };
    if (isGood && done.runs % RUNS_KEPT_EACH === 0) await file?.write(done);
  }
  if (isGood) await file?.write(done);
  rmSync(home, { recursive: true, force: true });
  print(`${reported(done)}, ${isGood ? 'every invariant held' : 'broken'}`);
  return isGood;
};

const reported = ({ runs, requests, faults, seconds }: RunsSoFar): string =>
  `${runs} runs, ${requests} requests, ${faults} faults in ${seconds.toFixed(1)} s: ${(runs / seconds).toFixed(1)} runs a second`;

const fewerFaults = async (
  plan: SimulatedRunPlan,
  folder: string,
  mutation: RunMutation,
): Promise<SimulatedRunPlan> => {
  for (const gone of plan.faults) {
    const fewer = { ...plan, faults: plan.faults.filter(fault => fault !== gone) };
    if ((await simulateRun(fewer, folder, mutation)).broken.length > 0)
      return await fewerFaults(fewer, folder, mutation);
  }
  return plan;
};

/** A series that is killed makes so many again. */
const RUNS_KEPT_EACH = 100;
