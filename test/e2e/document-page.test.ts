// A plain document on the page of a daemon that finds it on disk: in the list, and on a page that no code of its form draws.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { jsonLines } from '../../src/core/text/single-line.ts';
import { madeUpCampaign } from '../support/made-up-campaign.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { startDaemon } from './started-daemon.ts';

describe('a probe campaign', () => {
  test('is in the list of runs and on a page of its own, which fits a phone', async ({ browser }) => {
    using folder = temporaryDirectory();
    const home = join(folder.path, 'home');
    const directory = join(home, 'runs', 'c1');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'campaign.json'), jsonLines(madeUpCampaign('c1')));
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(`${daemon.url}/runs`, { width: 390 });
    await page.getByRole('row', { name: /Probe campaign c1 complete/ }).waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Probe campaign');
    expect(new URL(page.url()).search).toBe('?kind=campaign');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'c1' }).click();
    await page.getByRole('heading', { name: 'Probe campaign' }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^Probe campaign c1 · /);
    await page.getByRole('table', { name: 'Links' }).getByText('+100 %').waitFor();
    await page.getByRole('region', { name: 'Not measured' }).getByText('there is no link to it').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
