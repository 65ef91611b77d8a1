// `npm run simulate -- [--seed N] [--hours H] [--nodes N] [--mutation NAME] [--plan FILE]`, or
// `--runs N [--seed N] [--mutation NAME | --budget 30m]`: simulated clusters in which
// everything goes wrong, one seed after another, until so many simulated hours have passed. A plan that breaks something is
// made small, written into a file and ends it.

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseDurationMs } from '../../src/core/figure/parse-figure.ts';
import { minimise } from './minimise.ts';
import { MUTATIONS, NO_MUTATION } from './mutations.ts';
import { NO_RUN_MUTATION, RUN_MUTATIONS } from './run/run-mutations.ts';
import { simulateRuns } from './run/simulate-runs.ts';
import { simulate } from './simulate.ts';
import { type Plan, planOf } from './step.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    hours: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '30' },
    mutation: { type: 'string' },
    plan: { type: 'string' },
    runs: { type: 'string' },
    budget: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const listed = (mutations: Readonly<Record<string, { readonly what: string }>>): string =>
  Object.entries(mutations)
    .map(([name, { what }]) => `  ${name.padEnd(25)} ${what}\n`)
    .join('');

if (values.help) {
  process.stdout.write(
    `npm run simulate -- [--seed N] [--hours H] [--nodes N] [--minutes M] [--plan FILE] [--mutation NAME]: clusters
npm run simulate -- --runs N [--seed N] [--mutation NAME | --budget 30m]: benchmark runs; with a budget it stops
  then, and goes on where it stopped when it is called again
What each does: docs/simulator.md.

Mutations of clusters:
${listed(MUTATIONS)}
Mutations of runs:
${listed(RUN_MUTATIONS)}`,
  );
  process.exit(0);
}

/** The planted bug asked for, of those that there are. */
const plantedOf = <T>(mutations: Readonly<Record<string, T>>, none: T, whose: string): T => {
  const mutation = values.mutation === undefined ? none : mutations[values.mutation];
  if (mutation !== undefined) return mutation;
  process.stderr.write(
    `There is no mutation ${values.mutation} of ${whose}. There are: ${Object.keys(mutations).join(', ')}.\n`,
  );
  process.exit(2);
};

const numberOf = (name: 'seed' | 'hours' | 'nodes' | 'minutes' | 'runs'): number => {
  const number = Number(values[name]);
  if (Number.isFinite(number) && number >= 0) return number;
  process.stderr.write(`--${name} ${values[name]} is not a number.\n`);
  process.exit(2);
};

if (values.runs !== undefined) {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const mutation = plantedOf(RUN_MUTATIONS, NO_RUN_MUTATION, 'runs');
  if (values.budget !== undefined && values.mutation !== undefined) {
    process.stderr.write('--budget keeps runs without a planted bug; leave --mutation out.\n');
    process.exit(2);
  }
  const budget = values.budget === undefined ? undefined : parseDurationMs(values.budget);
  if (budget?.kind === 'wrong') {
    process.stderr.write(`--budget: ${budget.problem}\n`);
    process.exit(2);
  }
  const isGood = await simulateRuns(
    { seed: numberOf('seed'), runs: numberOf('runs'), mutation, budgetMs: budget?.value },
    print,
  );
  process.exit(isGood ? 0 : 1);
}

const mutation = plantedOf(MUTATIONS, NO_MUTATION, 'clusters');

const run = async (plan: Plan): Promise<boolean> => {
  const outcome = await simulate(plan, mutation);
  virtualMs += outcome.virtualMs;
  measured += outcome.measured;
  for (const what of outcome.broken.slice(0, 10)) process.stdout.write(`seed ${plan.seed}: ${what}\n`);
  return outcome.broken.length > 0;
};

const planIn = (file: string): Plan => JSON.parse(readFileSync(file, 'utf8'));

const startedMs = performance.now();
let [virtualMs, measured, simulations] = [0, 0, 0];
let isBroken = false;
if (values.plan !== undefined) {
  simulations = 1;
  isBroken = await run(planIn(values.plan));
} else {
  const shape = { nodes: numberOf('nodes'), durationMs: numberOf('minutes') * 60_000 };
  for (let seed = numberOf('seed'); virtualMs < numberOf('hours') * 3_600_000 && !isBroken; seed += 1) {
    const plan = planOf(seed, shape);
    simulations += 1;
    isBroken = await run(plan);
    if (!isBroken) continue;
    const small = await minimise(plan, async tried => (await simulate(tried, mutation)).broken.length > 0);
    const file = `simulation-${seed}.json`;
    writeFileSync(file, `${JSON.stringify(small, undefined, 1)}\n`);
    process.stdout.write(
      `seed ${seed}: ${small.steps.length} of ${plan.steps.length} steps are enough: ${file}; again with --plan ${file}\n`,
    );
  }
}
const hours = virtualMs / 3_600_000;
const seconds = (performance.now() - startedMs) / 1_000;
process.stdout.write(
  `${simulations} simulations, ${hours.toFixed(2)} simulated hours in ${seconds.toFixed(1)} s (${((hours * 3_600) / seconds).toFixed(0)} × real time), ${measured} links measured, ${isBroken ? 'broken' : 'every invariant held'}\n`,
);
process.exitCode = isBroken ? 1 : 0;
