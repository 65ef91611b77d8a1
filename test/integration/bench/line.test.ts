// A search for a load line against the mock, as a person starts and stops it: its directory, its text and its exit codes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { isKnown } from '../../../src/core/unknown.ts';
import type { MockOptions } from '../../../src/mock/mock-settings.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { lineDocumentFromJson, reportFromJson } from '../../../src/wire/stored-json.ts';
import { isLongRun } from '../../support/counts.ts';
import { documentFaults } from '../../support/published-schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type BenchProcess, spawnBench } from './bench-process.ts';

const startMock = (options: MockOptions = {}) =>
  spawnMock(
    { ttftMs: 5, gapMs: 0, outputTokens: 2, ...options },
    { nodePath: process.execPath, env: process.env },
  );

const documentOf = ({ directory }: BenchProcess) =>
  lineDocumentFromJson(readFileSync(join(directory, 'line.json'), 'utf8'));

const textOf = ({ directory }: BenchProcess): string => readFileSync(join(directory, 'line.txt'), 'utf8');

describe.concurrent('plimsoll line', { timeout: 120_000 }, () => {
  test('--by concurrency searches requests in flight, each load a run of its own, up to the most it may try', async ({
    skip,
  }) => {
    if (!isLongRun) skip('a whole search: in npm run test:long');
    await using mock = await startMock();
    using folder = temporaryDirectory();
    await using line = spawnBench(folder.path, [mock.url, '--by', 'concurrency', '--load-max', '2'], 'line');
    expect(await line.ended, line.output()).toBe(EXIT_CODES.ok.code);
    const document = documentOf(line);
    expect(document).toMatchObject({
      state: 'complete',
      by: 'concurrency',
      line: { kind: 'at-least', holds: 2, limit: 'load-max' },
    });
    const loads = document.stages.map(({ load }) => (load.kind === 'concurrency' ? load.concurrency : 0));
    expect(new Set(loads)).toEqual(new Set([1, 2]));
    for (const { directory, load, runId } of document.stages) {
      const report = reportFromJson(readFileSync(join(line.directory, directory, 'report.json'), 'utf8'));
      expect(report).toMatchObject({ complete: true, counts: { unresolved: 0 } });
      expect(report.run).toMatchObject({ id: runId, pattern: load });
    }
    expect(textOf(line)).toMatch(
      /^Carries at least 2 requests in flight at error rate ≤ 5.%; no higher load was requested\.\n/u,
    );
    expect(line.output()).toMatch(/^Stage 1 at 1 at a time: held; p95 /m);
    expect(line.output()).toContain('Carries at least 2 requests in flight');
  });

  test('on Ctrl-C ends with 13 and keeps what is known: a whole line.json, its text, a report of each stage', async () => {
    await using mock = await startMock();
    using folder = temporaryDirectory();
    const args = [mock.url, '--budget', '10m'];
    await using line = spawnBench(folder.path, args, 'line');
    await line.until(/Stage 1 at/);
    process.kill(line.pid, 'SIGINT');
    expect(await line.ended, line.output()).toBe(EXIT_CODES.benchInterrupted.code);
    const document = documentOf(line);
    expect(await documentFaults(document)).toEqual([]);
    expect(document.state).toBe('stopped');
    expect(document.progress).toBe(undefined);
    expect(document.stages.length).toBeGreaterThanOrEqual(1);
    for (const { directory, state, verdict } of document.stages) {
      expect(state).toBe('ended');
      expect(isKnown(verdict)).toBe(true);
      const report = reportFromJson(readFileSync(join(line.directory, directory, 'report.json'), 'utf8'));
      expect(report.counts.unresolved).toBe(0);
    }
    expect(textOf(line)).toMatch(/^STOPPED: /);
    expect(line.output()).toContain('STOPPED: ');
  });

  test('after a kill -9 continues after the stages that ended, and only with its own options', async () => {
    await using mock = await startMock();
    using folder = temporaryDirectory();
    const args = [mock.url, '--budget', '10m', '--slo', 'ttft.p95=40ms', '--seed', '7'];
    await using killed = spawnBench(folder.path, args, 'line');
    await killed.until(/Stage 2 at/);
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    const { directory } = killed;
    const before = documentOf(killed);
    expect(before.state).toBe('running');
    const ended = before.stages;

    await using other = spawnBench(folder.path, ['--resume', directory, '--slo', 'ttft.p95=1s'], 'line');
    expect(await other.ended).toBe(EXIT_CODES.usage.code);
    expect(other.output()).toContain('--resume and --slo cannot be combined');

    await using resumed = spawnBench(folder.path, ['--resume', directory], 'line');
    await resumed.until(new RegExp(`Stage ${ended.length + 1} at`));
    process.kill(resumed.pid, 'SIGINT');
    expect(await resumed.ended, resumed.output()).toBe(EXIT_CODES.benchInterrupted.code);
    expect(resumed.output()).not.toContain('Stage 1 at');
    expect(resumed.output()).toContain(`plimsoll line --resume ${directory}\n`);
    const after = documentOf(killed);
    expect(await documentFaults(after)).toEqual([]);
    expect(after).toMatchObject({ id: before.id, startedAt: before.startedAt, command: before.command });
    expect(after.stages.slice(0, ended.length)).toEqual(ended);
    expect(after.stages.map(({ seed }) => seed)).toEqual(after.stages.map((_, index) => 7 + index));
  });

  test('ends with 22 where one request at a time already misses, and reports it', async ({ skip }) => {
    if (!isLongRun) return skip('a minute of searching: in npm run test:long');
    await using mock = await startMock({ ttftMs: 200 });
    using folder = temporaryDirectory();
    await using line = spawnBench(folder.path, [mock.url, '--slo', 'ttft.p95=100ms'], 'line');
    expect(await line.ended, line.output()).toBe(EXIT_CODES.benchNoLoad.code);
    expect(documentOf(line).line).toMatchObject({ kind: 'none', failsBy: 'objective' });
    expect(textOf(line)).toMatch(/^Carries no load .*not even one request at a time/);
  });

  test('ends with 21 where the budget is over before a load is decided', async ({ skip }) => {
    if (!isLongRun) return skip('a minute of searching: in npm run test:long');
    await using mock = await startMock({ ttftMs: 100 });
    using folder = temporaryDirectory();
    const args = [mock.url, '--slo', 'ttft.p99.9=120ms', '--budget', '10s'];
    await using line = spawnBench(folder.path, args, 'line');
    expect(await line.ended, line.output()).toBe(EXIT_CODES.benchTooFew.code);
    expect(documentOf(line).state).toBe('complete');
  });
});
