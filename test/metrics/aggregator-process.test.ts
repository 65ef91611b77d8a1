// The aggregator as a process: its final account arrives by message and on disk, and none of what happens to it, its disk
// or its parent is called complete.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { MetricsSnapshot } from '../../src/core/run/snapshot.ts';
import { finalSnapshot } from '../../src/metrics/report-sources.ts';
import { snapshotFromJson } from '../../src/wire/snapshot-codec.ts';
import { isRunning } from '../support/process-ids.ts';
import { named } from '../support/run-metrics.ts';
import { complete, issued, session } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type RunningAggregator, runningAggregator } from './running-aggregator.ts';

const BEGINNING = [session('session.started'), session('session.start_performance_tracking')];
const END = session('session.ended', 1_000);
const SIGNAL = AbortSignal.timeout(600_000);

const fileOf = (directory: string): MetricsSnapshot =>
  snapshotFromJson(readFileSync(join(directory, 'final_snapshot.json'), 'utf8'));

const finalOf = (run: RunningAggregator, directory: string) =>
  finalSnapshot({ snapshots: run.snapshots, aggregatorExited: run.child.exited, directory, signal: SIGNAL });

describe('the process of the aggregator', () => {
  test('delivers the same complete account by message and on disk, and ends', async () => {
    using directory = temporaryDirectory();
    await using run = await runningAggregator(directory.path);
    run.send(...BEGINNING, issued(1, 10), complete(1, 500));
    run.send(END);
    const { snapshot, source } = await finalOf(run, directory.path);
    expect(source).toBe('complete-message');
    expect(snapshot).toEqual(fileOf(directory.path));
    expect(snapshot).toMatchObject({ state: 'complete', pendingTasks: 0 });
    expect(await run.child.exited).toMatchObject({ code: 0, stderr: '', lastMessage: { kind: 'final' } });
    expect(readdirSync(directory.path)).toEqual(['final_snapshot.json']);
  });

  test('ends when its parent asks, with an interrupted account of what it had', async () => {
    using directory = temporaryDirectory();
    await using run = await runningAggregator(directory.path);
    run.send(...BEGINNING, issued(1, 10));
    await run.until(counters => counters.get('samplesIssued') === 1);
    await run.child.stop(20_000);
    expect(fileOf(directory.path).state).toBe('interrupted');
    const { snapshot } = await finalOf(run, directory.path);
    expect(snapshot?.state).toBe('interrupted');
  });

  test('takes records after an interrupt until the session ends, and is interrupted then', async () => {
    using directory = temporaryDirectory();
    await using run = await runningAggregator(directory.path);
    run.send(...BEGINNING, issued(1, 10));
    await run.until(counters => counters.get('samplesIssued') === 1);
    run.child.interrupt();
    run.send(complete(1, 500, { outcome: 'cancelled' }), END);
    expect(await run.child.exited).toMatchObject({ code: 0 });
    const { state, metrics } = fileOf(directory.path);
    expect(state).toBe('interrupted');
    expect(named(metrics).counters).toMatchObject({ trackedSamplesCancelled: 1 });
  });

  test('leaves signals to its parent, which gets the same ones', async () => {
    using directory = temporaryDirectory();
    await using run = await runningAggregator(directory.path);
    run.send(...BEGINNING, issued(1, 10));
    await run.until(counters => counters.get('samplesIssued') === 1);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(run.child.pid, signal);
    run.send(complete(1, 500), END);
    expect(await run.child.exited).toMatchObject({ code: 0, lastMessage: { state: 'complete' } });
  });

  test('leaves its last live snapshot when it is killed, and that is never called complete', async () => {
    using directory = temporaryDirectory();
    await using run = await runningAggregator(directory.path);
    run.send(...BEGINNING, issued(1, 10));
    await run.until(counters => counters.get('samplesIssued') === 1);
    await run.child.kill();
    const { snapshot, source } = await finalOf(run, directory.path);
    expect(source).toBe('live-snapshot');
    expect(snapshot?.state).toBe('live');
    expect(readdirSync(directory.path)).toEqual([]);
  });

  test('reports by message that its file could not be written', async () => {
    using directory = temporaryDirectory();
    mkdirSync(join(directory.path, 'final_snapshot.json', 'in the way'), { recursive: true });
    await using run = await runningAggregator(directory.path);
    run.send(...BEGINNING, END);
    const { snapshot, source } = await finalOf(run, directory.path);
    expect(source).toBe('complete-message');
    expect(named(snapshot?.metrics ?? []).counters['finalFileFailed']).toBe(1);
    const exit = await run.child.exited;
    expect(exit.stderr).toMatch(/final_snapshot\.json: /);
    expect(readdirSync(directory.path)).toEqual(['final_snapshot.json']);
  });

  test('refuses at once to work towards a folder that is not there', async () => {
    using directory = temporaryDirectory();
    await expect(runningAggregator(join(directory.path, 'nowhere'))).rejects.toThrow(
      /folder .*nowhere for final_snapshot\.json does not exist/,
    );
  });

  test('writes an interrupted account and ends when its parent is killed', async () => {
    using directory = temporaryDirectory();
    const parent = spawn(
      process.execPath,
      [fileURLToPath(new URL('./aggregator-parent.ts', import.meta.url)), directory.path],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const { aggregatorPid, folder } = JSON.parse(String(line));
    parent.kill('SIGKILL');
    await once(parent, 'close');
    while (isRunning(aggregatorPid)) await pause(10);
    const { state, metrics } = fileOf(directory.path);
    expect(state).toBe('interrupted');
    expect(named(metrics).counters).toMatchObject({ samplesIssued: 1 });
    rmSync(folder, { recursive: true, force: true });
  });
});
