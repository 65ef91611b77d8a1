import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../support/repository-root.ts';
import { type Counts, tally } from '../support/scripts.ts';
import { temporaryFile } from '../support/temporary-file.ts';

const counts = (given: Partial<Counts>): Counts => ({
  passed: 0,
  failed: [],
  skipped: [],
  running: [],
  hasEnded: true,
  ...given,
});

const lastLine = (run: Parameters<typeof tally.addVitest>[1]): string => {
  const sum = tally.newTally();
  tally.addVitest(sum, run);
  return tally.tallyText(sum).trimEnd().split('\n').at(-1) ?? '';
};

test('the last line counts what passed, failed and was skipped', () => {
  const run = { passed: 3, failed: ['a > b'], skipped: [{ name: 'c', reason: 'no chromium' }] };
  expect(lastLine({ counts: counts(run), exitCode: 1, isNameFiltered: false })).toBe(
    '3 passed, 1 failed, 1 skipped',
  );
});

test('a skip is printed with its reason above the last line', () => {
  const sum = tally.newTally();
  const skipped = [{ name: 'c', reason: 'no chromium' }, { name: 'd' }];
  tally.addVitest(sum, { counts: counts({ passed: 1, skipped }), exitCode: 0, isNameFiltered: false });
  expect(tally.tallyText(sum)).toBe(
    '\nskipped: c: no chromium\nskipped: d: no reason given\n1 passed, 0 failed, 2 skipped\n',
  );
});

test('a vitest that crashed before it could report has failed', () => {
  const missing = tally.readCounts('/nowhere/counts.json');
  expect(lastLine({ counts: missing, exitCode: 139, isNameFiltered: false })).toBe(
    '0 passed, 1 failed, 0 skipped',
  );
});

test('a vitest that crashed half way has failed, and what it had found counts', () => {
  const sum = tally.newTally();
  const half = counts({ passed: 7, running: ['test/a.test.ts'], hasEnded: false });
  tally.addVitest(sum, { counts: half, exitCode: 139, isNameFiltered: false });
  expect(sum).toEqual({
    passed: 7,
    failed: ['vitest ended without a result (exit code 139), in test/a.test.ts'],
    skipped: [],
    listed: [],
    failedListed: [],
  });
});

test('a run in which no test ran has failed', () => {
  expect(lastLine({ counts: counts({}), exitCode: 0, isNameFiltered: false })).toBe(
    '0 passed, 1 failed, 0 skipped',
  );
});

test('an exit code that no failed test explains is a failure', () => {
  expect(lastLine({ counts: counts({ passed: 2 }), exitCode: 1, isNameFiltered: false })).toBe(
    '2 passed, 1 failed, 0 skipped',
  );
});

test('tests that a name filter left out are not skips', () => {
  const skipped = [{ name: 'left out' }, { name: 'said', reason: 'no chromium' }];
  expect(lastLine({ counts: counts({ passed: 1, skipped }), exitCode: 0, isNameFiltered: true })).toBe(
    '1 passed, 0 failed, 1 skipped',
  );
});

describe('a flaky test that is listed', () => {
  const listed = [
    { test: 'test/a.test.ts > waits', owner: 'Ada', since: '2026-11-27' },
    { test: 'test/b.test.ts > adds', owner: 'Ben', since: '2026-11-20' },
  ];

  test('does not fail the run, is named with its owner and date, and the last line counts the list', () => {
    const sum = tally.newTally(listed);
    const failed = ['test/a.test.ts > waits', 'test/a.test.ts > waits longer'];
    tally.addVitest(sum, { counts: counts({ passed: 5, failed }), exitCode: 1, isNameFiltered: false });
    expect(tally.tallyText(sum).trim().split('\n')).toEqual([
      'flaky, failed: test/a.test.ts > waits (Ada, listed 2026-11-27)',
      'failed: test/a.test.ts > waits longer',
      '5 passed, 1 failed, 0 skipped, 2 listed as flaky',
    ]);
  });

  test('explains the exit code of vitest', () => {
    const sum = tally.newTally(listed);
    const failed = ['test/b.test.ts > adds'];
    tally.addVitest(sum, { counts: counts({ passed: 5, failed }), exitCode: 1, isNameFiltered: false });
    expect(sum.failed).toEqual([]);
  });

  test.each([
    ['{}', 'is not a list'],
    ['[{"test":"adds","owner":"Ada","since":"2026-11-27"}]', 'an entry needs'],
    ['[{"test":"test/a.test.ts > adds","owner":"","since":"2026-11-27"}]', 'an entry needs'],
    ['[{"test":"test/a.test.ts > adds","owner":"Ada","since":"lately"}]', 'an entry needs'],
  ])('needs a name, an owner and a date: %s', (text, problem) => {
    using file = temporaryFile('flaky-tests.json', text);
    expect(() => tally.readFlakyList(file.path)).toThrow(problem);
  });

  test('is in a list that can be read, and its file exists', () => {
    for (const { test: name } of tally.readFlakyList(join(repositoryRoot, 'test/flaky-tests.json')))
      expect(existsSync(join(repositoryRoot, name.split(' > ')[0] ?? ''))).toBe(true);
  });
});
