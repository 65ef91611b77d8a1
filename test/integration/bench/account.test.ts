import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, expectInvariants } from './bench-here.ts';

const mockOptions = { ttftMs: 5, gapMs: 1, outputTokens: 5 };

interface MockAccount {
  readonly requests: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly outputTokens: number;
}

const logOf = async (url: string): Promise<MockAccount> => {
  const account: MockAccount = JSON.parse(await (await fetch(`${url}/mock/log?entries=0`)).text());
  return account;
};

describe('the account of a run', { timeout: 120_000 }, () => {
  test.each([
    ...(isLongRun
      ? [
          { streams: 1, requests: 20 },
          { streams: 100, requests: 300 },
        ]
      : []),
    { streams: 1_000, requests: 2_000 },
  ])(
    "at $streams streams is the server's own account",
    { timeout: 120_000 },
    async ({ streams, requests }) => {
      using folder = temporaryDirectory();
      await using mock = await spawnMock(
        { ...mockOptions, failure: 'http-500', failEvery: 10 },
        { nodePath: process.execPath, env: process.env },
      );
      const run = await benchHere(folder.path, [
        mock.url,
        ...['--requests', String(requests), '--concurrency', String(streams), '--warmup', '10'],
        ...['--max-failures', String(requests)],
      ]);
      const report = run.report();
      const log = await logOf(mock.url);
      expect(report.incompleteReason).toBeUndefined();
      expect(run.exit).toBe('ok');
      expectInvariants(report);
      expect(report.counts.issued).toBe(requests);
      expect(report.warmup.issued).toBe(10);
      expect(log.requests).toBe(requests + 10);
      expect(log.outcomes['completed']).toBe(report.counts.completed + report.warmup.completed);
      expect(log.outcomes['http-status']).toBe(report.counts.failed + report.warmup.failed);
      expect(report.errors).toEqual({ 'http-status': report.counts.failed });
      expect(Number(report.series['outputTokens']?.total) + 5 * report.warmup.completed).toBe(
        log.outputTokens,
      );
      const lines = readFileSync(join(run.directory, 'samples.jsonl'), 'utf8').trimEnd().split('\n');
      expect(lines).toHaveLength(requests + 10 + 1);
      // The report that is rebuilt from the files on disk alone is the same.
      const again = await rebuildReport(run.directory);
      expect(again.counts).toEqual(report.counts);
      expect(again.series['latencyNs']?.total).toBe(report.series['latencyNs']?.total);
    },
  );

  test.each([
    ...(isLongRun ? [['--rate', '200', '--requests', '60']] : []),
    ['--rate', '200', '--arrival', 'constant', '--requests', '60'],
    ['--max-throughput', '--requests', '60'],
    ['--streaming', 'off', '--requests', '60'],
    ['--rate', '100', '--duration', '500ms'],
  ])('of %s %s %s %s balances', async (...args) => {
    using folder = temporaryDirectory();
    await using mock = await spawnMock(mockOptions, { nodePath: process.execPath, env: process.env });
    const run = await benchHere(folder.path, [mock.url, ...args, '--events', 'off']);
    const report = run.report();
    expect(report.incompleteReason).toBeUndefined();
    expect(run.exit).toBe('ok');
    expectInvariants(report);
    const log = await logOf(mock.url);
    expect(log.requests).toBe(report.counts.issued + report.warmup.issued);
    if (args.includes('--requests')) expect(report.counts.completed).toBe(60);
    // Poisson: 50 arrivals in half a second, give or take five standard deviations.
    else expect(Math.abs(report.counts.issued - 50)).toBeLessThan(36);
  });
});
