// A whole sweep against the mock: its directory, its early end, and resuming it after any end.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import type { MockOptions } from '../../../src/mock/mock-settings.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { reportFromJson, sweepDocumentFromJson } from '../../../src/wire/stored-json.ts';
import { isLongRun } from '../../support/counts.ts';
import { documentFaults } from '../../support/published-schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { spawnBench } from './bench-process.ts';

const startMock = (options: MockOptions = {}) =>
  spawnMock(
    // A closed loop of a faster server keeps both processors busy.
    { ttftMs: 25, gapMs: 0, outputTokens: 2, ...options },
    { nodePath: process.execPath, env: process.env },
  );

const documentOf = (directory: string) =>
  sweepDocumentFromJson(readFileSync(join(directory, 'sweep.json'), 'utf8'));

const reportOf = (directory: string, stage: string) =>
  reportFromJson(readFileSync(join(directory, stage, 'report.json'), 'utf8'));

const stagesIn = (directory: string) =>
  readdirSync(directory)
    .filter(name => name.startsWith('stage-'))
    .sort();

describe.concurrent('plimsoll sweep', () => {
  test('runs each load as a run of its own, all of it answered, and prints one table and one chart', async () => {
    await using mock = await startMock();
    using folder = temporaryDirectory();
    await using sweep = spawnBench(
      folder.path,
      [
        mock.url,
        '--concurrency',
        '1,3',
        '--duration',
        '700ms',
        '--pause',
        '1ms',
        '--slo',
        'ttft=10s',
        '--name',
        'two',
      ],
      'sweep',
    );
    expect(await sweep.ended).toBe(EXIT_CODES.ok.code);
    const document = documentOf(sweep.directory);
    expect(await documentFaults(document)).toEqual([]);
    expect(document).toMatchObject({
      state: 'complete',
      name: 'two',
      attainment: 0.95,
      objectives: ['ttft=10s'],
      requested: [1, 3].map(concurrency => ({ kind: 'concurrency', concurrency })),
    });
    expect(document.endedEarly).toBe(undefined);
    expect(stagesIn(sweep.directory)).toEqual(['stage-01', 'stage-02']);
    for (const { directory, load, runId } of document.stages) {
      const report = reportOf(sweep.directory, directory);
      expect(report).toMatchObject({ complete: true, counts: { unresolved: 0, cancelled: 0 } });
      expect(report.run).toMatchObject({ id: runId, pattern: load });
    }
    const text = readFileSync(join(sweep.directory, 'sweep.txt'), 'utf8');
    for (const reported of [text, sweep.output()]) {
      expect(reported).toMatch(/objectives +ttft=10s for 95\s% of requests\n/u);
      expect(reported).toMatch(/ stage +load +result[^\n]*\n +1 +1 at a time[^\n]*\n +2 +3 at a time/);
      expect(reported.match(/█/g)?.length).toBeGreaterThan(20);
    }
  });

  test('ends early where the queue grows, and reports which loads it has not tried', async ({ skip }) => {
    if (!isLongRun) skip('a queue takes its time to grow: in npm run test:long');
    await using mock = await startMock({ ttftMs: 20, concurrencyMax: 1 });
    using folder = temporaryDirectory();
    await using sweep = spawnBench(
      folder.path,
      [
        mock.url,
        '--rates',
        '5,200,400',
        '--duration',
        '5s',
        '--pause',
        '1ms',
        '--no-warmup',
        '--model',
        'mock-model',
      ],
      'sweep',
    );
    expect(await sweep.ended).toBe(EXIT_CODES.ok.code);
    const document = documentOf(sweep.directory);
    expect(document.stages.map(({ number }) => number)).toEqual([1, 2]);
    const figures = document.stages[1]?.figures;
    // Not its 5 s, and not the 20 s that its queue would take.
    if (figures === undefined || isUnknown(figures)) throw new Error('the second stage has no figures');
    expect(figures.elapsedNs).toBeLessThan(4.9e9);
    expect(figures.issued).toBeLessThan(900);
    expect(document.endedEarly).toContain('400/s was not tried');
    expect(reportOf(sweep.directory, 'stage-02')).toMatchObject({ counts: { unresolved: 0 } });
  });

  test('after a kill -9 in the middle of a stage goes on with that stage, and keeps what it left', async () => {
    await using mock = await startMock();
    using folder = temporaryDirectory();
    const args = [
      mock.url,
      '--concurrency',
      '1,2,3',
      '--duration',
      '1500ms',
      '--pause',
      '1ms',
      '--seed',
      '7',
    ];
    await using killed = spawnBench(folder.path, args, 'sweep');
    await killed.until(/Stage 2 of 3 has begun/);
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended;
    const { directory } = killed;
    const before = documentOf(directory);
    expect(before.state).toBe('running');
    const [first] = before.stages;
    const kept = statSync(join(directory, 'stage-01', 'report.json')).mtimeMs;

    await using resumed = spawnBench(folder.path, ['--resume', directory], 'sweep');
    // Nobody else may be at work in it.
    await resumed.until(/Stages 1 are kept/);
    await using second = spawnBench(folder.path, ['--resume', directory], 'sweep');
    expect(await second.ended).toBe(EXIT_CODES.benchRunDirectory.code);
    expect(second.output()).toContain('sweep is at work in it');

    expect(await resumed.ended).toBe(EXIT_CODES.ok.code);
    const after = documentOf(directory);
    expect(after).toMatchObject({ state: 'complete', id: before.id, command: before.command });
    expect(after.stages.map(({ number, seed }) => [number, seed])).toEqual([
      [1, 7],
      [2, 8],
      [3, 9],
    ]);
    expect(after.stages[0]).toEqual(first);
    expect(statSync(join(directory, 'stage-01', 'report.json')).mtimeMs).toBe(kept);
    expect(stagesIn(directory)).toEqual(['stage-01', 'stage-02', 'stage-02.cut-off-1', 'stage-03']);
    for (const { directory: stage } of after.stages) expect(reportOf(directory, stage).complete).toBe(true);
  });

  test('that is stopped reports it, and goes on only as it was asked for', async ({ skip }) => {
    if (!isLongRun) skip('one more whole sweep: in the long run');
    await using mock = await startMock();
    using folder = temporaryDirectory();
    const args = [mock.url, '--concurrency', '1,2', '--duration', '20s', '--header', 'x-key: secret'];
    await using sweep = spawnBench(folder.path, args, 'sweep');
    await sweep.until(/Stage 1 of 2 has begun/);
    process.kill(sweep.pid, 'SIGINT');
    expect(await sweep.ended).toBe(EXIT_CODES.benchInterrupted.code);
    const { directory } = sweep;
    expect(documentOf(directory)).toMatchObject({ state: 'stopped' });
    expect(readFileSync(join(directory, 'sweep.json'), 'utf8')).not.toContain('secret:');
    await using without = spawnBench(folder.path, ['--resume', directory], 'sweep');
    expect(await without.ended).toBe(EXIT_CODES.usage.code);
    expect(without.output()).toContain('the sweep was given --header, which is stored nowhere');
    await using other = spawnBench(folder.path, ['--resume', directory, '--concurrency', '1,2,3'], 'sweep');
    expect(await other.ended).toBe(EXIT_CODES.usage.code);
    expect(other.output()).toContain('--resume and --concurrency cannot be combined');
  });

  test('of a server that is not there leaves nothing behind', async () => {
    using folder = temporaryDirectory();
    await using sweep = spawnBench(folder.path, ['http://127.0.0.1:9', '--concurrency', '1,2'], 'sweep');
    expect(await sweep.ended).toBe(EXIT_CODES.benchUnreachable.code);
    expect(existsSync(sweep.directory)).toBe(false);
  });
});
