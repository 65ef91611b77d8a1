import { describe, expect, test } from 'vitest';
import { type Counts, tally } from '../support/scripts.ts';

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
    unsteady: [],
    skipped: [],
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

describe('failed tests are repeated by themselves', () => {
  const failed = ['test/a.test.ts > one', 'test/a.test.ts > two > three', 'test/b.test.ts > four'];

  test('by file, where they are few and the run had an end', () => {
    const { filesToRepeat } = tally;
    expect(filesToRepeat(counts({ failed }))).toEqual(['test/a.test.ts', 'test/b.test.ts']);
    expect(filesToRepeat(counts({ passed: 3 }))).toEqual([]);
    expect(filesToRepeat(counts({ failed, hasEnded: false }))).toEqual([]);
    expect(
      filesToRepeat(counts({ failed: [...failed, 'test/c.test.ts > 5', 'test/c.test.ts > 6'] })),
    ).toHaveLength(3);
    expect(filesToRepeat(counts({ failed: [...failed, ...failed] }))).toEqual([]);
    expect(filesToRepeat(counts({ failed: [...failed, 'outside any test: gone'] }))).toEqual([]);
  });

  test('and what passes then is counted as passed and named', () => {
    const again = counts({ passed: 9, failed: ['test/b.test.ts > another'] });
    const sum = tally.newTally();
    const settled = tally.withRepeated(counts({ passed: 1, failed }), again);
    tally.addVitest(sum, { counts: settled, exitCode: 1, isNameFiltered: false });
    expect(tally.tallyText(sum).trim().split('\n')).toEqual([
      'unsteady: failed beside other tests, passed by itself: test/a.test.ts > one',
      'unsteady: failed beside other tests, passed by itself: test/a.test.ts > two > three',
      'failed: test/b.test.ts > four',
      '3 passed, 1 failed, 0 skipped',
    ]);
  });

  test('a repetition that crashed, ran nothing or skipped the test excuses nothing', () => {
    const first = counts({ passed: 1, failed });
    const skipped = failed.map(name => ({ name, reason: 'no such device' }));
    expect(tally.withRepeated(first, counts({ passed: 3, skipped }))).toEqual({ ...first, unsteady: [] });
    expect(tally.withRepeated(first, counts({}))).toEqual(first);
    expect(tally.withRepeated(first, counts({ passed: 3, hasEnded: false }))).toEqual(first);
  });
});
