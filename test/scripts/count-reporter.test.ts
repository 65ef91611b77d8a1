// Runs a real Vitest once over made-up test files, because what it calls a failure is not only a failed test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { repositoryRoot } from '../support/repository-root.ts';
import { type Counts, tally } from '../support/scripts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const FILES: Readonly<Record<string, string>> = {
  ordinary: `
    test('adds', () => expect(1 + 1).toBe(2));
    test('is wrong', () => expect(1).toBe(2));
    test('needs a browser', context => context.skip('no chromium'));
  `,
  unloadable: `import './not-there.mjs'; test('never runs', () => {});`,
  dying: `test('dies', () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); });`,
  hooked: `
    describe('with a hook', () => {
      afterAll(() => { throw new Error('hook broke'); });
      test('passes', () => {});
    });
  `,
  leaving: `
    test('leaves an error behind', async () => {
      const { promise, resolve } = Promise.withResolvers();
      setImmediate(() => { setImmediate(resolve); throw new Error('nobody caught me'); });
      await promise;
    });
  `,
};

let counts: Counts;
beforeAll(async () => {
  using folder = temporaryDirectory();
  const globals = `import { afterAll, describe, expect, test } from ${JSON.stringify(VITEST)};`;
  for (const [name, body] of Object.entries(FILES))
    writeFileSync(join(folder.path, `${name}.test.mjs`), `${globals}\n${body}`);
  const countsFile = join(folder.path, 'counts.json');
  const child = spawn(
    process.execPath,
    [
      join(repositoryRoot, 'node_modules/vitest/vitest.mjs'),
      'run',
      `--root=${folder.path}`,
      `--reporter=${join(repositoryRoot, 'scripts/count-reporter.mjs')}`,
    ],
    { cwd: folder.path, stdio: 'ignore', env: { ...process.env, PLIMSOLL_TEST_COUNTS: countsFile } },
  );
  await once(child, 'close');
  counts = tally.readCounts(countsFile);
});

const failuresOf = (name: string): readonly string[] =>
  counts.failed.filter(failure => failure.includes(`${name}.test.mjs`));

test('passed, failed and skipped tests are counted, and a skip keeps its reason', () => {
  expect(counts.passed).toBeGreaterThanOrEqual(2);
  expect(failuresOf('ordinary')).toEqual(['ordinary.test.mjs > is wrong']);
  expect(counts.skipped).toEqual([{ name: 'ordinary.test.mjs > needs a browser', reason: 'no chromium' }]);
  expect(counts).toMatchObject({ running: [], hasEnded: true });
});

test('a file that cannot be loaded is a failure, and one whose worker dies, which is named', () => {
  expect(failuresOf('unloadable')).toEqual([
    expect.stringContaining('unloadable.test.mjs > could not be loaded'),
  ]);
  expect(counts.failed).toContain('dying.test.mjs > dies (never finished)');
  expect(counts.failed.join('\n')).toMatch(/outside any test: .*SIGKILL.*dying/);
});

test('a hook that throws and an error outside any test are failures', () => {
  expect(failuresOf('hooked').join('\n')).toContain('hook broke');
  expect(counts.failed.join('\n')).toContain('outside any test: nobody caught me');
});

const VITEST = join(repositoryRoot, 'node_modules/vitest/dist/index.js');
