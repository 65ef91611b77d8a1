// The headroom page in a real browser: one server over made-up machines, one page for everything that it must show.

import { expect } from 'vitest';
import { connectionKey } from '../../src/core/link/connection.ts';
import { headerBytes } from '../model/made-headers.ts';
import { isLongRun } from '../support/counts.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { connectionOf, ETHERNET, measuredGpu, wired } from './links.ts';
import { notebook, spark, studio } from './machines.ts';
import { serveMachines } from './serve-machines.ts';

test('a header that is dropped shows what each machine should do with it, and follows what they report', async ({
  browser,
}) => {
  await using served = await serveMachines({ machines: [studio, spark, notebook] });
  served.reportNodeFacts(
    studio,
    measuredGpu('apple-0', 20e12, 660e9),
    ...wired(served.idOf(spark), ETHERNET),
  );
  served.reportNodeFacts(spark, measuredGpu('GPU-00000010', 90e12, 230e9));
  const { page, problems } = await browser.open(`${served.url}/headroom`);
  const files = page.locator('input[type=file]');

  await files.setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from('PNG') });
  await page.getByRole('alert').getByText('cat.png is not a model that can be read').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const header = Buffer.from(headerBytes('qwen3-30b-a3b'));
  await files.setInputFiles({ name: 'qwen3-30b-a3b.gguf', mimeType: '', buffer: header });

  const gauges = page.getByRole('region', { name: 'Time for one token' });
  await gauges
    .getByRole('button', { name: /^One device on atlas: 12\.1 ms a token, .* at most 240/ })
    .waitFor();
  await gauges
    .getByRole('button', { name: /^One device on juno: not known, it has not been measured/ })
    .waitFor();
  const table = page.getByRole('table', { name: 'Placements, the best first' });
  expect(await table.getByRole('row').nth(1).textContent()).toMatch(/^One device atlas/);

  // The address contains the whole selection, so a shared link shows the same page.
  await gauges.getByRole('button', { name: /^One device on spark/ }).press('Enter');
  await page.getByRole('img', { name: /^One device on spark: 1 of 3 nodes/ }).waitFor();
  await page.getByRole('button', { name: '8', exact: true }).click();
  expect(new URL(page.url()).search).toMatch(/^\?batch=8&pick=one%3A/);
  await page.reload();
  await page.getByRole('region', { name: 'Time for one token' }).getByText('a step makes 8 tokens').waitFor();
  await table.getByRole('button', { name: 'One device spark', pressed: true }).waitFor();

  // A third machine is measured, and is the best at once.
  served.reportNodeFacts(notebook, measuredGpu('apple-0', 30e12, 1_900e9));
  await table.getByRole('row', { name: /^One device juno .* the best of those here$/ }).waitFor();

  // The other sizes stand in the long run.
  for (const { width, theme } of [
    { width: 390, theme: 'dark' },
    ...(isLongRun
      ? ([
          { width: 900, theme: 'dark' },
          { width: 1_440, theme: 'light' },
        ] as const)
      : []),
  ] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 900 });
    await page
      .getByRole('button', { name: /^One device on juno: / })
      .first()
      .waitFor();
    expect(await axeFindings(page), `${width}`).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  expect(problems).toEqual([]);
});

test('a cable that is pulled takes the placements that needed it off the page', async ({ browser }) => {
  await using served = await serveMachines({ machines: [studio, spark, notebook] });
  served.reportNodeFacts(
    studio,
    measuredGpu('apple-0', 20e12, 660e9),
    ...wired(served.idOf(spark), ETHERNET),
  );
  served.reportNodeFacts(spark, measuredGpu('GPU-00000010', 90e12, 230e9));
  const { page, problems } = await browser.open(`${served.url}/headroom`);
  const header = Buffer.from(headerBytes('qwen3-30b-a3b'));
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'qwen3-30b-a3b.gguf', mimeType: '', buffer: header });
  const table = page.getByRole('table', { name: 'Placements, the best first' });
  const row = table.getByRole('button', { name: /^PP 2 .*(atlas \+ spark|spark \+ atlas)/ });
  await row.click();
  await page.getByRole('img', { name: /^PP 2 on .*: 2 of 3 nodes/ }).waitFor();

  served.reportNodeFacts(studio, {
    kind: 'connection.closed',
    payload: {
      sink: served.idOf(spark),
      connectionKey: connectionKey(connectionOf(served.idOf(spark), ETHERNET)),
      reason: 'no answer',
    },
  });
  await row.waitFor({ state: 'detached' });
  // What was looked at is gone: the best of the others is.
  await table.getByRole('button', { name: /^One device atlas/, pressed: true }).waitFor();
  const address = new URL(page.url());
  address.searchParams.set('nodes', 'nobody');
  await page.goto(address.href);
  await page.getByRole('alert').getByText('No node has nobody in its name').waitFor();
  await page.getByRole('button', { name: 'all 3 nodes' }).click();
  await table.getByRole('button', { name: /^One device atlas/ }).waitFor();
  expect(problems).toEqual([]);
});
