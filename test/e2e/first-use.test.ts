// What somebody does who sees the page for the first time: clicks a link with the mouse, asks for a probe without being allowed
// to, pastes the printed address into the tab that is open already.

import { describe, expect } from 'vitest';
import { longCases } from '../support/counts.ts';
import { test } from './browser-test.ts';
import { service } from './fleet.ts';
import { type ServedMachines, serveMachines } from './serve-machines.ts';

const AT_WORK = { memory: 0.62, use: 0.41, cpu: 0.12 };

const served = async (): Promise<ServedMachines> => {
  const { machines, reported } = service();
  const all = await serveMachines({ machines });
  all.reportAll(reported);
  for (const machine of machines) all.report(machine, AT_WORK);
  return all;
};

describe('the first minutes with the page', () => {
  test('a click on a link picks it and draws no frame of the browser around it', async ({ browser }) => {
    await using cluster = await served();
    const { page } = await browser.open(cluster.url);
    await page
      .getByRole('button', { name: /^Link atlas to bosun/ })
      .locator('.hit')
      .click();
    await page.getByRole('button', { name: /^Link atlas to bosun/, pressed: true }).waitFor();
    const focused = await page.evaluate(
      '[document.activeElement.getAttribute("aria-pressed"), getComputedStyle(document.activeElement).outlineStyle]',
    );
    expect(focused).toEqual(['true', 'none']);
  });

  test('who may not ask for a probe reads in full how to be allowed to', async ({ browser }) => {
    await using cluster = await served();
    const { page } = await browser.open(cluster.url, { width: 1_280, height: 800 });
    await page.getByRole('button', { name: 'Probe all: every device and link' }).click();
    const note = page.locator('[popover]:popover-open');
    await note.getByText('or prints an address to open here').waitFor();
    const box = await note.boundingBox();
    expect(box).not.toBeNull();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1_280);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    await page.keyboard.press('Escape');
    await note.waitFor({ state: 'hidden' });
  });

  test('the printed address signs in a tab that shows the page already', async ({ browser }) => {
    await using cluster = await served();
    const { page, context } = await browser.open(cluster.url);
    await page.getByRole('button', { name: /^Link atlas to juno/ }).waitFor();
    await page.evaluate(
      `location.href = ${JSON.stringify(`${cluster.url}/#code=${cluster.access.issueCode()}`)}`,
    );
    await page.waitForURL(`${cluster.url}/`);
    await expect.poll(async () => (await context.cookies()).length, { timeout: 30_000 }).toBe(1);
  });

  test('an address of an unknown node leads on to those that there are', async ({ browser }) => {
    await using cluster = await served();
    const { page } = await browser.open(`${cluster.url}/nodes/${'z'.repeat(26)}`);
    await page.getByRole('heading', { name: 'No such node' }).waitFor();
    await page.getByRole('link', { name: 'All nodes' }).click();
    await page.waitForURL(`${cluster.url}/nodes`);
  });

  test.for(longCases([961, 1_280], [1_101, 1_600]))(
    'the totals keep to their tiles at %d pixels',
    async (width, { browser }) => {
      await using cluster = await served();
      const { page } = await browser.open(cluster.url, { width, height: 900 });
      await page.getByRole('button', { name: /^Link atlas to juno/ }).waitFor();
      const over = await page.evaluate(OVER_THEIR_TILE);
      expect(over).toEqual([]);
    },
  );
});

/** The words that reach past the tile they belong to. */
const OVER_THEIR_TILE = `[...document.querySelectorAll('.total')].flatMap(tile =>
  [...tile.querySelectorAll('dd, dt')]
    .filter(part => part.getBoundingClientRect().right > tile.getBoundingClientRect().right + 0.5)
    .map(part => part.textContent))`;
