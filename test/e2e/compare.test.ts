// Finished runs side by side in a real browser: ticked in the list, compared in full, refused in words.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { judgeGate, parseGateRule } from '../../src/core/comparison/gate.ts';
import { comparisonToJson, runConfigToJson } from '../../src/wire/stored-json.ts';
import { announceTo } from '../support/announced.ts';
import { isLongRun } from '../support/counts.ts';
import { madeUpComparison } from '../support/made-up-comparison.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writeTimedRun } from '../support/timed-runs.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { expectForEverybody, looksAt } from './looks.ts';
import { startDaemon } from './started-daemon.ts';

describe('runs that are compared', () => {
  test('are ticked in the list, and stand side by side with their differences and their charts', async ({
    browser,
  }) => {
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    finished(home, { id: 'older', samples: 200, hour: 12 });
    finished(home, { id: 'newer', samples: 400, hour: 13 });
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(`${daemon.url}/runs`);
    await page.getByRole('checkbox', { name: 'Compare run newer' }).check();
    const bar = page.getByRole('region', { name: 'Comparison' });
    await bar.getByText('newer with which?').waitFor();
    await page.getByRole('checkbox', { name: 'Compare run older' }).check();
    await bar
      .getByText(/^\+\d+\.\d.%$/)
      .first()
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await bar.getByRole('link', { name: 'Compare in full' }).click();
    await page.getByRole('heading', { name: 'Compare runs', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?run=older&run=newer');
    const output = page
      .getByRole('table', { name: 'Figures of the runs' })
      .getByRole('row', { name: /^Output higher/ });
    await output.getByText(/^\+\d+\.\d.%$/).waitFor();
    for (const name of [
      /^Time to first token, p50 over time: run older between/,
      /^Output over time: run older/,
    ])
      await page.getByRole('img', { name }).waitFor();
    await page
      .getByRole('table', { name: 'Settings of the runs' })
      .getByRole('row', { name: /^Model/ })
      .waitFor();
    await page.getByRole('combobox', { name: 'Reference' }).selectOption('newer');
    await output.getByText(/^−\d+\.\d.%$/).waitFor();
    await page.getByRole('button', { name: 'List of Output' }).click();
    await page.getByRole('table', { name: 'Output over time' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('are compared by the daemon where both ran long enough, and differ at most', async ({ browser }) => {
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    for (const [index, id] of ['before', 'after'].entries())
      writeTimedRun(join(home, 'runs', id), {
        seed: index,
        requests: 100,
        stepNs: 3e9,
        factor: 1 + index,
        run: { id, startedAt: `2026-11-20T1${index}:00:00.000Z` },
      });
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(`${daemon.url}/runs/compare?run=before&run=after`);
    const board = page.getByRole('region', { name: 'B against A' });
    await board.getByRole('img', { name: /^TTFT p50: A .* differs$/ }).waitFor();
    await page.getByText('Between-run variation unknown.').waitFor();
    await board.getByText('As a table').click();
    const table = page.getByRole('table', { name: 'Figures of A and B' });
    expect((await table.getByRole('row').allTextContents()).join(' ')).not.toMatch(/better|worse/);
    await table.getByRole('row', { name: /^TTFT p50/ }).waitFor();
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('written by a command stand with verdict, gate and pairs, light and dark, and axe finds nothing', async ({
    browser,
  }) => {
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    const written = madeUpComparison([
      [318, 280],
      [320, 284],
      [315, 279],
      [322, 283],
      [317, 281],
      [319, 282],
    ]);
    const rule = parseGateRule('ttft.p90 > -20%');
    const rules = rule.kind === 'ok' ? [rule.value] : [];
    const gate = judgeGate(written, { rules, failsIfUndecided: false });
    mkdirSync(join(home, 'runs', written.id), { recursive: true });
    writeFileSync(join(home, 'runs', written.id, 'comparison.json'), comparisonToJson({ ...written, gate }));
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(`${daemon.url}/runs`);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: written.id }).click();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByRole('heading', { name: /^B is better: TTFT p90/ }).waitFor();
    await verdict.getByText('The gate fails: 1 of 1 rule broken').waitFor();
    await page.getByRole('img', { name: /^TTFT p90 of 12 segments in their order: A 318/ }).waitFor();
    await page.getByRole('button', { name: 'Swap A and B' }).click();
    await verdict.getByRole('heading', { name: /^B is worse: TTFT p90/ }).waitFor();
    await page.getByRole('button', { name: 'Swap A and B' }).click();
    await expectForEverybody(page, looksAt([390, 900, 1_440]));
    expect(problems).toEqual([]);
  });

  test('are requested once, even if the cluster reports something else', async ({ browser, skip }) => {
    if (!isLongRun) skip('waits for reports of the cluster: in the long run');
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    finished(home, { id: 'older', samples: 200, hour: 12 });
    finished(home, { id: 'newer', samples: 400, hour: 13 });
    await using daemon = await startDaemon({ home });
    const { page } = await browser.open(`${daemon.url}/runs`);
    const requested: string[] = [];
    page.on('request', request => requested.push(new URL(request.url()).pathname));
    await page.getByRole('checkbox', { name: 'Compare run newer' }).check();
    await page.getByRole('checkbox', { name: 'Compare run older' }).check();
    await page.getByRole('link', { name: 'Compare in full' }).click();
    await page.getByRole('img', { name: /^Output over time/ }).waitFor();
    // A run that begins meanwhile is news of runs, and none of these.
    const live = new MadeUpRun({
      directory: join(home, 'runs', 'live'),
      config: runConfig({ id: 'live' }),
    });
    await using _announcement = announceTo(home, live);
    await page.getByRole('navigation').getByRole('link', { name: 'Runs 3' }).waitFor();
    for (const path of [
      '/api/runs/older',
      '/api/runs/older/series',
      '/api/runs/newer',
      '/api/runs/newer/series',
    ])
      expect(
        requested.filter(each => each === path),
        path,
      ).toHaveLength(1);
  });

  test('one that was cut short is marked, and one that is not like the others is refused', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('its rule is held without a browser: in the long run');
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    finished(home, { id: 'whole', samples: 200, hour: 12 });
    finished(home, { id: 'cut', samples: 200, hour: 13, end: 'interrupted' });
    finished(home, { id: 'plain', samples: 200, hour: 14, streaming: false });
    await using daemon = await startDaemon({ home });
    const { page } = await browser.open(`${daemon.url}/runs/compare?run=whole&run=cut`);
    await page
      .getByRole('region', { name: 'Before you compare' })
      .getByText(/^Run cut is interrupted/)
      .waitFor();
    await page.goto(`${daemon.url}/runs/compare?run=whole&run=plain`);
    await page
      .getByRole('region', { name: 'Not comparable' })
      .getByText(/^One run streams and another does not/)
      .waitFor();
    expect(await page.getByRole('table', { name: 'Figures of the runs' }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.goto(`${daemon.url}/runs/compare?run=whole&run=nobody`);
    await page.getByText('No node knows run “nobody”').waitFor();
    await page.getByText('Two runs at least are needed').waitFor();
  });

  test('axe finds nothing, light and dark, and it is not wider than the screen', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('four runs at all widths: in npm run test:long');
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    // As long as the ids that the bench makes.
    const ids = ['5cbe', '0706', '791e', '2366'].map(end => `20261120-150814-${end}`);
    for (const [index, id] of ids.entries())
      finished(home, { id, samples: 100 * (index + 1), hour: 12 + index });
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(
      `${daemon.url}/runs/compare?${ids.map(id => `run=${id}`).join('&')}`,
    );
    await page.getByRole('img', { name: /^Output over time/ }).waitFor();
    await expectForEverybody(page, looksAt([390, 1_280]));
    expect(problems).toEqual([]);
  });
});

interface Finished {
  readonly id: string;
  readonly samples: number;
  readonly hour: number;
  readonly end?: 'complete' | 'interrupted';
  readonly streaming?: boolean;
}

/** A run of 20 s that has ended, as it is on the disk of the daemon. */
const finished = (
  home: string,
  { id, samples, hour, end = 'complete', streaming = true }: Finished,
): void => {
  const startedAt = `2026-11-20T${hour}:00:00.000Z`;
  const directory = join(home, 'runs', id);
  const config = runConfig({ id, startedAt, streaming });
  const run = new MadeUpRun({ directory, config });
  writeFileSync(join(directory, 'config.json'), runConfigToJson(config));
  run.samples(samples, { fromMs: 0, untilMs: 20_000 });
  run.report(end);
};
