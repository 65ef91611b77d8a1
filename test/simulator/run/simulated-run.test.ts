// Simulated runs in which threads, replies, messages, disks and processes fail.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isLongRun, longCount } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { runPlanOf } from './run-faults.ts';
import { RUN_MUTATIONS } from './run-mutations.ts';
import { simulateRun } from './simulate-run.ts';

/**
 * 4351: a snapshot that had missed some of the warm-up, and a kill. 6366, 12911: the last batch of a parse
 * thread was lost. 21345: the ring had no room for the issue of a request, and its reply was counted as that
 * of the warm-up. 60213, 24857: the record of the start was lost, and the run was never shown live. 101545: a
 * loss of the last 20 ms was not counted, and the report was marked as complete. 244852: a thread hung before
 * its first connection, and is given 30 s to start: the simulator took that for a run that is never shown.
 */
const ONCE_BROKEN = [4351, 6366, 12911, 21345, 24857, 60213, 101545, 244852];

const LONG_MS = 900_000;

describe('a simulated run', () => {
  const runs = longCount(12, 20_000);

  // Alone a machine simulates some 40 runs a second, next to the rest of the long test below 10.
  test(`keeps every invariant, ${runs} times or for 15 minutes`, { timeout: 1_200_000 }, async () => {
    using folder = temporaryDirectory();
    const beganAtMs = performance.now();
    let seed = 1;
    for (; seed <= runs && performance.now() - beganAtMs < LONG_MS; seed += 1) {
      const { broken } = await simulateRun(runPlanOf(seed), join(folder.path, 'run'));
      expect(broken, `npm run simulate -- --runs 1 --seed ${seed}`).toEqual([]);
    }
    const ended = seed - 1;
    const seconds = (performance.now() - beganAtMs) / 1_000;
    if (isLongRun)
      process.stdout.write(`${ended} simulated runs, ${(ended / seconds).toFixed(0)} a second\n`);
    expect(ended).toBeGreaterThanOrEqual(longCount(12, 1_000));
  });

  test.for(ONCE_BROKEN)('keeps every invariant where it once broke one: seed %i', async seed => {
    using folder = temporaryDirectory();
    expect((await simulateRun(runPlanOf(seed), join(folder.path, 'run'))).broken).toEqual([]);
  });

  test('repeats itself', async () => {
    using folder = temporaryDirectory();
    const again = () => simulateRun(runPlanOf(3), join(folder.path, 'run'));
    expect(await again()).toEqual(await again());
  });
});

test('the planted bugs of runs are those that docs/simulator.md lists', () => {
  const reported = [...readFileSync('docs/simulator.md', 'utf8').matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)];
  expect(reported.map(([, name, what]) => [name, what])).toEqual(
    Object.entries(RUN_MUTATIONS).map(([name, { what }]) => [name, what]),
  );
});

describe('a bug planted on purpose is found', () => {
  /** By what only one run in dozens comes to. */
  const rare = ['loss-not-counted', 'lost-thread-forgets', 'cancelled-forgotten', 'run-by-the-wall'];

  test.for(Object.entries(RUN_MUTATIONS))('%s', { timeout: 120_000 }, async ([name, mutation], { skip }) => {
    if (!isLongRun && rare.includes(name)) skip('up to 100 runs: in npm run test:long');
    using folder = temporaryDirectory();
    const found: string[] = [];
    for (let seed = 1; seed <= 100 && found.length === 0; seed += 1)
      found.push(...(await simulateRun(runPlanOf(seed), join(folder.path, 'run'), mutation)).broken);
    expect(found, mutation.what).not.toEqual([]);
  });
});
