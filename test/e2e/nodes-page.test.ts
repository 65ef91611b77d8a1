// The list of nodes in a real browser: the map's twin as a table that is sorted, filtered and shared by its address.

import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { longCount } from '../support/counts.ts';
import { test } from './browser-test.ts';
import { type Fleet, mesh, renamed, service } from './fleet.ts';
import { expectForEverybody, looksAt } from './looks.ts';
import { notebook, rack, spark, studio } from './machines.ts';
import { type ServedMachines, serveMachines } from './serve-machines.ts';

const MACHINES = [studio, notebook, spark, rack];
const REPORT_MS = 500;
const LOADS = [0.62, 0.36, 0.91, 0.81] as const;

describe('the list of nodes', () => {
  test('reports of each node what the map reports, and how many links and warnings it has', async ({
    browser,
  }) => {
    await using served = await serve(service());
    const { page, problems } = await browser.open(`${served.url}/nodes`);
    const row = page.getByRole('row', { name: /^bosun/ });
    for (const text of [
      'GPU 37.9 of 48\u00a0GB · 79\u202f%',
      '330\u00a0TFLOPS',
      '512\u00a0W',
      'rack server',
      'desk',
    ])
      await row.getByText(text).first().waitFor();
    await expect.poll(() => cellOf(page, 'bosun', 'Links'), { timeout: 30_000 }).toBe('3');
    await expect.poll(() => cellOf(page, 'spark', 'Warnings'), { timeout: 30_000 }).toMatch(/^[1-9]/);
    expect(problems).toEqual([]);
  });

  test('is sorted by a column’s head, and reports it to who listens', async ({ browser }) => {
    await using served = await serve(service());
    const { page } = await browser.open(`${served.url}/nodes`);
    await page
      .getByRole('row', { name: /^bosun/ })
      .getByText('330')
      .waitFor();
    // Nodes that need attention come first, the others follow by name.
    await expect.poll(() => names(page), { timeout: 30_000 }).toEqual(['bosun', 'spark', 'atlas', 'juno']);
    await page.getByRole('button', { name: 'FP16' }).click();
    await expect.poll(() => names(page), { timeout: 30_000 }).toEqual(['bosun', 'spark', 'atlas', 'juno']);
    const head = page.getByRole('columnheader', { name: 'FP16' });
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await head.getByRole('button').press('Enter');
    await expect.poll(() => names(page), { timeout: 30_000 }).toEqual(['juno', 'atlas', 'spark', 'bosun']);
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    expect(new URL(page.url()).search).toBe('?sort=compute');
  });

  test('is filtered by words, state and kind, reports how many are left out, and the address keeps it', async ({
    browser,
  }) => {
    await using served = await serve(service());
    const { page } = await browser.open(`${served.url}/nodes?state=warned`);
    await page.getByRole('row', { name: /^spark/ }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('row', { name: /^juno/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter nodes' }).fill('mac');
    await expect.poll(() => names(page), { timeout: 30_000 }).toEqual(['atlas', 'juno']);
    await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('Mac Studio');
    await expect.poll(() => names(page), { timeout: 30_000 }).toEqual(['atlas']);
    await page.getByText('1 of 4 shown').waitFor();
    expect(new URL(page.url()).search).toBe('?q=mac&kind=studio');
    await page.reload();
    await page.getByText('1 of 4 shown').waitFor();
    await page.getByRole('searchbox', { name: 'Filter nodes' }).fill('nobody');
    await page.getByText('No node matches').waitFor();
  });

  test('reads at many nodes, and words leave the few that are meant', async ({ browser }) => {
    // The most that one list holds; past that it is read page by page (fleet-page.test.ts).
    const count = longCount(30, 64);
    const machines = Array.from({ length: count }, (_, index) =>
      renamed(MACHINES[index % 4] ?? studio, `machine-${String(index).padStart(3, '0')}`),
    );
    await using served = await serve({ machines, reported: [] });
    const { page, problems } = await browser.open(`${served.url}/nodes`);
    await page.getByRole('row', { name: new RegExp(`^machine-0*${count - 1}`) }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter nodes' }).fill('machine-01');
    await page.getByText(`10 of ${count} shown`).waitFor();
    expect((await names(page)).length).toBe(10);
    expect(problems).toEqual([]);
  });

  test('axe finds nothing, light and dark, and it is not wider than the screen', async ({ browser }) => {
    await using served = await serve(mesh(8));
    const { page, problems } = await browser.open(`${served.url}/nodes?q=studio`);
    await page.getByText('4 of 8 shown').waitFor();
    await page.getByRole('row', { name: /^atlas/ }).waitFor();
    await expectForEverybody(page, looksAt([390, 1_280]));
    expect(problems).toEqual([]);
  });
});

/** Its nodes keep reporting, so that none of them is stale on a slow computer. */
const serve = async ({
  machines,
  reported,
}: Fleet): Promise<Pick<ServedMachines, 'url'> & AsyncDisposable> => {
  const served = await serveMachines({ machines });
  served.reportAll(reported);
  const report = (): void => {
    for (const [index, machine] of machines.entries())
      served.report(machine, { memory: LOADS[index % LOADS.length] ?? 0.5, use: 0.41, cpu: 0.12 });
  };
  report();
  const reporting = setInterval(report, REPORT_MS);
  return {
    url: served.url,
    [Symbol.asyncDispose]: () => {
      clearInterval(reporting);
      return served.close();
    },
  };
};

/** In the order of the rows. */
const names = async (page: Page): Promise<readonly string[]> =>
  (
    await page.getByRole('table', { name: 'Nodes' }).getByRole('rowheader').getByRole('link').allInnerTexts()
  ).map(name => name.replace(/ .*/, ''));

const cellOf = async (page: Page, node: string, column: string): Promise<string> => {
  const table = page.getByRole('table', { name: 'Nodes' });
  const heads = (await table.getByRole('columnheader').allInnerTexts()).map(head =>
    head.replace(/[↑↓]/g, '').trim(),
  );
  const cells = await table
    .getByRole('row', { name: new RegExp(`^${node}`) })
    .locator('th, td')
    .allInnerTexts();
  return cells[heads.indexOf(column)]?.trim() ?? '';
};
