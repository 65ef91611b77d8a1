// Threads of the load process that misbehave: the run ends, reports what was lost, and is never complete.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { BENCH_SETTINGS, type BenchParts } from '../../../src/bench/run/bench-parts.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { benchExit } from '../../../src/cli/commands/bench.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { partsHere, requestHere } from '../../bench/run-here.ts';
import { longCases } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { expectInvariants } from './bench-here.ts';

const thread = (name: string): URL =>
  new URL(`../../bench/threads/faulty/${name}-worker.ts`, import.meta.url);

const requestOf = (url: string): BenchRequest =>
  requestHere(url, { pattern: { kind: 'concurrency', concurrency: 4 }, samplesMax: 100, model: undefined });

const partsFor = (folder: string, entries: BenchParts['entries']): BenchParts =>
  partsHere(folder, {
    // A busy machine holds threads up too, so only where a hang is looked for is the watch this short.
    settings: { ...BENCH_SETTINGS, heartbeatMsMax: isHang(entries) ? 2_500 : 20_000 },
    ...(entries === undefined ? {} : { entries }),
  });

const isHang = (entries: BenchParts['entries']): boolean =>
  entries?.loadWorker?.pathname.includes('hanging') === true;

const slow = { ttftMs: 10, gapMs: 50, outputTokens: 10_000 };

type Fault = readonly [name: string, entries: BenchParts['entries'], reason: string];

/** The others are in the quick run of test/bench/threads/lost-threads.test.ts, without the whole of a run around them. */
const THROWS: readonly Fault[] = [
  ['a load thread throws', { loadWorker: thread('throwing-load') }, 'a bug in the load thread'],
  ['a parse thread throws', { parseWorker: thread('throwing-parse') }, 'a bug in the parse thread'],
];
const EXITS_OR_HANGS: readonly Fault[] = [
  ['a load thread calls exit', { loadWorker: thread('exiting-load') }, 'exited with code 7'],
  [
    'a load thread never returns to its loop',
    { loadWorker: thread('hanging-load') },
    'did not return to its event loop',
  ],
];

test.each(longCases(THROWS, EXITS_OR_HANGS))(
  'when %s, the run ends incomplete and reports why',
  async (_, entries, reason) => {
    using folder = temporaryDirectory();
    await using mock = await startMock(slow);
    const { report, diskProblems } = await runBench(requestOf(mock.url), partsFor(folder.path, entries));
    expect(report.complete).toBe(false);
    expect(report.incompleteReason).toContain(reason);
    expect(report.interrupted).toBe(false);
    expectInvariants(report);
    expect(diskProblems).toEqual([]);
    expect(benchExit(report, { maxFailures: 1_000, needsTrustworthy: false, diskProblems })).toBe(
      'benchIncomplete',
    );
    // Neither is the one that is made again from the disk.
    expect(await rebuildReport(join(folder.path, 'run'))).toMatchObject({
      complete: false,
      runProblems: report.runProblems,
    });
  },
);

test('when a load thread does not start, there is nothing to report, and no folder is left', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock(slow);
  const running = runBench(requestOf(mock.url), partsFor(folder.path, { loadWorker: thread('broken-load') }));
  await expect(running).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('cannot start'),
  });
  await expect(rebuildReport(join(folder.path, 'run'))).rejects.toMatchObject({ code: 'no-run' });
});
