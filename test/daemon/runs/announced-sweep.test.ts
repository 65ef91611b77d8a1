// A search for a load line that announces itself to a real daemon over HTTP, with what its daemon shows of it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { homeFiles } from '../../../src/config/home.ts';
import type { Stage } from '../../../src/core/sweep/stage.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import { readDaemonFile } from '../../../src/daemon/daemon-file.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { announceTo } from '../../support/announced.ts';
import { announceSweepTo, madeUpLine, sweepIdOf, writeLine } from '../../support/made-up-line.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { runConfig } from '../../support/run-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Json } from '../http/http-exchange.ts';

describe('a search that announces itself', () => {
  let folder: TemporaryDirectory;
  let home: string;
  let directory: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    home = join(folder.path, 'home');
    directory = join(home, 'runs', 'line-1');
  });
  afterEach(() => folder[Symbol.dispose]());

  test('is seen live with its whole stages, keeps probes away, and ends with its line and document', async () => {
    await using daemon = await started(home);
    await using announcement = announceSweepTo(home, madeUpLine(0), { directory });
    await shown(daemon, '/api/sweeps', ({ sweeps }) => sweeps[0]?.state === 'running');
    announcement.update(madeUpLine(300));
    const live = await shown(daemon, PATH, ({ stages }) => stages.length === madeUpLine(300).stages.length);
    expect(live).toMatchObject({
      document: null,
      notice: '',
      sweep: { isLive: true, line: { kind: 'bracket' } },
    });
    expect(live.stages).toEqual(JSON.parse(JSON.stringify(madeUpLine(300).stages)));
    expect(live.sweep.progress.next).toEqual(madeUpLine(300).progress?.next);
    const leases = await shown(daemon, `/api/state/runners/${daemon.nodeId}`, json => 'sweep line-1' in json);
    expect(leases['sweep line-1'].value.targetNode).toBe(daemon.nodeId);

    writeLine(directory, madeUpLine());
    await announcement.end(madeUpLine());
    const ended = await json(`${daemon.url}${PATH}`);
    expect(ended).toMatchObject({ stages: [], notice: '', sweep: { isLive: false, state: 'complete' } });
    expect(ended.document).toEqual(JSON.parse(JSON.stringify(madeUpLine())));
    expect(ended.sweep.stages.map(({ verdict }: Json) => verdict)).toEqual(
      madeUpLine().stages.map(({ verdict }) => verdict),
    );
  });

  test('is known to a restarted daemon with all its stages, in bodies that it accepts', async () => {
    const first = await started(home);
    const many = madeUpLine(undefined, { state: 'running', stages: manyStages(60) });
    await using announcement = announceSweepTo(home, many, { directory });
    await shown(first, PATH, ({ stages }) => stages?.length === 60);
    await first[Symbol.asyncDispose]();
    await using second = await started(home);
    const again = await shown(second, PATH, ({ stages }) => stages?.length === 60);
    expect(again.sweep.isLive).toBe(true);
    await announcement.end(many);
  });

  test('is notified once that its stop was requested', async () => {
    await using daemon = await started(home);
    const requested = Promise.withResolvers<void>();
    const onStopRequested = () => requested.resolve();
    await using _announcement = announceSweepTo(home, madeUpLine(30), { directory, onStopRequested });
    await shown(daemon, '/api/sweeps', ({ sweeps }) => sweeps[0]?.state === 'running');
    const { status } = await fetch(`${daemon.url}${PATH}/stop`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf(home)}` },
    });
    expect(status).toBe(202);
    await requested.promise;
  });

  test('marks each of its runs as a stage', async () => {
    await using daemon = await started(home);
    const run = new MadeUpRun({ directory: join(directory, 'stage-03') });
    await using _announcement = announceTo(home, run, {
      sweep: { sweepId: sweepIdOf('line-1'), stage: 3 },
    });
    const { runs } = await shown(daemon, '/api/runs', ({ runs: all }) => all.length === 1);
    expect(runs[0].run.sweep).toEqual({ sweepId: 'line-1', stage: 3 });
  });

  test('that nobody announced is found with the runs of its stages when the daemon starts', async () => {
    writeLine(directory, madeUpLine());
    const [stage] = madeUpLine().stages;
    const run = new MadeUpRun({
      directory: join(directory, 'stage-01'),
      config: runConfig({ id: stage?.runId ?? '' }),
    });
    run.samples(50, { fromMs: 0, untilMs: 2_000 });
    run.report();
    await using daemon = await started(home);
    const { sweeps } = await shown(daemon, '/api/sweeps', json => json.sweeps.length === 1);
    expect(sweeps[0]).toMatchObject({
      state: 'complete',
      sweep: { sweepId: 'line-1', form: 'line', directory },
    });
    const { runs } = await shown(daemon, '/api/runs', json => json.runs.length === 1);
    expect(runs[0].run.sweep).toEqual({ sweepId: 'line-1', stage: 1 });
  });

  test.each([
    ['{"schema": "plimsoll.line/1"', 'line.json is not JSON'],
    ['{"schema": "plimsoll.line/9"}', 'line.json is wrong at '],
    [undefined, 'there is no '],
  ])(
    'whose document is damaged (%s) is shown with what was reported, and with the reason',
    async (text, why) => {
      await using daemon = await started(home);
      await using announcement = announceSweepTo(home, madeUpLine(), { directory });
      await shown(daemon, PATH, ({ stages }) => stages?.length > 0);
      await announcement.end(madeUpLine());
      mkdirSync(directory, { recursive: true });
      if (text !== undefined) writeFileSync(join(directory, 'line.json'), text);
      const ended = await json(`${daemon.url}${PATH}`);
      expect(ended.document).toBeNull();
      expect(ended.notice).toContain(why);
      expect(ended.sweep.stages).toHaveLength(madeUpLine().stages.length);
    },
  );
});

const PATH = '/api/sweeps/line-1';

const manyStages = (count: number): readonly Stage[] =>
  Array.from({ length: count }, (_, index) => {
    const { stages } = madeUpLine();
    const stage = stages[index % stages.length];
    if (stage === undefined) throw new Error('a line has stages');
    return { ...stage, number: index + 1, reasons: ['why '.repeat(500)] };
  });

const tokenOf = async (home: string): Promise<string> => {
  const found = await readDaemonFile(homeFiles(home).daemon);
  return found.kind === 'found' ? found.file.token : '';
};

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

const json = async (url: string): Promise<Json> => JSON.parse(await (await fetch(url)).text());

/** Asks the daemon until it shows what is wanted. */
const shown = async (daemon: Daemon, path: string, isSo: (json: Json) => boolean): Promise<Json> => {
  let last: Json;
  await expect
    .poll(
      async () => {
        last = await json(`${daemon.url}${path}`);
        return last.code === undefined && isSo(last);
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
  return last;
};
