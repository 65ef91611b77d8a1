// Parts of a run that die or are stopped while it goes on: it ends, nothing is left behind, nothing lost is called
// complete, and what is on disk can be reported again.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SAME_REQUEST_MS } from '../../../src/cli/process-state.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { exitName, expectInvariants, readReport } from './bench-here.ts';
import { type BenchProcess, childrenOf, spawnBench, untilGone } from './bench-process.ts';

const startMock = () =>
  spawnMock({ ttftMs: 20, gapMs: 5, outputTokens: 10 }, { nodePath: process.execPath, env: process.env });

/** Long enough that it never ends by itself before the test has done its worst. */
const long = ['--duration', '5m', '--concurrency', '4', '--events', 'on'];

/** Two lines with completed samples: figures have arrived, the load is under way. */
const underWay = async (run: BenchProcess): Promise<readonly number[]> => {
  await run.until(/measuring · \d+ issued · [1-9]/);
  return childrenOf(run.pid);
};

const samplesOf = (directory: string): number =>
  readFileSync(join(directory, 'samples.jsonl'), 'utf8')
    .split('\n')
    .filter(line => line.includes('"kind":"sample"')).length;

describe.concurrent('while a run goes on', { timeout: 120_000 }, () => {
  let mock: Awaited<ReturnType<typeof startMock>>;
  beforeAll(async () => {
    mock = await startMock();
  });
  afterAll(() => mock[Symbol.asyncDispose]());
  beforeEach(context => {
    if (process.platform !== 'linux') context.skip('children are found in /proc, which only Linux has');
  });

  test('SIGKILL of the aggregator ends it, incomplete, with the samples counted', async () => {
    using folder = temporaryDirectory();
    await using run = spawnBench(folder.path, [mock.url, ...long]);
    const children = await underWay(run);
    process.kill(await run.childPid('aggregator-process'), 'SIGKILL');
    expect(exitName(await run.ended)).toBe('benchIncomplete');
    const report = readReport(run.directory);
    expectInvariants(report);
    expect(report.complete).toBe(false);
    expect(report.incompleteReason).toMatch(/aggregator/);
    expect(run.output()).toContain('INCOMPLETE');
    expect(report.counts.completed).toBeGreaterThan(0);
    for (const pid of children) await untilGone(pid);
    // Every reported sample is in the file, and a report can be made from them.
    const again = await rebuildReport(run.directory);
    expect(again.complete).toBe(false);
    expect(again.counts.issued + again.warmup.issued).toBe(samplesOf(run.directory));
  });

  test('SIGKILL of the event logger changes nothing but the event log', async ({ skip }) => {
    if (!isLongRun) skip('one more run: in the long run');
    using folder = temporaryDirectory();
    await using run = spawnBench(folder.path, [
      mock.url,
      '--duration',
      '3s',
      '--concurrency',
      '4',
      '--events',
      'on',
    ]);
    await underWay(run);
    process.kill(await run.childPid('event-logger-process'), 'SIGKILL');
    expect(exitName(await run.ended)).toBe('ok');
    const report = readReport(run.directory);
    expectInvariants(report);
    expect(report.complete).toBe(true);
    expect(report.eventLogDropped).toBeGreaterThan(0);
    expect(report.notices.join('\n')).toMatch(/events\.jsonl/);
  });

  test.each(['aggregator-process', 'event-logger-process'])(
    'SIGKILL of the %s before it is ready ends the run in two lines, and leaves nothing',
    async name => {
      using folder = temporaryDirectory();
      await using run = spawnBench(folder.path, [mock.url, ...long]);
      process.kill(await run.childPid(name), 'SIGKILL');
      expect(exitName(await run.ended)).toBe('failure');
      expect(run.output()).toMatch(
        new RegExp(`^plimsoll: the run could not start: ${name}\\S* exited .*SIGKILL\n[^\n]+\n$`),
      );
      expect(existsSync(run.directory)).toBe(false);
    },
  );

  test('SIGTERM of its children alone changes nothing: the main process decides', async ({ skip }) => {
    if (!isLongRun) skip('one more run: in the long run');
    using folder = temporaryDirectory();
    await using run = spawnBench(folder.path, [
      mock.url,
      '--duration',
      '3s',
      '--concurrency',
      '4',
      '--events',
      'on',
    ]);
    for (const pid of await underWay(run)) process.kill(pid, 'SIGTERM');
    expect(exitName(await run.ended)).toBe('ok');
    const report = readReport(run.directory);
    expectInvariants(report);
    expect(report).toMatchObject({ complete: true, eventLogDropped: 0 });
  });

  test('SIGKILL of the main process leaves no child, and a report can be made of what is on disk', async () => {
    using folder = temporaryDirectory();
    await using run = spawnBench(folder.path, [mock.url, ...long]);
    const children = await underWay(run);
    expect(children.length).toBeGreaterThanOrEqual(2);
    process.kill(run.pid, 'SIGKILL');
    await run.ended;
    for (const pid of children) await untilGone(pid);
    const report = await rebuildReport(run.directory);
    expect(report.complete).toBe(false);
    expect(report.interrupted).toBe(true);
    expect(report.counts.completed).toBeGreaterThan(0);
    expect(report.counts.issued).toBeGreaterThanOrEqual(report.counts.completed);
  });

  test('after SIGKILL of a run of sessions its report has those in think time as cut, and no unfinished turn as done', async ({
    skip,
  }) => {
    if (!isLongRun) skip('one more run: in the long run');
    using folder = temporaryDirectory();
    // Each session sends one turn, then its think time is longer than the test.
    const chats = ['--turns', '3', '--think-time', '1h', '--concurrency', '4', '--duration', '5m'];
    await using run = spawnBench(folder.path, [mock.url, ...chats]);
    await run.until(/measuring · 4 issued · 4/);
    const children = childrenOf(run.pid);
    process.kill(run.pid, 'SIGKILL');
    await run.ended;
    for (const pid of children) await untilGone(pid);
    const { complete, sessions } = await rebuildReport(run.directory);
    expect(complete).toBe(false);
    expect(sessions?.sessions).toEqual({ begun: 4, completed: 0, failed: 0, cut: 4 });
    expect(sessions?.turns).toEqual({ planned: 12, issued: 4, skipped: 0, unresolved: 8 });
    expect(sessions?.durationNs).toMatchObject({ reason: 'no session was completed' });
  });

  test('a run that lost its aggregator and then its main process is not called complete', async ({
    skip,
  }) => {
    if (!isLongRun) skip('one more run: in the long run');
    using folder = temporaryDirectory();
    await using run = spawnBench(folder.path, [mock.url, ...long]);
    const children = await underWay(run);
    process.kill(await run.childPid('aggregator-process'), 'SIGKILL');
    // All samples have their line, and nobody has an account of the run.
    await run.until(/ended ·/);
    process.kill(run.pid, 'SIGKILL');
    await run.ended;
    for (const pid of children) await untilGone(pid);
    const report = await rebuildReport(run.directory);
    expect(report).toMatchObject({ complete: false, source: 'samples-file' });
    expectInvariants(report);
    expect(report.counts.completed).toBeGreaterThan(0);
    expect(report.counts.cancelled).toBeGreaterThan(0);
  });

  // Both signals in the long run only: Node delivers them in the same way.
  test.each(isLongRun ? (['SIGINT', 'SIGTERM'] as const) : (['SIGTERM'] as const))(
    '%s of the main process stops it, with a report that reports it',
    async signal => {
      using folder = temporaryDirectory();
      await using run = spawnBench(folder.path, [mock.url, ...long]);
      const children = await underWay(run);
      process.kill(run.pid, signal);
      expect(exitName(await run.ended)).toBe('benchInterrupted');
      const report = readReport(run.directory);
      expectInvariants(report);
      expect(report).toMatchObject({
        complete: false,
        interrupted: true,
        state: 'interrupted',
        source: 'complete-message',
      });
      // Nothing was lost: everything that was sent is completed, failed or cancelled.
      expect(report.counts.unresolved).toBe(0);
      expect(report.counts.cancelled).toBeGreaterThan(0);
      expect(report.counts.failed).toBe(0);
      expect(run.output()).toContain('INTERRUPTED');
      for (const pid of children) await untilGone(pid);
      const again = await rebuildReport(run.directory);
      expect(again).toMatchObject({ complete: false, interrupted: true, counts: report.counts });
    },
  );

  // Ctrl-C in a terminal, a terminal that is closed, `timeout` and service managers.
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s that every process of its group gets stops it just so',
    async (signal, { skip }) => {
      if (!isLongRun) skip('the next test sends all of them: in the long run');
      using folder = temporaryDirectory();
      await using run = spawnBench(folder.path, [mock.url, ...long]);
      const children = await underWay(run);
      for (const pid of [...children, run.pid]) process.kill(pid, signal);
      expect(exitName(await run.ended)).toBe('benchInterrupted');
      const report = readReport(run.directory);
      expectInvariants(report);
      expect(report).toMatchObject({ interrupted: true, source: 'complete-message', eventLogDropped: 0 });
      expect(report.counts.unresolved).toBe(0);
      expect(report.counts.cancelled).toBeGreaterThan(0);
      for (const pid of children) await untilGone(pid);
    },
  );

  // As `timeout` does, to its child and then to the group, and service managers that send SIGHUP behind SIGTERM.
  test('signals that come together are one request to stop', async () => {
    using folder = temporaryDirectory();
    await using run = spawnBench(folder.path, [mock.url, ...long]);
    const children = await underWay(run);
    for (const pid of [run.pid, ...children])
      for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.kill(pid, signal);
    expect(exitName(await run.ended)).toBe('benchInterrupted');
    const report = readReport(run.directory);
    expectInvariants(report);
    expect(report).toMatchObject({ interrupted: true, source: 'complete-message' });
    expect(report.counts).toMatchObject({ unresolved: 0, failed: 0 });
    expect(report.counts.cancelled).toBeGreaterThan(0);
  });

  test('a second Ctrl-C waits for nobody, and still reports', async () => {
    using folder = temporaryDirectory();
    await using run = spawnBench(folder.path, [mock.url, ...long]);
    const children = await underWay(run);
    // An aggregator that hangs is what one does not want to wait for.
    const aggregator = await run.childPid('aggregator-process');
    process.kill(aggregator, 'SIGSTOP');
    process.kill(run.pid, 'SIGINT');
    await run.until(/(stopping|ended) ·/);
    // A signal that arrives sooner counts as the same request.
    await delay(SAME_REQUEST_MS);
    process.kill(run.pid, 'SIGINT');
    expect(exitName(await run.ended)).toBe('benchInterrupted');
    for (const pid of children) await untilGone(pid);
    const report = readReport(run.directory);
    expectInvariants(report);
    expect(report).toMatchObject({ complete: false, interrupted: true, source: 'samples-file' });
    expect(report.counts.completed).toBeGreaterThan(0);
  });
});
