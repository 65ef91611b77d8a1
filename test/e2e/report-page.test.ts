// The report of a run in a real browser: the file alone, as a recipient opens it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { runConfigToJson } from '../../src/wire/stored-json.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { test } from './browser-test.ts';
import { expectForEverybody, looksAt } from './looks.ts';
import { startDaemon } from './started-daemon.ts';

const HOSTILE = `</script><img src="http://127.0.0.1:9/x" onerror="document.title='caught'"></style><svg onload=alert(1)>`;

const reportFile = async (folder: string, model = HOSTILE): Promise<string> => {
  const config = runConfig({ model });
  const run = new MadeUpRun({ directory: join(folder, 'run'), config, failureShare: 0.01 });
  run.samples(2_000, { fromMs: 0, untilMs: 60_000 });
  run.report();
  writeFileSync(join(folder, 'run', 'config.json'), runConfigToJson(config));
  const file = join(folder, 'report.html');
  const made = madeUpProcess(['report', join(folder, 'run'), '--html', file]);
  expect(await made.run()).toBe(EXIT_CODES.ok.code);
  return pathToFileURL(file).href;
};

describe('the report of a run as a file', () => {
  test('runs nothing and fetches nothing, for any name of the model, and breaks no rule of its own policy', async ({
    browser,
  }) => {
    using folder = temporaryDirectory();
    const url = await reportFile(folder.path);
    const { page, problems } = await browser.open('about:blank');
    const requests: string[] = [];
    page.on('request', request => requests.push(request.url()));
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await page.getByRole('img', { name: /^Time to first token over time/ }).waitFor();
    expect(requests.filter(each => each !== url && !each.startsWith('data:'))).toEqual([]);
    expect(problems).toEqual([]);
    expect(await page.title()).not.toBe('caught');
    expect(await page.locator('script, img, iframe, object, form').count()).toBe(0);
    // Its style is applied: the policy lets the hash through.
    expect(await page.evaluate('getComputedStyle(document.querySelector(".sheet")).maxWidth')).toBe('860px');
  });

  test('axe finds nothing in it, light and dark, and on a phone nothing but wide tables and charts is scrolled sideways', async ({
    browser,
  }) => {
    using folder = temporaryDirectory();
    const { page } = await browser.open(await reportFile(folder.path));
    await expectForEverybody(page, looksAt([390, 1_280]));
  });

  test('prints on five pages of A4, light, with what is folded on the screen', async ({ browser }) => {
    using folder = temporaryDirectory();
    const { page } = await browser.open(await reportFile(folder.path, 'a-model'), { theme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.getByText('From the request to the end of its answer').waitFor();
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(5);
    // A4 in points.
    expect(pdf).toMatch(/\/MediaBox\s*\[0 0 59[45][\d.]* 84[12][\d.]*\]/);
  });
});

describe('the charts of a run', () => {
  test('are saved as files by the keyboard, each for itself, with their style inside', async ({
    browser,
  }) => {
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    const config = runConfig({ id: 'done', warmupRequests: 0 });
    const run = new MadeUpRun({ directory: join(home, 'runs', 'done'), config });
    run.samples(400, { fromMs: 0, untilMs: 60_000 });
    run.report();
    writeFileSync(join(home, 'runs', 'done', 'config.json'), runConfigToJson(config));
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(`${daemon.url}/runs/done`, { theme: 'dark' });
    const names: string[] = [];
    for (const title of [
      'Time to first token',
      'Output',
      'TTFT distribution',
      'Latency distribution',
      'Where did the time go',
    ]) {
      const button = page.getByRole('button', { name: `Save ${title} as SVG` });
      await button.focus();
      const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
      names.push(download.suggestedFilename());
      const text = readFileSync(await download.path(), 'utf8');
      const opened = await browser.open(`data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`);
      // A picture that XML can be read from, drawn in its own colours.
      expect(await opened.page.evaluate('getComputedStyle(document.querySelector(".tick")).fontSize')).toBe(
        '11px',
      );
      expect(opened.problems).toEqual([]);
    }
    expect(names).toEqual([
      'plimsoll-done-time-to-first-token.svg',
      'plimsoll-done-output.svg',
      'plimsoll-done-ttft-distribution.svg',
      'plimsoll-done-latency-distribution.svg',
      'plimsoll-done-where-did-the-time-go.svg',
    ]);
    expect(problems).toEqual([]);
  });
});
