// The page of one link in a real browser over the real server: both directions, how it is reached,
// and what it shows if there is no such link.

import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import { isLongRun } from '../support/counts.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { service } from './fleet.ts';
import { ETHERNET, idOf, opened, profiled, THUNDERBOLT, WIFI, wired } from './links.ts';
import { expectForEverybody, looksAt } from './looks.ts';
import { type Machine, notebook, rack, spark, studio } from './machines.ts';
import { measuredPast } from './measured-past.ts';
import { type ServedMachines, serveMachines } from './serve-machines.ts';

const HOUR_MS = 3_600_000;
const AT_WORK = { memory: 0.62, use: 0.41, cpu: 0.12 };
const MACHINES = [studio, notebook, spark, rack];
const ADDRESS = `/links/${idOf(studio)}/${idOf(notebook)}`;

describe('the page of a link', () => {
  test('shows both directions, every connection with its details, and the warning about the link', async ({
    browser,
  }) => {
    await using served = await serveSmall();
    const { page, problems } = await browser.open(served.url + ADDRESS);
    await page.getByRole('heading', { name: 'atlas – juno', level: 1 }).waitFor();
    await page
      .getByRole('region', { name: 'atlas to juno' })
      .getByRole('img', { name: /^What it carries: now 41\.1 Gb\/s; negotiated 80 Gb\/s/ })
      .waitFor();
    await page
      .getByRole('region', { name: 'juno to atlas' })
      .getByRole('img', { name: /^What it carries: now 74\.6 Gb\/s/ })
      .waitFor();
    const table = page.getByRole('table', { name: 'Connections of atlas – juno' });
    const best = table.getByRole('row', { name: /^atlas to juno rdma_en3/ });
    for (const text of ['min 16\u00a0µs · p99 38\u00a0µs', 'of 200 round trips', 'every 6\u00a0h'])
      await best.getByText(text).waitFor();
    await table.getByText('failed: the port is closed').waitFor();
    await table.getByText('not measured yet').waitFor();
    await page
      .getByRole('region', { name: 'Warnings about this link' })
      .getByRole('article', { name: /^atlas to juno: 41\.1.Gb\/s is far less/ })
      .waitFor();
    await page.getByRole('button', { name: 'Probe now: atlas – juno' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('shows its past over the span that is chosen, and the address keeps the choice', async ({
    browser,
  }) => {
    await using served = await serveSmall(monthOfPast());
    const { page } = await browser.open(served.url + ADDRESS);
    const history = page.getByRole('region', { name: 'History' });
    await history.getByRole('img', { name: /over the last 3 days: atlas→juno lowest 41\.2/ }).waitFor();
    await history.getByRole('button', { name: '30 days' }).click();
    await history.getByRole('img', { name: /over the last 30 days: .*median 74\.8/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?span=30d');
    await page.reload();
    await history.getByRole('img', { name: /over the last 30 days/ }).waitFor();
    await history.getByRole('button', { name: 'RTT/2' }).click();
    await history.getByRole('img', { name: /^Delay .* RTT\/2 lowest 9.µs/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?span=30d&measure=delay');
    await page.reload();
    await history.getByRole('img', { name: /^Delay over the last 30 days: RTT\/2 lowest 9.µs/ }).waitFor();
    const connections = history.getByRole('combobox', { name: 'Connection' });
    await connections.selectOption({ index: 2 });
    const chosen = await connections.inputValue();
    expect(new URL(page.url()).searchParams.get('connection')).toBe(chosen);
    await page.reload();
    await connections.waitFor();
    expect(await connections.inputValue()).toBe(chosen);
    await connections.selectOption({ index: 0 });
    await history.getByRole('img', { name: /^Delay over the last 30 days/ }).waitFor();
    await history.getByRole('button', { name: 'List of History' }).click();
    await history
      .getByRole('table', { name: 'History of this connection' })
      .getByRole('row')
      .nth(2)
      .waitFor();
  });

  test('reports what was measured when, under the pointer and under the focus', async ({ browser }) => {
    await using served = await serveSmall(monthOfPast());
    const { page } = await browser.open(`${served.url}${ADDRESS}?span=30d`);
    const history = page.getByRole('region', { name: 'History' });
    const values = history.getByRole('slider', { name: 'Values of the history' });
    await values.hover();
    await history.getByText(/^atlas→juno (74\.8|41\.2).Gb\/s$/).waitFor();
    await history.getByText(/^\d+ [A-Z][a-z]+ \d\d:\d\d$/).waitFor();
    await page.mouse.move(0, 0);
    await history.getByText(/^atlas→juno \d/).waitFor({ state: 'detached' });
    await values.focus();
    await page.keyboard.press('Home');
    expect(await values.getAttribute('aria-valuetext')).toMatch(/^\d+ .* \d\d:\d\d, atlas→juno 74\.8.Gb\/s/);
    await page.keyboard.press('Escape');
    await history.getByText(/^atlas→juno 74/).waitFor({ state: 'detached' });
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
  });

  test('is reached from the dock, from the matrix and from a node’s connections', async ({ browser }) => {
    await using served = await serveSmall();
    const { page } = await browser.open(served.url);
    const arrived = async (): Promise<void> => {
      await page.getByRole('heading', { name: 'atlas – juno', level: 1 }).waitFor();
    };
    await page.getByRole('button', { name: /^Link atlas to juno/ }).dispatchEvent('click');
    await page.getByRole('link', { name: 'Link page of atlas – juno' }).click();
    await arrived();
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Links/ })
      .click();
    await page.getByRole('button', { name: /^atlas to juno:/ }).click();
    await page.getByRole('link', { name: 'Link page of atlas to juno' }).click();
    await arrived();
    await page.getByRole('main').getByRole('link', { name: 'atlas' }).click();
    await page.getByRole('link', { name: 'Link page of atlas to juno' }).first().click();
    await arrived();
    expect(await focusedTag(page)).toBe('MAIN');
  });

  test('opens by the names of its nodes, and reports what is wrong with an address that means none', async ({
    browser,
  }) => {
    await using served = await serveSmall();
    const { page } = await browser.open(`${served.url}/links/atlas/juno`);
    await page.getByRole('heading', { name: 'atlas – juno', level: 1 }).waitFor();
    await page.goto(`${served.url}/links/atlas/jun`);
    await page.getByText('No node of this cluster has the name or id “jun”').waitFor();
    await page.getByRole('link', { name: 'atlas – juno' }).click();
    await page.getByRole('heading', { name: 'atlas – juno', level: 1 }).waitFor();
    await page.goto(`${served.url}/links/atlas/atlas`);
    await page.getByRole('heading', { name: 'A link has two ends' }).waitFor();
  });

  test('of two nodes that nothing joins reports it, and fills when something does', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio, notebook] });
    for (const machine of [studio, notebook]) served.report(machine, AT_WORK);
    const { page } = await browser.open(served.url + ADDRESS);
    await page.getByText('The two are not connected').waitFor();
    served.reportNodeFacts(studio, ...wired(idOf(notebook), ETHERNET));
    await page.getByRole('table', { name: 'Connections of atlas – juno' }).getByText('9.41').waitFor();
  });

  test('shows what a queue adds under load, and warns of it from a tenth of a second on', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [studio, notebook] });
    for (const machine of [studio, notebook]) served.report(machine, AT_WORK);
    const queueing = (uploadQueueNs: number): Fact =>
      profiled(idOf(notebook), ETHERNET, { uploadQueueNs, downloadQueueNs: 2e6 });
    served.reportNodeFacts(studio, opened(idOf(notebook), ETHERNET), queueing(180e6));
    const { page, problems } = await browser.open(served.url + ADDRESS, { width: 1_440, height: 1_000 });
    const table = page.getByRole('table', { name: 'Connections of atlas – juno' });
    await table.getByText('180\u00a0ms up, 2.0\u00a0ms down', { exact: true }).waitFor();
    const warning = page
      .getByRole('region', { name: 'Warnings about this link' })
      .getByRole('article', { name: /^atlas to juno: queue adds 180.ms up, 2\.0.ms down under load/ });
    await warning.getByText('bufferbloat').waitFor();
    served.reportNodeFacts(studio, queueing(99e6));
    await table.getByText('99\u00a0ms up').waitFor();
    await page.getByRole('article', { name: /queue adds/ }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  test('is not wider than the screen where machines have names of 40 characters', async ({ browser }) => {
    const [left, right] = [
      named(studio, 'atlas-gpu-worker-of-rack-0042-row-7-east'),
      named(notebook, 'juno-gpu-worker-of-rack-0043-row-7-west1'),
    ];
    await using served = await serveMachines({ machines: [left, right] });
    served.reportNodeFacts(left, ...wired(idOf(right), ETHERNET));
    served.reportNodeFacts(right, ...wired(idOf(left), { ...ETHERNET, up: 1e9 }));
    for (const machine of [left, right]) served.report(machine, AT_WORK);
    const { page, problems } = await browser.open(served.url + ADDRESS, { width: 390, height: 900 });
    await page.getByText('other way').first().waitFor();
    for (const width of [390, 900, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}`).toBe(width);
    }
    expect(problems).toEqual([]);
  });

  test('axe finds nothing, light and dark, and it is not wider than the screen', async ({ browser }) => {
    await using served = await serveSmall(monthOfPast());
    const { page, problems } = await browser.open(served.url + ADDRESS);
    const looks = looksAt([390, 1_280]);
    await page.getByRole('img', { name: /over the last 3 days/ }).waitFor();
    await expectForEverybody(page, looks);
    await page.goto(`${served.url}/links/atlas/nobody`);
    await page.getByRole('heading', { name: 'No such link' }).waitFor();
    await expectForEverybody(page, looks);
    expect(problems).toEqual([]);
  });
});

const named = (machine: Machine, friendlyName: string): Machine => ({
  ...machine,
  durable: machine.durable.map(fact =>
    fact.kind === 'identity.gathered'
      ? {
          ...fact,
          payload: { ...fact.payload, value: { ...fact.payload.value, friendlyName } },
        }
      : fact,
  ),
});

const focusedTag = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.tagName');

/** One direction of its best way is short, one way has failed, one was not measured yet. */
const serveSmall = async (past?: ReturnType<typeof measuredPast>): Promise<ServedMachines> => {
  const served = await serveMachines({ machines: MACHINES, ...(past === undefined ? {} : { past }) });
  served.reportAll(service().reported);
  served.reportNodeFacts(
    studio,
    profiled(idOf(notebook), { ...THUNDERBOLT, up: 41.2e9 }),
    ...wired(idOf(notebook), { ...ETHERNET, address: '192.0.2.44', failure: 'the port is closed' }),
    opened(idOf(notebook), { ...WIFI, address: '192.0.2.45' }),
  );
  served.reportNodeFacts(
    notebook,
    profiled(idOf(studio), { ...THUNDERBOLT, rdma: ['rdma_en4', 'rdma_en3'], up: 74.6e9, down: 41.1e9 }),
  );
  for (const machine of MACHINES) served.report(machine, AT_WORK);
  return served;
};

/** Four days ago the way up fell. */
const monthOfPast = () =>
  measuredPast(
    studio,
    Array.from({ length: 100 }, (_, index) => {
      const agoMs = (99 - index) * 6 * HOUR_MS + 1_000;
      const up = agoMs < 96 * HOUR_MS ? 41.2e9 : 74.8e9;
      return { agoMs, fact: profiled(idOf(notebook), { ...THUNDERBOLT, up }) };
    }),
  );
