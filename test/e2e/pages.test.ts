// The pages in a real browser over the real server, with made-up machines: what is on them, how they mark old values,
// and that everybody can use them.

import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { expectForEverybody, type Look, looksAt } from './looks.ts';
import { notebook, rack, spark, studio } from './machines.ts';
import { serveMachines } from './serve-machines.ts';

/** Seven pages, each looked through by axe, on a machine that does other things too. */
const AXE_TIMEOUT_MS = 120_000;
const AT_WORK = { memory: 0.62, use: 0.41, cpu: 0.12 };

describe('the dashboard', () => {
  test('shows a node with its memory and its GPUs, and follows them', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio] });
    served.report(studio, AT_WORK);
    const { page, problems } = await browser.open(served.url);
    await page
      .getByRole('link', { name: /^atlas \(simulated\), Mac Studio/ })
      .getByText('317 of 512\u00a0GB')
      .waitFor();
    await page.getByRole('article', { name: 'Memory', exact: true }).getByText('512').waitFor();
    await page.getByRole('article', { name: 'FP16 compute' }).getByText('0 of 1 GPU measured').waitFor();
    served.report(studio, { ...AT_WORK, memory: 0.7 });
    await page
      .getByRole('link', { name: /^atlas/ })
      .getByText('358 of 512\u00a0GB')
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('a machine with cards of its own shows one bay and one card a GPU', async ({ browser }) => {
    await using served = await serveMachines({ machines: [rack] });
    served.report(rack, AT_WORK);
    const { page, problems } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    await page
      .getByRole('article', { name: /^GPU 0/ })
      .getByText('14.9 of 24\u00a0GB')
      .waitFor();
    await page
      .getByRole('article', { name: /^GPU 1/ })
      .getByText('PCIe ×4 of ×16')
      .waitFor();
    await page
      .getByRole('row', { name: /^enp5s0f0/ })
      .getByText('10\u00a0Gb/s')
      .waitFor();
    await page.getByRole('button', { name: 'bytes' }).click();
    await page
      .getByRole('row', { name: /^enp5s0f0/ })
      .getByText('1.25\u00a0GB/s')
      .waitFor();
    await page.getByRole('button', { name: 'List of Host' }).click();
    await page.getByRole('table', { name: /^Host/ }).getByRole('row', { name: /^CPU/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test('a phone shows the addresses of each interface without being scrolled sideways', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [rack] });
    served.report(rack, AT_WORK);
    const { page } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`, { width: 390 });
    const address = page.getByText('192.0.2.9/24').filter({ visible: true });
    await address.waitFor();
    const box = await address.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 1_000)).toBeLessThanOrEqual(390);
    await page.getByRole('table', { name: 'Load, temperature and power' }).getByText('512\u00a0W').waitFor();
  });

  test('a source that stops is called stale, with its age, and its last figure stays', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [rack] });
    const { page } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    const row = page.getByRole('table', { name: 'Readings' }).getByRole('row', { name: /^GPU load, NVIDIA/ });
    await row.waitFor();
    const reporting = setInterval(() => served.report(rack, AT_WORK), 300);
    const card = page.getByRole('article', { name: /^GPU 0/ });
    await card.getByText('14.9 of 24\u00a0GB').waitFor();
    await row.getByText('current').waitFor();
    clearInterval(reporting);
    await row.getByText(/^stale/).waitFor();
    await card.getByText(/^stale, .* old$/).waitFor();
    await card.getByText('14.9 of 24\u00a0GB').waitFor();
  });

  test('warns of what needs a person, and hides what a person hides', async ({ browser }) => {
    await using served = await serveMachines({
      machines: [spark, rack],
      notices: [
        {
          id: 'config-broken',
          code: 'config-broken',
          problem: 'config.toml:3: no such key',
          advice: 'Leave it out.',
        },
      ],
    });
    served.report(spark, { ...AT_WORK, memory: 0.91 });
    served.report(rack, AT_WORK);
    const { page } = await browser.open(served.url);
    const warnings = page.getByRole('complementary', { name: 'Warnings' });
    await warnings
      .getByRole('article', { name: 'spark: memory at 91\u202f%, 3.10\u00a0GB swapped' })
      .waitFor();
    await warnings.getByRole('article', { name: 'config.toml:3: no such key' }).waitFor();
    await warnings.getByRole('button', { name: 'Hide this warning: bosun: / is almost full' }).click();
    await warnings.getByRole('button', { name: 'Show 1 hidden' }).click();
    await warnings.getByRole('article', { name: 'bosun: / is almost full' }).waitFor();
  });

  test('a silent stream is stale, a lost one reports when it will be tried, and a new daemon is found without reloading', async ({
    browser,
  }) => {
    const options = { machines: [studio], limits: { streamHeartbeatMs: 600_000 } };
    const first = await serveMachines(options);
    await using _first = first;
    first.report(studio, AT_WORK);
    const { page } = await browser.open(`${first.url}/?stale=700`);
    const connection = page.getByRole('status', { name: 'Connection' });
    await connection.getByText('Stale').waitFor();
    await page.getByText(/^last event .* ago$/).waitFor();
    first.report(studio, { ...AT_WORK, memory: 0.7 });
    await connection.getByText('Live').waitFor();
    await page.evaluate('window.isSamePage = true');
    await first.close();
    await connection.getByText('No connection').waitFor();
    await page.getByText(/next try in|trying now/).waitFor();
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
    // Nothing is blanked, and nothing is called live.
    await page
      .getByRole('link', { name: /^atlas/ })
      .getByText('358 of 512\u00a0GB')
      .waitFor();
    await using second = await serveMachines({ ...options, limits: {}, port: first.port });
    second.report(studio, { ...AT_WORK, memory: 0.5 });
    await connection.getByText('Live').waitFor();
    await page
      .getByRole('link', { name: /^atlas/ })
      .getByText('256 of 512\u00a0GB')
      .waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });

  test('two tabs of one browser use one stream, and both are live', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio] });
    served.report(studio, AT_WORK);
    const { page, context } = await browser.open(served.url);
    const second = await context.newPage();
    await second.goto(`${served.url}/nodes`);
    for (const tab of [page, second])
      await tab.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
    await second
      .getByRole('row', { name: /^atlas/ })
      .getByText('317 of 512\u00a0GB')
      .waitFor();
    expect(await streamClients(served.url)).toBe(1);
  });

  test('a tab that was hidden shows what changed meanwhile, and one that is opened later begins with it', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [studio] });
    served.report(studio, AT_WORK);
    const { page, context } = await browser.open(served.url);
    const second = await context.newPage();
    await second.goto(served.url);
    const memory = (tab: Page, text: string): Promise<void> =>
      tab
        .getByRole('link', { name: /^atlas/ })
        .getByText(text)
        .waitFor();
    await memory(second, '317 of 512\u00a0GB');
    await setVisibility(second, 'hidden');
    served.report(studio, { ...AT_WORK, memory: 0.7 });
    await memory(page, '358 of 512\u00a0GB');
    await memory(second, '317 of 512\u00a0GB');
    await setVisibility(second, 'visible');
    await memory(second, '358 of 512\u00a0GB');
    const third = await context.newPage();
    await third.goto(served.url);
    await memory(third, '358 of 512\u00a0GB');
    expect(await streamClients(served.url)).toBe(1);
  });

  test('beyond loopback a browser without access shows what to do, and a one-time code lets it in and leaves the address', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [studio], host: '0.0.0.0' });
    served.report(studio, AT_WORK);
    const { page, context } = await browser.open(served.url);
    await page.getByRole('heading', { name: 'This browser has no access yet' }).waitFor();
    await page.getByText('plimsoll open').waitFor();
    const invited = await context.newPage();
    await invited.goto(`${served.url}/nodes#code=${served.access.issueCode()}`);
    await invited.getByRole('row', { name: /^atlas/ }).waitFor();
    expect(new URL(invited.url()).hash).toBe('');
    await page.reload();
    await page.getByRole('link', { name: /^atlas/ }).waitFor();
  });

  test('a code that is no good is reported to be none', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio], host: '0.0.0.0' });
    const { page } = await browser.open(`${served.url}/#code=${'x'.repeat(22)}`);
    await page.getByText('The code in the address was not accepted').waitFor();
    expect(new URL(page.url()).hash).toBe('');
  });

  test('the chosen theme is kept, and is applied before anything is drawn', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio] });
    const { page, context } = await browser.open(served.url, { theme: 'light' });
    const theme = (): Promise<unknown> => page.evaluate('document.documentElement.dataset.theme');
    expect(await theme()).toBe('light');
    await page.getByRole('button', { name: /^Theme: as the system/ }).click();
    await page.getByRole('button', { name: /^Theme: light/ }).click();
    expect(await theme()).toBe('dark');
    // Without the module the theme can only come from the script in the head.
    await context.route(/\/assets\/index-.*\.js$/, route => route.abort());
    await page.reload();
    expect(await theme()).toBe('dark');
  });

  test('links change the page in place, and back goes back', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio] });
    served.report(studio, AT_WORK);
    const { page } = await browser.open(served.url);
    await page.evaluate('window.isSamePage = true');
    await page.getByRole('link', { name: /^atlas \(simulated\), Mac Studio/ }).click();
    await page.getByRole('heading', { name: 'atlas', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/nodes/${served.idOf(studio)}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Cluster', level: 1 }).waitFor();
    for (const [name, heading] of [
      ['Links 0', 'Links'],
      ['Runs 0', 'Runs'],
      ['Nodes 1', 'Nodes'],
    ] as const) {
      await page.getByRole('navigation').getByRole('link', { name }).click();
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    }
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });

  test('the keyboard goes header, totals, nodes, warnings', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio, notebook] });
    served.report(studio, { ...AT_WORK, memory: 0.9 });
    served.report(notebook, AT_WORK);
    const { page } = await browser.open(served.url);
    await page.getByRole('article', { name: /^atlas: memory/ }).waitFor();
    const stops: string[] = [];
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press('Tab');
      stops.push(
        String(
          await page.evaluate(
            'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()',
          ),
        ),
      );
    }
    const wanted = [
      /^Skip to the page$/,
      /^Plimsoll$/,
      /^Cluster$/,
      /^Links/,
      /^Nodes/,
      /^Runs/,
      /^Headroom$/,
      /^bits$/,
      /^bytes$/,
      /^RTT\/2$/,
      /^RTT$/,
      /^Theme/,
      /^FP16 compute, node by node$/,
      /^Memory bandwidth, node by node$/,
      /^Memory, node by node$/,
      /^atlas \(simulated\), /,
      /^juno \(simulated\), /,
      /^Hide this warning: atlas/,
      /^Copy the command/,
    ];
    for (const [index, pattern] of wanted.entries()) expect(stops[index]).toMatch(pattern);
  });

  test('axe finds nothing on any page, light and dark, and none is wider than the screen', {
    timeout: AXE_TIMEOUT_MS,
  }, async ({ browser }) => {
    const machines = [rack, studio, spark, notebook];
    await using served = await serveMachines({ machines });
    const publish = (): void => {
      for (const machine of machines) served.report(machine, { ...AT_WORK, memory: 0.9 });
    };
    publish();
    const { page, problems } = await browser.open(served.url);
    for (const [index, path] of [
      '/',
      '/nodes',
      `/nodes/${served.idOf(rack)}`,
      `/nodes/${served.idOf(studio)}`,
      '/links',
      '/runs',
      '/nodes/nobody',
    ].entries()) {
      await page.goto(served.url + path);
      await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
      // Every second page light and wide, the others dark and narrow, and all of them both in the long run.
      for (const look of isLongRun || index % 2 === 1 ? looksAt([390, 1_280]) : [WIDE]) {
        publish();
        await expectForEverybody(page, [look]);
      }
    }
    expect(problems).toEqual([]);
  });
});

const WIDE: Look = { theme: 'light', width: 1_280 };

/** As when a person looks at another tab, and at this one again. */
const setVisibility = async (tab: Page, state: 'visible' | 'hidden'): Promise<void> => {
  await tab.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })`,
  );
  await tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
};

const streamClients = async (url: string): Promise<unknown> => {
  const body: unknown = await (await fetch(`${url}/api/daemon`)).json();
  if (typeof body !== 'object' || body === null || !('streams' in body)) return undefined;
  const { streams } = body;
  return typeof streams === 'object' && streams !== null && 'clients' in streams
    ? streams.clients
    : undefined;
};
