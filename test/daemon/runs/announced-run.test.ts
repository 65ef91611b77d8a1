// A run that announces itself to a real daemon over HTTP, with what its daemon shows of it at each moment of its life.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { announceTo } from '../../support/announced.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Json } from '../http/http-exchange.ts';

describe('a run that announces itself', () => {
  let directory: TemporaryDirectory;
  let home: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    home = join(directory.path, 'home');
  });
  afterEach(() => directory[Symbol.dispose]());

  test('is seen live with its figures, holds a lease, and ends with those of its report', async () => {
    await using daemon = await started(home);
    const run = new MadeUpRun({ directory: join(home, 'runs', 'run-1'), failureShare: 0.05 });
    await using announcement = announceTo(home, run);
    await shown(daemon, '/api/runs', json => json.runs[0]?.state === 'running');
    run.samples(200, { fromMs: 0, untilMs: 4_000 });
    run.begun(3);
    announcement.progress(run.snapshot(), run.client());
    const live = await shown(daemon, '/api/runs', json => json.runs[0]?.progress?.figures !== undefined);
    const { figures, elapsedMs, phase } = live.runs[0].progress;
    expect([phase, elapsedMs]).toEqual(['measuring', 4_000]);
    expect(figures.counts).toMatchObject({ issued: 203, unresolved: 3 });
    expect(figures.series.ttftNs.percentiles['50']).toBeGreaterThan(1e8);
    expect(figures.errors.map((error: Json) => error.kind)).toContain('timeout');
    const leases = await shown(daemon, `/api/state/runners/${daemon.nodeId}`, json =>
      Object.values<Json>(json).some(({ value }) => value.requestsInFlight === 3),
    );
    expect(Object.keys(leases)).toEqual(['run run-1']);
    expect(leases['run run-1'].value.targetNode).toBe(daemon.nodeId);

    const report = run.report();
    await announcement.end(report);
    const { run: view, report: served } = await json(`${daemon.url}/api/runs/run-1`);
    expect([view.state, view.isLive]).toEqual([report.complete ? 'complete' : 'incomplete', false]);
    expect(view.run.figures.requestsPerSecond).toBe(report.requestsPerSecond);
    expect(served).toEqual(JSON.parse(JSON.stringify(report)));
  });

  test('shows rates and percentiles over time while it goes on, and the same afterwards', async () => {
    await using daemon = await started(home);
    const run = new MadeUpRun({ directory: join(directory.path, 'elsewhere') });
    await using announcement = announceTo(home, run);
    await shown(daemon, '/api/runs', json => json.runs[0]?.state === 'running');
    run.samples(300, { fromMs: 5_000, untilMs: 15_000 });
    announcement.progress(run.snapshot(), run.client());
    const path = '/api/runs/run-1/series';
    const live = await shown(daemon, path, json => json.series.requestsPerSecond.length >= 14);
    expect([live.isLive, live.notice, live.series.stepMs]).toEqual([true, '', 1_000]);
    expect(live.series.requestsPerSecond.slice(5, 14).every((rate: number) => rate === 30)).toBe(true);
    await announcement.end(run.report());
    const after = await json(`${daemon.url}${path}`);
    expect([after.isLive, after.notice]).toEqual([false, '']);
    expect(after.series.percentilesNs['50'].slice(0, 14)).toEqual(
      live.series.percentilesNs['50'].slice(0, 14),
    );
  });

  test('goes on undisturbed when its daemon is gone, and is seen again when there is a new one', async () => {
    const run = new MadeUpRun({ directory: join(home, 'runs', 'run-1') });
    const first = await started(home);
    await using announcement = announceTo(home, run);
    await shown(first, '/api/runs', json => json.runs[0]?.state === 'running');
    await first[Symbol.asyncDispose]();
    run.samples(100, { fromMs: 0, untilMs: 2_000 });
    announcement.progress(run.snapshot(), run.client());
    await using second = await started(home);
    await shown(second, '/api/runs', json => {
      run.samples(1, { fromMs: 2_000, untilMs: 2_100 });
      announcement.progress(run.snapshot(), run.client());
      return json.runs[0]?.isLive === true && json.runs[0].progress?.figures.counts.completed > 100;
    });
    expect(announcement.updatesDropped).toBeGreaterThan(0);
  });

  test('without a daemon sends nothing, prints nothing and waits for nothing', async () => {
    const run = new MadeUpRun({ directory: join(home, 'runs', 'run-1') });
    await using announcement = announceTo(home, run);
    run.samples(100, { fromMs: 0, untilMs: 2_000 });
    announcement.progress(run.snapshot(), run.client());
    await announcement.end(run.report());
  });

  test('a report that nobody announced is found when the daemon starts', async () => {
    const run = new MadeUpRun({ directory: join(home, 'runs', 'run-1') });
    run.samples(100, { fromMs: 0, untilMs: 2_000 });
    const report = run.report();
    await using daemon = await started(home);
    const { runs } = await shown(daemon, '/api/runs', json => json.runs.length === 1);
    expect(runs[0].run).toMatchObject({ runId: 'run-1', state: 'complete', model: 'made-up' });
    expect((await json(`${daemon.url}/api/runs/run-1`)).report.counts).toEqual(report.counts);
  });

  test('is in the Prometheus metrics while it lives, and no longer', async () => {
    await using daemon = await started(home);
    const run = new MadeUpRun({ directory: join(home, 'runs', 'run-1') });
    await using announcement = announceTo(home, run);
    run.samples(100, { fromMs: 0, untilMs: 2_000 });
    announcement.progress(run.snapshot(), run.client());
    await shown(daemon, '/api/runs', json => json.runs[0]?.progress !== undefined);
    const metrics = await text(`${daemon.url}/metrics`);
    expect(metrics).toMatch(/^plimsoll_run_ttft_seconds\{run="run-1",.*quantile="0.99"\} 0\.\d+$/m);
    expect(metrics).toMatch(/^plimsoll_run_requests_in_flight\{run="run-1",[^}]*\} 0$/m);
    await announcement.end(run.report());
    expect(await text(`${daemon.url}/metrics`)).not.toContain('run="run-1"');
  });
});

const started = (home: string): Promise<Daemon> =>
  startDaemon(
    {
      home,
      env: {},
      http: { host: '127.0.0.1', port: 0 },
      name: 'tested',
      clock: systemClock,
      platform: 'none',
      root: '/',
      version: '0.0.0-test',
      dashboardDir: undefined,
      pid: process.pid,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
    },
    new AbortController().signal,
  );

const text = async (url: string): Promise<string> => (await fetch(url)).text();
const json = async (url: string): Promise<Json> => JSON.parse(await text(url));

/** Asks the daemon until it shows what is wanted. */
const shown = async (daemon: Daemon, path: string, isSo: (json: Json) => boolean): Promise<Json> => {
  let last: Json;
  await expect
    .poll(
      async () => {
        last = await json(`${daemon.url}${path}`);
        return last.error === undefined && isSo(last);
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
  return last;
};
