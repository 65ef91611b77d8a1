// `npm run simulate -- --runs N --seed N`: runs one after another, until one breaks; its faults are made as few as still break it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatedRunPlan } from './run-faults.ts';
import { runPlanOf } from './run-faults.ts';
import type { RunMutation } from './run-mutations.ts';
import { simulateRun } from './simulate-run.ts';

/** @returns whether every invariant held. */
export const simulateRuns = async (
  {
    seed: first,
    runs,
    mutation,
  }: { readonly seed: number; readonly runs: number; readonly mutation: RunMutation },
  say: (line: string) => void,
): Promise<boolean> => {
  const home = mkdtempSync(join(tmpdir(), 'plimsoll-runs-'));
  const folder = join(home, 'run');
  const startedMs = performance.now();
  let [requests, faults, count] = [0, 0, 0];
  let isGood = true;
  for (let seed = first; seed < first + runs && isGood; seed += 1) {
    const plan = runPlanOf(seed);
    const outcome = await simulateRun(plan, folder, mutation);
    requests += outcome.requests;
    faults += outcome.faults;
    count += 1;
    isGood = outcome.broken.length === 0;
    for (const what of outcome.broken) say(`seed ${seed}: ${what}`);
    if (!isGood) say(JSON.stringify(await fewerFaults(plan, folder, mutation)));
  }
  rmSync(home, { recursive: true, force: true });
  const seconds = (performance.now() - startedMs) / 1_000;
  say(
    `${count} runs, ${requests} requests, ${faults} faults in ${seconds.toFixed(1)} s: ${(count / seconds).toFixed(1)} runs a second, ${isGood ? 'every invariant held' : 'broken'}`,
  );
  return isGood;
};

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
