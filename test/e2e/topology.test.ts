// The map, its dock and the matrix in a real browser over the real server, with made-up machines and links.

import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { connectionKey } from '../../src/core/link/connection.ts';
import { unknown } from '../../src/core/unknown.ts';
import { isLongRun, longCases } from '../support/counts.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { type Fleet, joined, mesh, service } from './fleet.ts';
import { connectionOf, ETHERNET, idOf, opened, profiled, WIFI } from './links.ts';
import { expectForEverybody, looksAt } from './looks.ts';
import { notebook, rack, studio } from './machines.ts';
import { type ServedMachines, serveMachines } from './serve-machines.ts';

const AXE_TIMEOUT_MS = 120_000;
const REPORT_MS = 1_000;
const AT_WORK = { memory: 0.62, use: 0.41, cpu: 0.12 };

const served = async ({ machines, reported }: Fleet): Promise<ServedMachines> => {
  const all = await serveMachines({ machines });
  all.reportAll(reported);
  const report = (): void => {
    for (const machine of machines) all.report(machine, AT_WORK);
  };
  report();
  // A node that is silent for ten seconds is stale, and its names, which the tests look for, then contain that.
  const reporting = setInterval(report, REPORT_MS);
  return {
    ...all,
    [Symbol.asyncDispose]: async () => {
      clearInterval(reporting);
      await all.close();
    },
  };
};

const linkNamed = (page: Page, start: RegExp): Locator => page.getByRole('button', { name: start });
const dockOf = (page: Page, name: string): Locator => page.getByRole('region', { name });

describe('the map of a cluster', () => {
  test('names every link in full, and its dock is the same as a table', async ({ browser }) => {
    await using cluster = await served(service());
    const { page, problems } = await browser.open(cluster.url);
    await page
      .getByRole('button', {
        name: 'Link atlas to juno, Thunderbolt 5 (RDMA): 74.8 Gb/s to juno, 74.6 Gb/s to atlas, RTT/2 9 µs',
      })
      .waitFor();
    expect(await linkNamed(page, /^Link /).count()).toBe(6);
    const row = page.getByRole('table', { name: 'Links' }).getByRole('row', { name: /atlas – bosun/ });
    await row.getByText('9.41\u00a0Gb/s').waitFor();
    await row.getByText('107\u00a0µs').waitFor();
    await page.getByRole('button', { name: 'bytes' }).click();
    await row.getByText('1.18\u00a0GB/s').waitFor();
    expect(problems).toEqual([]);
  });

  test('reports of each node what it has of a total, under the pointer and under the focus', async ({
    browser,
  }) => {
    await using cluster = await served(service());
    const { page } = await browser.open(cluster.url);
    const memory = page.getByRole('article', { name: 'Memory', exact: true });
    const values = memory.getByRole('slider', { name: 'Memory, node by node' });
    await values.focus();
    await page.keyboard.press('Home');
    await memory.getByText('atlas', { exact: true }).waitFor();
    expect(await values.getAttribute('aria-valuetext')).toMatch(/^atlas, \d+ of 512.GB used, 62.%$/);
    await page.keyboard.press('Escape');
    await values.hover();
    await memory.getByText(/^\d+ of \d+.GB used$/).waitFor();
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
  });

  test('a click pins a link and shows its connections, Escape lets go', async ({ browser }) => {
    await using cluster = await served(service());
    const { page } = await browser.open(cluster.url);
    await linkNamed(page, /^Link atlas to juno/).dispatchEvent('click');
    const dock = dockOf(page, 'Connections of atlas – juno');
    await dock.getByText('4 connections, best first').waitFor();
    for (const header of ['RTT/2', 'jitter/2', 'up', 'down'])
      await dock.getByRole('columnheader', { name: header, exact: true }).waitFor();
    const rows = dock.getByRole('row');
    expect(await rows.nth(1).innerText()).toContain('rdma_en3 · rdma_en4');
    await dock.getByRole('button', { name: /^Details of atlas to juno, rdma_en3/ }).click();
    await dock.getByText('JACCL, 1 MiB messages, 2 s each way (mlx-jaccl)').waitFor();
    await page.keyboard.press('Escape');
    await dockOf(page, 'Links').waitFor();
  });

  test('six connections of a link stand in the dock whole, on a small screen and on a large one', async ({
    browser,
  }) => {
    const { machines, reported } = service();
    await using cluster = await served({
      machines,
      reported: [...reported, ...joined(studio, notebook, WIFI)],
    });
    const { page } = await browser.open(cluster.url);
    await linkNamed(page, /^Link atlas to juno/).dispatchEvent('click');
    const dock = dockOf(page, 'Connections of atlas – juno');
    await dock.getByText('6 connections, best first').waitFor();
    for (const size of [
      { width: 1_280, height: 800 },
      { width: 1_920, height: 1_080 },
    ]) {
      await page.setViewportSize(size);
      await page.evaluate(
        'new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
      );
      const edge = await dock.boundingBox();
      const last = await dock.getByRole('row').nth(6).boundingBox();
      expect(await dock.getByRole('row').count()).toBe(7);
      expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual((edge?.y ?? 0) + (edge?.height ?? 0));
    }
  });

  test('the keyboard sees a link by standing on it, and keeps it by Enter', async ({ browser }) => {
    await using cluster = await served(service());
    const { page } = await browser.open(cluster.url);
    const link = linkNamed(page, /^Link atlas to bosun/);
    await link.focus();
    await dockOf(page, 'Connections of atlas – bosun').waitFor();
    await page.keyboard.press('Tab');
    await dockOf(page, 'Connections of atlas – juno').waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: 'Theme: as the system has it, light now. Change to light' })
      .focus();
    await dockOf(page, 'Connections of atlas – juno').waitFor();
    await page.keyboard.press('Escape');
    await dockOf(page, 'Links').waitFor();
  });

  test('pointing at a link shows it for as long as one points', async ({ browser }) => {
    await using cluster = await served(service());
    const { page } = await browser.open(cluster.url);
    const box = await linkNamed(page, /^Link bosun to spark/).boundingBox();
    if (box === null) throw new Error('the link is not drawn');
    await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
    await dockOf(page, 'Connections of bosun – spark').waitFor();
    await page.mouse.move(640, 20);
    await dockOf(page, 'Links').waitFor();
  });

  test.for(longCases([8], [4, 12]))(
    'of %i nodes shows the table of a link in view while one points at it, at 1366 × 768 and 1280 × 720',
    async (count, { browser }) => {
      await using cluster = await served(count === 4 ? service() : mesh(count));
      const { page } = await browser.open(cluster.url);
      for (const size of [
        { width: 1_366, height: 768 },
        { width: 1_280, height: 720 },
      ]) {
        await page.setViewportSize(size);
        await page.mouse.move(640, 20);
        await dockOf(page, 'Links').waitFor();
        const link = linkNamed(page, /^Link /).first();
        await link.hover({ force: true });
        const dock = page.getByRole('region', { name: /^Connections of / });
        await dock.waitFor();
        const row = await dock.getByRole('row').nth(1).boundingBox();
        const edge = await dock.boundingBox();
        const map = await page.getByRole('region', { name: 'Topology' }).boundingBox();
        expect((row?.y ?? size.height) + (row?.height ?? 0)).toBeLessThanOrEqual(size.height);
        expect((edge?.y ?? size.height) + (edge?.height ?? 0)).toBeLessThanOrEqual(size.height);
        expect(edge?.y ?? 0).toBeGreaterThanOrEqual((map?.y ?? 0) + (map?.height ?? 0));
      }
    },
  );

  test('a figure between two arrowheads reports that it is the lower one, and a picked link shows both, on the map and in the dock', async ({
    browser,
  }) => {
    await using cluster = await served(mesh(8));
    const { page } = await browser.open(cluster.url);
    await page.getByText('min: the lower of both directions').waitFor();
    const lower = page.locator('text.label.both').first();
    expect(await lower.textContent()).toMatch(/^min\u00a0\d/);
    await linkNamed(page, /^Link atlas to ceres/).dispatchEvent('click');
    const dock = dockOf(page, 'Connections of atlas – ceres');
    await dock.getByText(/^to ceres 9\.\d+\u00a0Gb\/s$/).waitFor();
    await dock.getByText(/^to atlas 9\.\d+\u00a0Gb\/s$/).waitFor();
    const picked = page.locator('text.label.picked');
    await expect.poll(() => picked.count()).toBeGreaterThanOrEqual(2);
    const classes = await picked.evaluateAll(labels =>
      labels.map(label => label.getAttribute('class') ?? ''),
    );
    for (const role of ['toFirst', 'toSecond']) expect(classes.some(name => name.includes(role))).toBe(true);
  });

  test('follows figures in place, and a link that is closed goes', async ({ browser }) => {
    await using cluster = await served(service());
    const { page } = await browser.open(cluster.url);
    await linkNamed(page, /^Link atlas to bosun.*9\.41 Gb\/s to bosun/).waitFor();
    cluster.reportNodeFacts(studio, profiled(idOf(rack), { ...ETHERNET, up: 4.87e9, down: 9.4e9 }));
    cluster.reportNodeFacts(
      rack,
      profiled(idOf(studio), { ...ETHERNET, up: 9.4e9, down: 4.87e9, address: '192.0.2.90' }),
    );
    await linkNamed(page, /^Link atlas to bosun.*4\.87 Gb\/s to bosun/).waitFor();
    await page
      .getByRole('table', { name: 'Links' })
      .getByText('atlas→bosun 4.87\u00a0Gb/s of 10\u00a0Gb/s')
      .waitFor();
    for (const [from, to, address] of [
      [studio, rack, '192.0.2.9'],
      [rack, studio, '192.0.2.90'],
    ] as const) {
      cluster.reportNodeFacts(from, {
        kind: 'connection.closed',
        payload: {
          sink: idOf(to),
          connectionKey: connectionKey(connectionOf(idOf(to), { ...ETHERNET, address })),
          reason: 'no answer',
        },
      });
    }
    await linkNamed(page, /^Link atlas to bosun/).waitFor({ state: 'detached' });
  });

  test('reports what is being measured, and why there is nothing', async ({ browser }) => {
    await using cluster = await served({
      machines: [studio, notebook, rack],
      reported: [{ machine: studio, facts: [opened(idOf(notebook), ETHERNET), opened(idOf(rack), WIFI)] }],
    });
    const nothing = unknown('timed out after 30 s');
    cluster.reportNodeFacts(
      studio,
      {
        kind: 'probe.reported',
        payload: {
          subject: {
            kind: 'link',
            sink: idOf(notebook),
            connectionKey: connectionKey(connectionOf(idOf(notebook), ETHERNET)),
          },
          stage: { kind: 'running', expectedMs: 20_000, isByHand: false },
        },
      },
      profiled(
        idOf(rack),
        { ...WIFI, failure: nothing.reason },
        { uploadBitsPerSecond: nothing, downloadBitsPerSecond: nothing, roundTripNsP50: nothing },
      ),
      {
        kind: 'probe.reported',
        payload: {
          subject: { kind: 'gpu', deviceId: 'apple-0' },
          stage: { kind: 'waiting', reason: 'a runner is active', nextInMs: 15_000 },
        },
      },
    );
    const { page } = await browser.open(cluster.url);
    await page.getByRole('button', { name: 'Link atlas to juno, Ethernet: measuring' }).waitFor();
    const failed = page.getByRole('button', {
      name: 'Link atlas to bosun, Wi-Fi: failed: timed out after 30 s',
    });
    await page.getByRole('link', { name: /^atlas .*waits: a runner is active/ }).waitFor();
    await failed.focus();
    await dockOf(page, 'Connections of atlas – bosun')
      .getByText('failed: timed out after 30 s')
      .first()
      .waitFor();
  });

  test.for(longCases([5], [2, 3, 4, 6, 7, 8, 12]))(
    'no label covers another label or a node, as %i meshed nodes are really drawn at 1280 × 800',
    async (count, { browser }) => {
      await using cluster = await served(mesh(count));
      const { page } = await browser.open(cluster.url);
      await linkNamed(page, /^Link /)
        .first()
        .waitFor();
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      expect(await page.evaluate(OVERLAPS)).toEqual([]);
    },
  );

  test('what gives way on a compact map is counted, and the matrix is one click away', async ({
    browser,
  }) => {
    await using cluster = await served(mesh(8));
    const { page } = await browser.open(cluster.url);
    await page.getByText(/^\d+ labels hidden/).waitFor();
    await page.getByRole('link', { name: 'matrix' }).click();
    await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor();
    await page.getByRole('button', { name: /^atlas to ceres: 9\.\d+ Gb\/s/ }).waitFor();
  });

  test('the matrix is walked by arrow keys, Enter selects, and the list has the same', async ({
    browser,
  }) => {
    await using cluster = await served(service());
    const { page, problems } = await browser.open(`${cluster.url}/links`);
    await page.getByRole('button', { name: 'atlas to juno: 74.8 Gb/s' }).focus();
    await page.keyboard.press('Enter');
    const side = page.getByRole('complementary', { name: 'Selected link' });
    await side.getByText('rdma_en3 · rdma_en4').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    // The row below is juno's own; its cell in juno's column is passed over.
    const focused = await page.evaluate('document.activeElement.getAttribute("aria-label")');
    expect(focused).toBe('bosun to atlas: 9.38 Gb/s, 94 per cent of what it should carry');
    await page.keyboard.press('Enter');
    await side.getByRole('heading', { name: 'bosun to atlas' }).waitFor();
    await page.getByRole('group', { name: 'Measure' }).getByRole('button', { name: 'RTT/2' }).click();
    await page.getByRole('button', { name: 'atlas to juno: RTT/2 9 µs' }).waitFor();
    await page.getByRole('button', { name: 'List' }).click();
    // The list keeps what was picked in the matrix.
    await side.getByRole('heading', { name: 'bosun to atlas' }).waitFor();
    await page.getByRole('table', { name: 'Links' }).getByRole('button', { name: 'atlas – juno' }).click();
    await side.getByRole('heading', { name: 'atlas to juno' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('asks the daemon to measure, and reports when this browser may not', async ({ browser }) => {
    await using cluster = await served(service());
    const { page } = await browser.open(cluster.url);
    await page.getByRole('button', { name: 'Probe all: every device and link' }).click();
    await page.getByRole('status', { name: 'Probe' }).getByText('this browser may only read').waitFor();
    // Readable whole, with the command that signs in.
    await page.getByText('it opens this page signed in, or prints an address to open here').waitFor();
    await page.getByRole('button', { name: 'Copy the command plimsoll open' }).waitFor();
  });

  test('order of the keyboard: header, links, nodes, warnings, dock', async ({ browser }) => {
    await using cluster = await served(service());
    const { page } = await browser.open(cluster.url);
    await linkNamed(page, /^Link atlas to bosun/).waitFor();
    const stops: string[] = [];
    for (let step = 0; step < 34; step += 1) {
      await page.keyboard.press('Tab');
      stops.push(
        String(
          await page.evaluate(
            'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()',
          ),
        ),
      );
    }
    const first = (pattern: RegExp): number => stops.findIndex(stop => pattern.test(stop));
    const order = [/^Theme/, /^Link /, /^atlas \(simulated\), /, /^Hide this warning/, /^Probe all/].map(
      first,
    );
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test('axe finds nothing, light and dark, and nothing is wider than the screen', {
    timeout: AXE_TIMEOUT_MS,
  }, async ({ browser }) => {
    await using cluster = await served(service());
    const { page, problems } = await browser.open(cluster.url);
    const looks = looksAt([390, 1_280, 1_920]);
    await linkNamed(page, /^Link atlas to juno/).waitFor();
    await expectForEverybody(page, looks);
    await linkNamed(page, /^Link atlas to juno/).dispatchEvent('click');
    await dockOf(page, 'Connections of atlas – juno').waitFor();
    // Links that are faded while one is selected are the only place below AA; the dock shows the same in full contrast.
    await expectForEverybody(page, looks, found => !found.startsWith('color-contrast'));
    await page.goto(`${cluster.url}/links`);
    await page.getByRole('button', { name: 'atlas to juno: 74.8 Gb/s' }).click();
    await expectForEverybody(page, looks);
    expect(problems).toEqual([]);
  });
});

/** Boxes as the browser has them: of labels against labels, and against every text and drawing of a node. */
const OVERLAPS = `(() => {
  const box = element => element.getBoundingClientRect();
  const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  const labels = [...document.querySelectorAll('text.label')];
  const solids = [...document.querySelectorAll('a.node text, a.node .machine')];
  const found = [];
  labels.forEach((label, index) => {
    for (const other of [...labels.slice(index + 1), ...solids])
      if (meet(box(label), box(other))) found.push(label.textContent + ' on ' + other.textContent);
  });
  if (labels.length === 0) found.push('no labels at all');
  return found;
})()`;
