// Load lines as their reader meets them: live and finished, by pointer, keyboard and screen reader, in the list and in the ways
// that a search can end.

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { LineDocument } from '../../src/core/sweep/sweep-document.ts';
import { announceTo } from '../support/announced.ts';
import { isLongRun } from '../support/counts.ts';
import {
  announceSweepTo,
  madeUpLine,
  madeUpSweep,
  sweepIdOf,
  writeLine,
  writeSweep,
} from '../support/made-up-line.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { startDaemon } from './started-daemon.ts';

describe('a load line in a browser', () => {
  test('is seen live, narrows, and ends with its line', async ({ browser }) => {
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    const directory = join(home, 'runs', 'line-1');
    await using daemon = await startDaemon({ home });
    await using searching = announceSweepTo(home, madeUpLine(100), { directory });
    const { page, problems } = await browser.open(`${daemon.url}/runs`);
    await page.getByRole('link', { name: 'line-1' }).click();
    await page.getByRole('heading', { name: 'Load line' }).waitFor();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('at least 1').waitFor();
    searching.update(madeUpLine(370));
    await result.getByText('12 – 16').waitFor();
    await page.getByRole('progressbar', { name: 'Stages' }).waitFor();
    await page.getByText('next 13/s if this one fails, 15/s if it holds').waitFor();
    expect(await axeFindings(page)).toEqual([]);

    writeLine(directory, madeUpLine());
    await searching.end(madeUpLine());
    await result.getByText('held at 12, failed at 12.5').waitFor();
    await page.getByText('complete', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('marks a stage in all its pictures by pointer and by keyboard, and opens its run', async ({
    browser,
  }) => {
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    const directory = join(home, 'runs', 'line-1');
    const document = madeUpLine();
    writeLine(directory, document);
    const stage = document.stages.find(({ number }) => number === 4);
    const run = new MadeUpRun({
      directory: join(directory, 'stage-04'),
      config: runConfig({ id: stage?.runId ?? '' }),
    });
    run.samples(50, { fromMs: 0, untilMs: 2_000 });
    run.report();
    await using daemon = await startDaemon({ home });
    const { page } = await browser.open(`${daemon.url}/sweeps/line-1`);
    const curve = page.getByRole('group', {
      name: /^TTFT against offered rate: p50, p95 and p99 of 9 stages/,
    });
    const dot = (name: RegExp) => curve.getByRole('link', { name });
    await dot(/^Stage 1 at 1\/s/).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(
      await dot(/^Stage 4 at 8\/s: p95 \S+ ms, 100.% within the objectives, held$/).evaluate(
        element => element === element.ownerDocument.activeElement,
      ),
    ).toBe(true);
    for (const marked of ['a.stage.on', 'rect.bar.on', 'figure.on', 'tr.on'])
      expect(await page.locator(marked).count(), marked).toBe(1);
    await page.getByRole('row', { name: /^Stage 6, run/ }).hover();
    expect(await dot(/^Stage 6 /).getAttribute('class')).toContain('on');
    await dot(/^Stage 4 /).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Run ${stage?.runId}` }).waitFor();
    await page.getByRole('link', { name: 'stage 4 of line-1' }).click();
    await page.getByRole('heading', { name: 'Load line' }).waitFor();
  });

  test('has a table twin of every picture, and an earlier line underneath', async ({ browser, skip }) => {
    if (!isLongRun) skip('one more page of a line: in the long run');
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    writeLine(join(home, 'runs', 'line-1'), madeUpLine());
    writeLine(
      join(home, 'runs', 'line-0'),
      madeUpLine(undefined, { id: 'line-0', startedAt: '2026-11-13T12:00:00Z' }),
    );
    await using daemon = await startDaemon({ home });
    const { page } = await browser.open(`${daemon.url}/sweeps/line-1`);
    await page.getByRole('link', { name: 'p95 of 13 Nov' }).waitFor();
    for (const name of ['TTFT against offered rate', 'In flight', 'What one user gets for it']) {
      await page.getByRole('button', { name: `List of ${name}`, exact: true }).click();
      const table = page.getByRole('region', { name, exact: true }).getByRole('table');
      expect(await table.getByRole('row').count()).toBe(10);
    }
    expect(
      await page
        .getByRole('table', { name: 'How it was found, in the order they ran' })
        .getByRole('row')
        .count(),
    ).toBe(10);
  });

  test('is no line but its loads where a person named them', async ({ browser, skip }) => {
    if (!isLongRun) skip('one more page of a line: in the long run');
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    writeSweep(join(home, 'runs', 'sweep-1'), madeUpSweep('sweep-1'));
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(`${daemon.url}/runs`);
    await page.getByRole('row', { name: /Sweep sweep-1 .*complete.* 5 of 9 loads held/ }).waitFor();
    await page.getByRole('link', { name: 'sweep-1' }).click();
    await page
      .getByRole('region', { name: 'Result' })
      .getByText('of 9 loads held', { exact: true })
      .waitFor();
    await page.getByRole('group', { name: /^TTFT against offered rate/ }).waitFor();
    expect(await page.locator('g.mark').count()).toBe(0);
    await page.getByRole('region', { name: 'Run again' }).getByText('--rates 1,2,4').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(problems).toEqual([]);
  });

  test('is listed without the runs of its stages, which are on its page', async ({ browser, skip }) => {
    if (!isLongRun) skip('one more page of a line: in the long run');
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    const directory = join(home, 'runs', 'line-1');
    await using daemon = await startDaemon({ home });
    await using _searching = announceSweepTo(home, madeUpLine(100), { directory });
    const staged = new MadeUpRun({
      directory: join(directory, 'stage-01'),
      config: runConfig({ id: 'staged' }),
    });
    const alone = new MadeUpRun({
      directory: join(home, 'runs', 'alone'),
      config: runConfig({ id: 'alone' }),
    });
    await using _staged = announceTo(home, staged, {
      sweep: { sweepId: sweepIdOf('line-1'), stage: 1 },
    });
    await using _alone = announceTo(home, alone);
    const { page } = await browser.open(`${daemon.url}/runs`);
    await page
      .getByRole('table', { name: 'Runs', exact: true })
      .getByRole('link', { name: 'alone' })
      .waitFor();
    await page.getByRole('row', { name: /Load line line-1 .*live/ }).waitFor();
    expect(await page.getByRole('link', { name: 'staged' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    // One run of its own and one search: stages count for neither.
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Runs 1$/ })
      .waitFor();
    await page.getByRole('searchbox', { name: 'Filter runs' }).fill('line-1');
    await page.getByText('1 of 2 shown, 1 hidden').waitFor();
    await page.getByRole('link', { name: 'line-1' }).waitFor();
    expect(await page.getByRole('link', { name: 'alone' }).count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Filter runs' }).fill('alone');
    await page.getByRole('link', { name: 'alone' }).waitFor();
    expect(await page.getByRole('link', { name: 'line-1' }).count()).toBe(0);
  });

  test.for([
    { width: 390, theme: 'dark' },
    ...(isLongRun
      ? ([
          { width: 1_440, theme: 'light' },
          { width: 1_440, theme: 'dark' },
        ] as const)
      : []),
  ] as const)(
    'is for everybody at $width px, $theme, however its search ended',
    async ({ width, theme }, { browser }) => {
      using folder = temporaryDirectory();
      const home = join(folder.path, 'home');
      for (const [id, more] of Object.entries(ENDINGS))
        writeLine(join(home, 'runs', id), madeUpLine(undefined, { id, ...more() }));
      await using daemon = await startDaemon({ home });
      await using _searching = announceSweepTo(home, madeUpLine(370), {
        directory: join(home, 'runs', 'line-1'),
      });
      const { page, problems } = await browser.open(`${daemon.url}/sweeps/line-1`, { width, theme });
      await page.getByText('12 – 16').waitFor();
      await checkPage(page);
      // How a search ended is a sentence of its own; axe finds the same of each.
      for (const [id, text] of Object.entries(HEADINGS).slice(0, isLongRun ? undefined : 1)) {
        await page.goto(`${daemon.url}/sweeps/${id}`);
        await page.getByRole('region', { name: 'Result' }).getByText(text).first().waitFor();
        await checkPage(page);
      }
      expect(problems).toEqual([]);
    },
  );
});

/** Each against a target of its own, so that none is the earlier line of another. */
const ENDINGS: Readonly<Record<string, () => Partial<LineDocument>>> = {
  found: () => ({ target: 'http://127.0.0.1:8001' }),
  'all-held': () => ({
    target: 'http://127.0.0.1:8002',
    stages: madeUpLine().stages.filter(({ verdict }) => verdict === 'held'),
    line: { kind: 'at-least', holds: 12, limit: 'load-max' },
  }),
  'all-failed': () => ({
    target: 'http://127.0.0.1:8003',
    stages: madeUpLine().stages.filter(({ verdict }) => verdict !== 'held'),
    line: { kind: 'none', fails: 12.5, failsBy: 'over-capacity' },
  }),
  'client-bound': () => ({
    target: 'http://127.0.0.1:8004',
    state: 'stopped',
    stages: madeUpLine()
      .stages.slice(0, 6)
      .map(stage =>
        stage.number === 5
          ? { ...stage, verdict: 'client-bound' }
          : stage.number === 6
            ? { ...stage, verdict: 'stopped' }
            : stage,
      ),
    line: { kind: 'at-least', holds: 8, limit: 'client' },
  }),
  empty: () => ({
    target: 'http://127.0.0.1:8005',
    state: 'interrupted',
    stages: [],
    line: { kind: 'unknown', reason: 'no stage has ended' },
  }),
};

const HEADINGS: Readonly<Record<string, RegExp>> = {
  found: /held at 12, failed at 12\.5/,
  'all-held': /at least 12/,
  'all-failed': /No load holds/,
  'client-bound': /this client was the limit/,
  empty: /no stage has ended/,
};

const checkPage = async (page: Page): Promise<void> => {
  expect(await axeFindings(page)).toEqual([]);
  expect(
    await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
  ).toBe(true);
};
