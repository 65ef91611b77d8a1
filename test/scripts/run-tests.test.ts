// `npm test` over made-up tools: what its last lines say of a Vitest that hangs.

import { expect, test } from 'vitest';
import { MadeUpCheckout } from '../support/made-up-checkout.ts';

const ENDS_WELL = 'process.exit(0);';
/** As count-reporter.mjs leaves it while a file runs. */
const HANGS = `
  import { writeFileSync } from 'node:fs';
  const told = { passed: 5, failed: [], skipped: [], running: ['test/slow.test.ts'], hasEnded: false };
  writeFileSync(process.env.PLIMSOLL_TEST_COUNTS, JSON.stringify(told));
  setInterval(() => {}, 1000);`;

const checkoutWith = async (vitest: string): Promise<MadeUpCheckout> => {
  const checkout = await MadeUpCheckout.make({ isInstalled: true, daemon: ENDS_WELL });
  await checkout.write('node_modules/svelte-check/bin/svelte-check', ENDS_WELL);
  await checkout.write('node_modules/@biomejs/biome/bin/biome', ENDS_WELL);
  await checkout.write('node_modules/vitest/vitest.mjs', vitest);
  return checkout;
};

test('a run that the watchdog ends says so, where it hung, and what had passed', async () => {
  await using checkout = await checkoutWith(HANGS);
  const ended = await checkout.test({ PLIMSOLL_TEST_MINUTES_MAX: '0.01' }).ended;
  expect(ended.code).toBe(1);
  expect(ended.stdout).toContain(
    'failed: the watchdog killed vitest, which had not finished after 0.01 minutes, in test/slow.test.ts.',
  );
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('8 passed, 1 failed, 0 skipped');
});

test('a vitest that something else killed is not called overdue', async () => {
  await using checkout = await checkoutWith(`process.kill(process.pid, 'SIGKILL');`);
  const ended = await checkout.test().ended;
  expect(ended.stdout).toContain('failed: vitest ended without a result (exit code 137)');
  expect(ended.stdout).not.toContain('watchdog');
});

/** Fails beside others; by itself, as its arguments say, it passes. */
const UNSTEADY = `
  import { writeFileSync } from 'node:fs';
  const alone = ['test/slow.test.ts', '--no-file-parallelism', '--maxConcurrency=1'];
  const isAlone = alone.every(argument => process.argv.includes(argument));
  const failed = isAlone ? [] : ['test/slow.test.ts > waits'];
  const told = { passed: isAlone ? 4 : 7, failed, skipped: [], running: [], hasEnded: true };
  writeFileSync(process.env.PLIMSOLL_TEST_COUNTS, JSON.stringify(told));
  process.exit(failed.length);`;

test('a failed file runs once more by itself, and a test that passes then is named', async () => {
  await using checkout = await checkoutWith(UNSTEADY);
  const ended = await checkout.test({ PLIMSOLL_TEST_QUIET_SECONDS_MAX: '0' }).ended;
  expect(ended.stdout).toContain('by itself once more: test/slow.test.ts');
  // Once for each try.
  expect(ended.stdout.match(/while these tests ran, the processors .* were \d+ % busy/g)).toHaveLength(2);
  expect(ended.stdout.trimEnd().split('\n').slice(-2)).toEqual([
    'unsteady: failed beside other tests, passed by itself: test/slow.test.ts > waits',
    '11 passed, 0 failed, 0 skipped',
  ]);
  expect(ended.code).toBe(0);
});
