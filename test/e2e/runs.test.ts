// A benchmark as its reader meets it: the built command against the mock, its run live on the page of the daemon, and its
// report afterwards; and every state of a run in a real browser, for everybody.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { formatCount } from '../../src/core/figure/figure.ts';
import { type Objective, objectiveFields } from '../../src/core/run/objective.ts';
import { announceTo } from '../support/announced.ts';
import { isLongRun } from '../support/counts.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { startDaemon } from './started-daemon.ts';
import { startProcess } from './started-process.ts';

describe('runs in a browser', () => {
  test('a benchmark is seen live while it runs, its numbers change, and its page then shows the report', async ({
    browser,
  }) => {
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    await using daemon = await startDaemon({ home });
    await using mock = startProcess(['mock', '--home', home, '--ttft', '20ms', '--gap', '2ms']);
    const target = /Serving \S+ at (\S+)/.exec(await mock.printed(/Serving \S+ at \S+/))?.[1] ?? '';
    const { page, problems } = await browser.open(`${daemon.url}/runs`);
    await page.getByRole('heading', { name: 'No run yet' }).waitFor();
    await using bench = startProcess([
      'bench',
      target,
      '--home',
      home,
      '--rate',
      '20',
      '--duration',
      '8s',
      '--quiet',
    ]);
    const row = page.getByRole('table', { name: 'Runs' }).getByRole('row', { name: /live/ });
    await row.getByText('mock-model').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByText('1', { exact: true }).last().waitFor();
    await row.getByRole('link').click();
    const samples = tile(page, 'Samples');
    await samples.getByText(/issued/).waitFor();
    const before = await samples.innerText();
    await expect.poll(() => samples.innerText(), { timeout: 30_000 }).not.toBe(before);
    await page.getByRole('progressbar', { name: 'Measured phase' }).waitFor();
    await page.getByRole('img', { name: /^Time to first token over time: the median lies/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);

    expect(await bench.ended(), bench.output()).toBe(0);
    const percentiles = page.getByRole('table', { name: 'Percentiles', exact: true });
    await percentiles.getByRole('row', { name: /^Time to first token \d/ }).waitFor();
    const [folder = ''] = readdirSync(join(home, 'runs'));
    const report = JSON.parse(readFileSync(join(home, 'runs', folder, 'report.json'), 'utf8'));
    await tile(page, 'Samples')
      .getByText(`${formatCount(report.counts.completed)} completed · 0 failed · 0 cancelled`)
      .waitFor();
    await percentiles
      .getByRole('row', {
        name: new RegExp(`^Time to first token .* ${formatCount(report.series.ttftNs.count)}$`),
      })
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test.for([
    { width: 390, theme: 'dark' },
    ...(isLongRun
      ? ([
          { width: 1_280, theme: 'light' },
          { width: 1_920, theme: 'dark' },
        ] as const)
      : []),
  ] as const)(
    'live, finished and cut short runs are for everybody at $width px, $theme',
    async ({ width, theme }, { browser }) => {
      using directory = temporaryDirectory();
      const home = join(directory.path, 'home');
      const done = new MadeUpRun({
        directory: join(home, 'runs', 'done'),
        config: configOf('done'),
        failureShare: 0.01,
      });
      done.samples(400, { fromMs: 0, untilMs: 60_000 });
      done.report();
      const calm = new MadeUpRun({
        directory: join(home, 'runs', 'calm'),
        config: { ...configOf('calm'), ...objectiveFields([], 1) },
      });
      calm.samples(100, { fromMs: 0, untilMs: 30_000 });
      calm.report();
      const cut = new MadeUpRun({ directory: join(home, 'runs', 'cut'), config: configOf('cut') });
      cut.samples(50, { fromMs: 0, untilMs: 10_000 });
      cut.begun(3);
      cut.report('interrupted');
      const live = new MadeUpRun({
        directory: join(home, 'runs', 'live'),
        config: configOf('live'),
        warmupMs: 2_000,
      });
      await using daemon = await startDaemon({ home });
      await using announcement = announceTo(home, live);
      live.samples(200, { fromMs: 2_000, untilMs: 30_000 });
      announcement.progress(live.snapshot(), live.client());
      const { page, problems } = await browser.open(`${daemon.url}/runs`, { width, theme });
      const runs = page.getByRole('table', { name: 'Runs' });
      await runs.getByRole('link', { name: 'done' }).waitFor();
      const flagged = (name: string): Promise<boolean> =>
        runs.getByRole('row', { name }).evaluate(row => row.classList.contains('flagged'));
      const isFlagged: Record<string, boolean> = {};
      for (const name of ['cut', 'done', 'live', 'calm']) isFlagged[name] = await flagged(name);
      // Cut off, or an objective missed.
      expect(isFlagged).toEqual({ cut: true, done: true, live: true, calm: false });
      await page.getByRole('button', { name: 'Live 1' }).waitFor();
      await checkPage(page);

      await page.goto(`${daemon.url}/runs/live`);
      await page.getByRole('img', { name: /^Time to first token over time: the median lies/ }).waitFor();
      await page.getByText('plimsoll watch live').waitFor();
      const objectives = page.getByRole('region', { name: 'Objectives' });
      await objectives.getByText('requests that meet every objective, so far').waitFor();
      await objectives.getByText('ttft.p95=10s').waitFor();
      await objectives.getByText('met so far').first().waitFor();
      await checkPage(page);

      await page.goto(`${daemon.url}/runs/cut`);
      await page.getByText('This run is interrupted.').waitFor();
      await page.goto(`${daemon.url}/runs/done`);
      await page
        .getByRole('table', { name: 'Percentiles', exact: true })
        .getByText('few', { exact: true })
        .first()
        .waitFor();
      expect(await objectives.innerText()).not.toMatch(/so far|yet/);
      await objectives.getByText('missed', { exact: true }).waitFor();
      for (const name of ['Time to first token', 'Output', 'TTFT distribution', 'Where did the time go']) {
        await page.getByRole('button', { name: `List of ${name}`, exact: true }).click();
        await page.getByRole('region', { name, exact: true }).getByRole('table').waitFor();
      }
      await checkPage(page);
      const lanes = page.getByRole('region', { name: 'Where did the time go', exact: true });
      await lanes.getByRole('button', { name: 'List of Where did the time go' }).click();
      await lanes.getByRole('img', { name: /^Requests as lanes: of / }).waitFor();
      await lanes.getByRole('button', { name: 'Zoom in' }).click();
      // Enabled by the zoom alone.
      await lanes.getByRole('button', { name: 'Show all' }).click();
      await checkPage(page);
      expect(problems).toEqual([]);
    },
  );

  test('a run whose process is killed is shown as interrupted, with its last figures', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('a run that nobody ends: in npm run test:long');
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    await using daemon = await startDaemon({ home });
    const run = new MadeUpRun({ directory: join(home, 'runs', 'lost'), config: configOf('lost') });
    const announcement = announceTo(home, run);
    run.samples(100, { fromMs: 0, untilMs: 10_000 });
    announcement.progress(run.snapshot(), run.client());
    const { page } = await browser.open(`${daemon.url}/runs/lost`);
    await tile(page, 'Samples').getByText('100 completed').waitFor();
    // As after a kill: neither the end nor another lease is reported.
    await announcement[Symbol.asyncDispose]();
    await page.getByText('This run is interrupted.').waitFor();
    await tile(page, 'Samples').getByText('100 completed').waitFor();
    const verdict = page.getByRole('region', { name: 'Client verdict' });
    await verdict.getByText('Interrupted', { exact: true }).waitFor();
    expect(await verdict.innerText()).not.toMatch(/trustworthy/i);
  });

  test('runs are sorted and filtered', async ({ browser }) => {
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    for (const [id, count, model] of [
      ['slow', 40, 'big-model'],
      ['quick', 400, 'small-model'],
    ] as const) {
      const run = new MadeUpRun({ directory: join(home, 'runs', id), config: configOf(id, model) });
      run.samples(count, { fromMs: 0, untilMs: 20_000 });
      run.report();
    }
    await using daemon = await startDaemon({ home });
    const { page } = await browser.open(`${daemon.url}/runs`);
    const links = page.getByRole('table', { name: 'Runs' }).getByRole('link');
    await expect.poll(() => links.count(), { timeout: 30_000 }).toBe(2);
    await page.getByRole('button', { name: 'Result' }).click();
    expect(await links.allInnerTexts()).toEqual(['quick', 'slow']);
    await page.getByRole('button', { name: 'Result' }).click();
    expect(await links.allInnerTexts()).toEqual(['slow', 'quick']);
    await page.getByRole('searchbox', { name: 'Filter runs' }).fill('small');
    expect(await links.allInnerTexts()).toEqual(['quick']);
  });
});

const tile = (page: Page, name: string) =>
  page.locator('dl.rates > div').filter({ has: page.getByText(name, { exact: true }) });

const checkPage = async (page: Page): Promise<void> => {
  expect(await axeFindings(page)).toEqual([]);
  expect(
    await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
  ).toBe(true);
};

const configOf = (id: string, model = 'made-up') => ({
  ...runConfig({
    id,
    model,
    startedAt: new Date().toISOString(),
    pattern: { kind: 'poisson', requestsPerSecond: 8 },
  }),
  ...objectiveFields(OBJECTIVES, 0.95),
});

const OBJECTIVES: readonly Objective[] = [
  { kind: 'request', name: 'ttft', limitNs: 10e9 },
  { kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 10e9 },
  { kind: 'mean', name: 'latency', limitNs: 1 },
];
