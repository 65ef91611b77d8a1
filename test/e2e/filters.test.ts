// Lists that are filtered, in a real browser: what is left, how many are hidden, and that the address keeps the choice.

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { runConfig } from '../support/run-records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { service } from './fleet.ts';
import { idOf, profiled, THUNDERBOLT, turned } from './links.ts';
import { notebook, rack, spark, studio } from './machines.ts';
import { serveMachines } from './serve-machines.ts';
import { startDaemon } from './started-daemon.ts';

const MACHINES = [studio, notebook, spark, rack];

describe('a filtered list', () => {
  test('of links leaves a type, a node or what is flagged, and its address opens the same view', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: MACHINES });
    served.reportAll(service().reported);
    // As both of its ends measure it, so that neither reports a sound cable.
    const short = { ...THUNDERBOLT, up: 21e9 };
    served.reportNodeFacts(studio, profiled(idOf(notebook), short));
    served.reportNodeFacts(notebook, profiled(idOf(studio), turned(short)));
    for (const machine of MACHINES) served.report(machine, { memory: 0.5, use: 0.4, cpu: 0.1 });
    const { page, problems } = await browser.open(`${served.url}/links`);
    await page.getByRole('button', { name: 'List', exact: true }).click();
    const links = linkNames(page);
    await expect.poll(() => links.count(), { timeout: 30_000 }).toBe(6);
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Wi-Fi');
    await page.getByText('2 of 6 shown, 4 hidden').waitFor();
    await page.getByRole('combobox', { name: 'Node' }).selectOption('bosun');
    await page.getByText('1 of 6 shown, 5 hidden').waitFor();
    expect(new URL(page.url()).search).toBe(`?as=list&type=wifi&node=${idOf(rack)}`);
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
    await page.reload();
    await page.getByText('1 of 6 shown, 5 hidden').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => links.count(), { timeout: 30_000 }).toBe(6);
    await page.getByRole('button', { name: 'Flagged only 1' }).click();
    await page.getByText('1 of 6 shown, 5 hidden').waitFor();
    await expect.poll(() => links.allInnerTexts(), { timeout: 30_000 }).toEqual(['atlas – juno']);
    expect(problems).toEqual([]);
  });

  test('and the link that is looked at stand in the address, on the map, in the matrix and in the list', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: MACHINES });
    served.reportAll(service().reported);
    for (const machine of MACHINES) served.report(machine, { memory: 0.5, use: 0.4, cpu: 0.1 });
    const { page, problems } = await browser.open(served.url);
    await page.getByRole('button', { name: /^Link atlas to juno/ }).dispatchEvent('click');
    const dock = page.getByRole('region', { name: 'Connections of atlas – juno' });
    await dock.waitFor();
    expect(new URL(page.url()).searchParams.get('link')).toBe('atlas,juno');
    await page.reload();
    await dock.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Links' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.goto(`${served.url}/links`);
    await page.getByRole('button', { name: /^juno to atlas: 74\.6 Gb\/s, 93\S* per cent/ }).click();
    expect(new URL(page.url()).searchParams.get('link')).toBe('juno,atlas');
    await page.reload();
    await page
      .getByRole('complementary', { name: 'Selected link' })
      .getByRole('heading', { name: 'juno to atlas' })
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('has a title that names its page, and the keyboard can skip the header', async ({ browser }) => {
    await using served = await serveMachines({ machines: MACHINES });
    const { page } = await browser.open(`${served.url}/links`);
    await expect.poll(() => page.title()).toBe('Links · atlas · Plimsoll');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
    await page.getByRole('link', { name: /^Nodes/ }).click();
    await expect.poll(() => page.title()).toBe('Nodes · atlas · Plimsoll');
  });

  test('of runs leaves a state, a target or a model, and back goes to where one was', async ({ browser }) => {
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    for (const [id, model, end] of [
      ['first', 'big-model', 'complete'],
      ['second', 'small-model', 'complete'],
      ['third', 'small-model', 'interrupted'],
    ] as const) {
      const run = new MadeUpRun({
        directory: join(home, 'runs', id),
        config: runConfig({ id, model, startedAt: new Date().toISOString() }),
      });
      run.samples(40, { fromMs: 0, untilMs: 20_000 });
      run.report(end);
    }
    await using daemon = await startDaemon({ home });
    const { page, problems } = await browser.open(`${daemon.url}/runs`);
    const links = page.getByRole('table', { name: 'Runs' }).getByRole('link');
    await expect.poll(() => links.count(), { timeout: 30_000 }).toBe(3);
    await page.getByRole('combobox', { name: 'Model' }).selectOption('small-model');
    await page.getByText('2 of 3 shown, 1 hidden').waitFor();
    await page.getByRole('button', { name: 'Not complete 1' }).click();
    await expect.poll(() => links.allInnerTexts(), { timeout: 30_000 }).toEqual(['third']);
    expect(new URL(page.url()).search).toBe('?state=not-complete&model=small-model');
    expect(await axeFindings(page)).toEqual([]);
    await links.first().click();
    await page.getByRole('heading', { name: 'Run third' }).waitFor();
    await page.goBack();
    await page.getByText('1 of 3 shown, 2 hidden').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => links.count(), { timeout: 30_000 }).toBe(3);
    await page.getByRole('combobox', { name: 'Target' }).waitFor();
    expect(problems).toEqual([]);
  });
});

const linkNames = (page: Page) =>
  page.getByRole('table', { name: 'Links' }).getByRole('rowheader').getByRole('button');
