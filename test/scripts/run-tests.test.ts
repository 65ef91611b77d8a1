// `npm test` over made-up tools: what runs, and its last lines.

import { expect, test } from 'vitest';
import { MadeUpCheckout } from '../support/made-up-checkout.ts';

const ENDS_WELL = 'process.exit(0);';
/** As count-reporter.mjs leaves it while a file runs. */
const HANGS = `
  import { writeFileSync } from 'node:fs';
  const counts = { passed: 5, failed: [], skipped: [], running: ['test/slow.test.ts'], hasEnded: false };
  writeFileSync(process.env.PLIMSOLL_TEST_COUNTS, JSON.stringify(counts));
  setInterval(() => {}, 1000);`;

const checkoutWith = async (vitest: string): Promise<MadeUpCheckout> => {
  const checkout = await MadeUpCheckout.make({ isInstalled: true, daemon: ENDS_WELL });
  await checkout.write('node_modules/svelte-check/bin/svelte-check', ENDS_WELL);
  await checkout.write('node_modules/@biomejs/biome/bin/biome', ENDS_WELL);
  await checkout.write('scripts/words/check.mjs', '');
  await checkout.write('node_modules/vitest/vitest.mjs', vitest);
  return checkout;
};

test('a run that the watchdog ends reports it, where it hung, and what had passed', async () => {
  await using checkout = await checkoutWith(HANGS);
  const ended = await checkout.test({ PLIMSOLL_TEST_MINUTES_MAX: '0.01' }).ended;
  expect(ended.code).toBe(1);
  expect(ended.stdout).toContain(
    'failed: the watchdog killed vitest, which had not finished after 0.01 minutes, in test/slow.test.ts.',
  );
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('9 passed, 1 failed, 0 skipped');
});

test('a vitest that something else killed is not called overdue', async () => {
  await using checkout = await checkoutWith(`process.kill(process.pid, 'SIGKILL');`);
  const ended = await checkout.test().ended;
  expect(ended.stdout).toContain('failed: vitest ended without a result (exit code 137)');
  expect(ended.stdout).not.toContain('watchdog');
});

/** Writes down that it ran, with its filters. */
const PASSES = `
  import { appendFileSync, writeFileSync } from 'node:fs';
  appendFileSync('notes', 'vitest ' + process.argv.slice(2).filter(one => !one.startsWith('--')).join(' ') + '\\n');
  const counts = { passed: 7, failed: [], skipped: [], running: [], hasEnded: true };
  writeFileSync(process.env.PLIMSOLL_TEST_COUNTS, JSON.stringify(counts));`;

test('everything is built, checked and run once, and the last line counts all of it', async () => {
  await using checkout = await checkoutWith(PASSES);
  const ended = await checkout.test().ended;
  expect(ended.code).toBe(0);
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('11 passed, 0 failed, 0 skipped');
  // tsc builds, then checks.
  expect((await checkout.notes()).toSorted()).toEqual(['tsc', 'tsc', 'vite', 'vite', 'vite', 'vitest run']);
});

test.each([
  [['mock/mock-options'], 'vitest run mock/mock-options'],
  [['-t', 'adds'], 'vitest run -t adds'],
])('with the filter %j nothing is built or checked', async (filter, ran) => {
  await using checkout = await checkoutWith(PASSES);
  const ended = await checkout.test({}, filter).ended;
  expect(await checkout.notes()).toEqual([ran]);
  expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('7 passed, 0 failed, 0 skipped');
});

const FAILS = `
  import { appendFileSync, writeFileSync } from 'node:fs';
  appendFileSync('notes', 'vitest\\n');
  const counts = { passed: 7, failed: ['test/slow.test.ts > waits'], skipped: [], running: [], hasEnded: true };
  writeFileSync(process.env.PLIMSOLL_TEST_COUNTS, JSON.stringify(counts));
  process.exit(1);`;

test('a failed test runs once and has failed, unless it is listed as flaky', async () => {
  await using checkout = await checkoutWith(FAILS);
  const ended = await checkout.test({}, ['slow']).ended;
  expect(await checkout.notes()).toEqual(['vitest']);
  expect(ended.stdout).toMatch(/while these tests ran, the processors .* were \d+ % busy/);
  expect(ended.stdout.trimEnd().split('\n').slice(-2)).toEqual([
    'failed: test/slow.test.ts > waits',
    '7 passed, 1 failed, 0 skipped',
  ]);
  expect(ended.code).toBe(1);
  const entry = { test: 'test/slow.test.ts > waits', owner: 'Ada', since: '2026-11-27' };
  await checkout.write('test/flaky-tests.json', JSON.stringify([entry]));
  const again = await checkout.test({}, ['slow']).ended;
  expect(again.stdout.trimEnd().split('\n').slice(-2)).toEqual([
    'flaky, failed: test/slow.test.ts > waits (Ada, listed 2026-11-27)',
    '7 passed, 0 failed, 0 skipped, 1 listed as flaky',
  ]);
  expect(again.code).toBe(0);
});
