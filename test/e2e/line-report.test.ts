// The reports of load lines and sweeps in a real browser: the file alone, as a recipient opens and prints it.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import type { Stage } from '../../src/core/sweep/stage.ts';
import { isLongRun } from '../support/counts.ts';
import { madeUpLine, madeUpSweep, writeLine, writeSweep } from '../support/made-up-line.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';

const HOSTILE = `</script><img src="http://127.0.0.1:9/x" onerror="document.title='caught'"></style><svg onload=alert(1)>`;

/** Stages as a long search has them, each with a reason in the words of a server. */
const many = (stages: readonly Stage[], reason: string): readonly Stage[] =>
  [...stages, ...stages].map((stage, index) => ({ ...stage, number: index + 1, reasons: [reason] }));

const reportFile = async (folder: string, form: 'line' | 'sweep', text: string): Promise<string> => {
  const directory = join(folder, form);
  const document = form === 'line' ? madeUpLine() : madeUpSweep('sweep-1');
  const more = {
    model: text,
    serverKind: text,
    dataset: text,
    name: text,
    stages: many(document.stages, text),
  };
  if ('line' in document) writeLine(directory, { ...document, ...more });
  else writeSweep(directory, { ...document, ...more });
  const file = join(folder, `${form}.html`);
  const made = madeUpProcess(['report', directory, '--html', file]);
  expect(await made.run(), made.stderr.text).toBe(EXIT_CODES.ok.code);
  return file;
};

/** Elements that are outside the sheet, or wider than their container: both would be cut off on paper. */
const cutOff = async (page: Page): Promise<unknown> =>
  JSON.parse(
    String(
      await page.evaluate(`JSON.stringify([
        ...[...document.querySelectorAll('main *')].filter(each => each.getClientRects().length > 0 && !each.closest('svg [clip-path]')).flatMap(each => {
          const { left, right } = each.getBoundingClientRect();
          return left < -1 || right > innerWidth + 1 ? [each.tagName + ' ' + (each.textContent ?? '').slice(0, 40) + ' ' + Math.round(left) + '–' + Math.round(right)] : [];
        }),
        ...[...document.querySelectorAll('.scroll, .picture')].filter(each => each.scrollWidth > each.clientWidth).map(each => 'wide: ' + (each.getAttribute('aria-label') ?? each.className)),
      ])`),
    ),
  );

describe.for(['line', 'sweep'] as const)('the report of a %s as a file', form => {
  test('runs nothing and fetches nothing, for any name of the model', async ({ browser }) => {
    using folder = temporaryDirectory();
    const file = await reportFile(folder.path, form, HOSTILE);
    const url = pathToFileURL(file).href;
    const { page, problems } = await browser.open('about:blank');
    const requests: string[] = [];
    page.on('request', request => requests.push(request.url()));
    await page.goto(url);
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await page.getByRole('img', { name: /^TTFT against offered rate/ }).waitFor();
    expect(requests.filter(each => each !== url && !each.startsWith('data:'))).toEqual([]);
    expect(problems).toEqual([]);
    expect(await page.title()).not.toBe('caught');
    expect(await page.locator('script, img, iframe, object, form, [style]').count()).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".sheet")).maxWidth')).toBe('860px');
    expect(statSync(file).size).toBeLessThan(1.5e6);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')).toEqual([390, 390]);
  });

  test('is read by everybody, light and dark, and printed on A4 with nothing cut off', async ({
    browser,
  }) => {
    using folder = temporaryDirectory();
    const url = pathToFileURL(await reportFile(folder.path, form, 'qwen3-next-80b')).href;
    const { page } = await browser.open(url);
    if (isLongRun || form === 'line') expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    if (isLongRun || form === 'sweep') expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    // A4 without its margins, at 96 pixels an inch.
    await page.setViewportSize({ width: 680, height: 1_000 });
    expect(await cutOff(page)).toEqual([]);
    await page.getByText('Why each stage ended as it did').waitFor();
    expect(await page.getByText('Stage 18 at 12.5/s, failed, grows').isVisible()).toBe(true);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(4);
    expect(pdf).toMatch(/\/MediaBox\s*\[0 0 59[45][\d.]* 84[12][\d.]*\]/);
  });
});
