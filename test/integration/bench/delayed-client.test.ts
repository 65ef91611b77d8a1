// A load generator that is stopped or throttled while a run is in progress, in closed loop, where no schedule shows that it was
// late: the kernel takes the timestamps, so that figures stay right or include the truth, and the verdict is on the load.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { isByKernel, stampsText } from '../../../src/core/run/arrival-stamps.ts';
import type { ReportClient } from '../../../src/core/run/report.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { exitName, readReport } from './bench-here.ts';
import { type BenchProcess, spawnBench } from './bench-process.ts';
import { judgedFigures, outsideOf } from './bounds-hold.ts';

const startMock = (ttftMs: number) =>
  spawnMock(
    { ttftMs, gapMs: 5, outputTokens: 10, stampsWrites: true },
    { nodePath: process.execPath, env: process.env },
  );

/** The log contains when the run began, for the comparison with what the mock sent. */
const closedLoop = ['--duration', '6s', '--concurrency', '4', '--require-trustworthy', '--events', 'on'];

describe('a client that is held up in closed loop', { timeout: 120_000 }, () => {
  beforeEach(context => {
    if (process.platform !== 'linux') context.skip('processes are stopped by signals that only Unix has');
  });

  /** For so long: the length of the pause is what the test is about, it waits for nothing. */
  const stopped = async (run: BenchProcess, durationMs: number): Promise<void> => {
    process.kill(run.pid, 'SIGSTOP');
    await delay(durationMs);
    process.kill(run.pid, 'SIGCONT');
  };

  test.for([
    ['while nothing comes, because the server thinks', 1_500],
    ...(isLongRun ? ([['while replies come', 20]] as const) : []),
  ] as const)(
    'loads less than was requested when it was stopped for seconds %s',
    async ([, ttftMs], context) => {
      using folder = temporaryDirectory();
      await using mock = await startMock(ttftMs);
      await using run = spawnBench(folder.path, [mock.url, ...closedLoop]);
      await run.until(/measuring · \d+ issued/);
      await stopped(run, 2_000);
      const exit = exitName(await run.ended);
      const { client, complete, run: ran } = readReport(run.directory);
      if (!isByKernel(ran.stamps)) return context.skip(stampsText(ran.stamps));
      const stolen = stolenReason(client);
      if (stolen !== undefined) return context.skip(stolen);
      expect(exit).toBe('benchClientBound');
      expect(complete).toBe(true);
      expect(client.reasons).toEqual([
        expect.stringMatching(/^users waited \d+% of their time for this client/),
      ]);
      expect(client.eventLoopDelayNs).toMatchObject({ max: expect.toSatisfy(ns => ns > 1_900_000_000) });
      const figures = await judgedFigures(mock.url, run.directory);
      // Much less than the two seconds: the kernel stamped what arrived meanwhile.
      expect(Math.max(...figures.map(({ error }) => error))).toBeLessThan(2_000_000_000);
      expect(outsideOf(figures)).toEqual([]);
    },
  );

  test('has figures that are right or have an interval when it was stopped for 200 ms', async context => {
    using folder = temporaryDirectory();
    await using mock = await startMock(20);
    await using run = spawnBench(folder.path, [mock.url, ...closedLoop]);
    await run.until(/measuring · \d+ issued/);
    await stopped(run, 200);
    await run.ended;
    const { client, run: ran } = readReport(run.directory);
    if (!isByKernel(ran.stamps)) return context.skip(stampsText(ran.stamps));
    const stolen = stolenReason(client);
    if (stolen !== undefined) return context.skip(stolen);
    // Next to other tests, users may wait longer than the pause; nothing else counts.
    expect(client.reasons.filter(reason => !reason.startsWith('users waited'))).toEqual([]);
    // A part of the pause is before the next look was due.
    expect(client.eventLoopDelayNs).toMatchObject({ max: expect.toSatisfy(ns => ns > 100_000_000) });
    expect(outsideOf(await judgedFigures(mock.url, run.directory))).toEqual([]);
  });

  test('has figures that are right or have an interval when a quota leaves it a tenth of a processor', async context => {
    if (!isLongRun) context.skip('eight seconds of being throttled: in npm run test:long');
    const group = new QuotaGroup(`plimsoll-test-${process.pid}`);
    if (!group.isMade) context.skip('control groups with a processor quota cannot be made here');
    using _gone = group;
    using folder = temporaryDirectory();
    await using mock = await startMock(20);
    await using run = spawnBench(folder.path, [mock.url, ...closedLoop]);
    await run.until(/measuring · \d+ issued/);
    group.take(run.pid);
    const exit = exitName(await run.ended);
    const { client, run: ran } = readReport(run.directory);
    if (!isByKernel(ran.stamps)) return context.skip(stampsText(ran.stamps));
    const stolen = stolenReason(client);
    if (stolen !== undefined) return context.skip(stolen);
    expect(client.throttledShare).toSatisfy(share => typeof share === 'number' && share > 0.05);
    const isBound = client.verdict === 'client-bound';
    expect(exit).toBe(isBound ? 'benchClientBound' : 'success');
    expect(client.reasons).toEqual(
      isBound ? [expect.stringMatching(/^users waited .* a quota throttled the client for \d+%/)] : [],
    );
    expect(outsideOf(await judgedFigures(mock.url, run.directory))).toEqual([]);
  });
});

/** What a test cannot keep others from: then the timestamps of the kernel are late, too. */
const stolenReason = ({ reasons }: ReportClient): string | undefined =>
  reasons.find(reason => reason.startsWith('the hypervisor took'));

/** A control group of version 1 or 2 with a tenth of a processor. */
class QuotaGroup implements Disposable {
  readonly isMade: boolean;
  readonly #path: string;

  constructor(name: string) {
    const parent = PARENTS.find(({ control }) => existsSync(control));
    this.#path = `${parent?.folder}/${name}`;
    this.isMade = parent !== undefined && this.#make(parent.quota);
  }

  take(pid: number): void {
    writeFileSync(`${this.#path}/cgroup.procs`, String(pid));
  }

  [Symbol.dispose](): void {
    if (this.isMade) rmdirSync(this.#path);
  }

  #make(quota: (typeof PARENTS)[number]['quota']): boolean {
    try {
      mkdirSync(this.#path);
    } catch {
      return false;
    }
    try {
      for (const [file, value] of quota) writeFileSync(`${this.#path}/${file}`, value);
      return true;
    } catch {
      rmdirSync(this.#path);
      return false;
    }
  }
}

const PARENTS = [
  {
    folder: '/sys/fs/cgroup/cpu',
    control: '/sys/fs/cgroup/cpu/cpu.cfs_quota_us',
    quota: [
      ['cpu.cfs_period_us', '100000'],
      ['cpu.cfs_quota_us', '10000'],
    ],
  },
  {
    folder: '/sys/fs/cgroup',
    control: '/sys/fs/cgroup/cgroup.subtree_control',
    quota: [['cpu.max', '10000 100000']],
  },
] as const;
