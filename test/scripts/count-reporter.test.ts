// Runs a real Vitest over made-up test files, because what it calls a failure is not only a failed test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../support/repository.ts';
import { type Counts, tally } from '../support/scripts.ts';

test('passed, failed and skipped tests are counted, and a skip keeps its reason', async () => {
  const counts = await countsOf(`
    test('adds', () => expect(1 + 1).toBe(2));
    test('is wrong', () => expect(1).toBe(2));
    test('needs a browser', context => context.skip('no chromium'));
  `);
  expect(counts).toEqual({
    passed: 1,
    failed: ['made-up-0.test.mjs > is wrong'],
    skipped: [{ name: 'made-up-0.test.mjs > needs a browser', reason: 'no chromium' }],
    running: [],
    hasEnded: true,
  });
});

test('a file that cannot be loaded is a failure, and one whose worker dies, which is named', async () => {
  const { passed, failed } = await countsOf(
    `import './not-there.mjs'; test('never runs', () => {});`,
    `test('dies', () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); });`,
    `test('has nothing to do with them', () => {});`,
  );
  expect(passed).toBe(1);
  expect(failed).toHaveLength(3);
  const told = failed.join('\n');
  expect(told).toContain('made-up-0.test.mjs > could not be loaded');
  expect(told).toContain('made-up-1.test.mjs > dies (never finished)');
  expect(told).toMatch(/outside any test: .*SIGKILL.*made-up-1/);
});

test('a hook that throws and an error outside any test are failures', async () => {
  const counts = await countsOf(`
    describe('with a hook', () => {
      afterAll(() => { throw new Error('hook broke'); });
      test('passes', () => {});
    });
    test('leaves an error behind', async () => {
      const { promise, resolve } = Promise.withResolvers();
      setImmediate(() => { setImmediate(resolve); throw new Error('nobody caught me'); });
      await promise;
    });
  `);
  expect(counts.failed.join('\n')).toContain('hook broke');
  expect(counts.failed.join('\n')).toContain('outside any test: nobody caught me');
});

const countsOf = async (...bodies: readonly string[]): Promise<Counts> => {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-reporter-'));
  try {
    const globals = `import { afterAll, describe, expect, test } from ${JSON.stringify(VITEST)};`;
    for (const [index, body] of bodies.entries())
      await writeFile(join(folder, `made-up-${index}.test.mjs`), `${globals}\n${body}`);
    const countsFile = join(folder, 'counts.json');
    const child = spawn(
      process.execPath,
      [
        join(repositoryRoot, 'node_modules/vitest/vitest.mjs'),
        'run',
        `--root=${folder}`,
        `--reporter=${join(repositoryRoot, 'scripts/count-reporter.mjs')}`,
      ],
      { cwd: folder, stdio: 'ignore', env: { ...process.env, PLIMSOLL_TEST_COUNTS: countsFile } },
    );
    await once(child, 'close');
    return tally.readCounts(countsFile);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const VITEST = join(repositoryRoot, 'node_modules/vitest/dist/index.js');
