// The page of a cluster of more nodes than a map can name, in a real browser over the real server: of sixteen nodes from their
// whole state, of seventy from the stream that carries what the page shows.

import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { type Fleet, joined, mesh, renamed } from './fleet.ts';
import { ETHERNET, idOf, profiled } from './links.ts';
import { type Machine, rack as server, studio } from './machines.ts';
import { type ServedMachines, serveMachines } from './serve-machines.ts';

const AXE_TIMEOUT_MS = 120_000;
const REPORT_MS = 1_000;

/** So many to a rack, named r1, r2 … */
const inRacks = (machines: readonly Machine[], size: number): readonly Machine[] =>
  machines.map((machine, index) => ({
    ...machine,
    durable: machine.durable.map(fact =>
      fact.kind === 'config.gathered'
        ? {
            ...fact,
            payload: {
              ...fact.payload,
              value: {
                ...fact.payload.value,
                rack: `r${Math.floor(index / size) + 1}`,
                tags: [index % 2 === 0 ? 'serve' : 'train'],
              },
            },
          }
        : fact,
    ),
  }));

const served = async ({ machines, reported }: Fleet): Promise<ServedMachines> => {
  const all = await serveMachines({ machines });
  all.reportAll(reported);
  const report = (): void => {
    for (const [index, machine] of machines.entries())
      all.report(machine, { memory: index === 2 ? 0.93 : 0.3 + (index % 7) / 20, use: 0.4, cpu: 0.1 });
  };
  report();
  const reporting = setInterval(report, REPORT_MS);
  return {
    ...all,
    [Symbol.asyncDispose]: async () => {
      clearInterval(reporting);
      await all.close();
    },
  };
};

const sixteen = (): Fleet => {
  const { machines, reported } = mesh(16);
  return { machines: inRacks(machines, 8), reported };
};

/** Two templates in turn, without links. */
const seventy = (): Fleet => ({
  machines: inRacks(
    Array.from({ length: 70 }, (_, index) => {
      const letters =
        String.fromCharCode(97 + Math.floor(index / 10)) + String.fromCharCode(97 + (index % 10));
      return {
        ...renamed(index % 2 === 0 ? studio : server, `m${letters}-${(index % 10) + 1}`),
        seed: `m${letters}`,
      };
    }),
    10,
  ),
  reported: [],
});

const gridOf = (page: Page) => page.getByRole('grid', { name: /^Nodes by group/ });
const sideOf = (page: Page, name: string) => page.getByRole('region', { name: `Picked: ${name}` });

describe('the page of a fleet', () => {
  test(
    'shows nodes by rack, names each to a screen reader, and axe finds nothing',
    async ({ browser }) => {
      const fleet = sixteen();
      await using cluster = await served(fleet);
      const { page, problems } = await browser.open(cluster.url, { width: 1_440, height: 900 });
      await gridOf(page)
        .getByRole('rowgroup', { name: /^r1, 8 nodes, memory \d+.%/ })
        .waitFor();
      expect(
        await gridOf(page)
          .getByRole('gridcell', { name: /^(?!Pick)/ })
          .count(),
      ).toBe(16);
      await gridOf(page)
        .getByRole('gridcell', { name: /^ceres|^hermes|memory 93/ })
        .first()
        .waitFor();
      await page.getByRole('region', { name: 'What to look at first' }).getByText('Slowest cable').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate(OVERLAPS)).toEqual([]);
      await page.getByRole('button', { name: 'Table' }).click();
      await page
        .getByRole('table', { name: 'Groups' })
        .getByRole('row', { name: /^r2 8 of 8/ })
        .waitFor();
      if (isLongRun) expect(await axeFindings(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
    AXE_TIMEOUT_MS,
  );

  test('what is picked is in the address, at the side and in the table, and back takes it back', async ({
    browser,
  }) => {
    const fleet = sixteen();
    const [first] = fleet.machines;
    if (first === undefined) throw new Error('no machine');
    await using cluster = await served(fleet);
    const { page } = await browser.open(cluster.url, { width: 1_440, height: 900 });
    await gridOf(page)
      .getByRole('gridcell', { name: /^atlas/ })
      .focus();
    await page.keyboard.press('Enter');
    await sideOf(page, 'atlas').getByText('Links', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?node=atlas');
    await page
      .getByRole('region', { name: 'Links of atlas' })
      .getByRole('link', { name: /^atlas – / })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await sideOf(page, 'atlas').waitFor({ state: 'detached' });
    await page.goBack();
    await sideOf(page, 'atlas').waitFor();
    await page.keyboard.press('Escape');
    await sideOf(page, 'atlas').waitFor({ state: 'detached' });
    await gridOf(page)
      .getByRole('gridcell', { name: /^atlas/ })
      .focus();
    await page.keyboard.press('g');
    await sideOf(page, 'r1').getByRole('link', { name: 'Open its map' }).waitFor();
    await page.goto(`${cluster.url}/?group=r1&group=r2`);
    await sideOf(page, 'r1 – r2').getByText('Median').waitFor();
  });

  test('a slow cable is reported first, drawn, listed, and its command given', async ({ browser }) => {
    const fleet = sixteen();
    const [one, other] = [fleet.machines[0], fleet.machines[9]];
    if (one === undefined || other === undefined) throw new Error('no machines');
    await using cluster = await served(fleet);
    const { page } = await browser.open(cluster.url, { width: 1_440, height: 900 });
    await gridOf(page).waitFor();
    cluster.reportNodeFacts(one, profiled(idOf(other), { ...ETHERNET, up: 0.9e9, down: 9.3e9 }));
    cluster.reportNodeFacts(
      other,
      profiled(idOf(one), { ...ETHERNET, up: 9.3e9, down: 0.9e9, address: '192.0.2.90' }),
    );
    const answers = page.getByRole('region', { name: 'What to look at first' });
    await answers.getByRole('button', { name: /^Slowest cable.*900.Mb\/s of 10.Gb\/s/ }).waitFor();
    await page
      .getByRole('region', { name: 'Warnings' })
      .getByRole('heading', { name: /^Slow cable/ })
      .waitFor();
    await page
      .getByRole('region', { name: 'Warnings' })
      .getByText(/^plimsoll$/)
      .first()
      .waitFor();
    await page.locator('svg path.cable').first().waitFor({ state: 'attached' });
  });

  test('a search fades the rest, Enter picks the only one, and the name of a group opens its map', async ({
    browser,
  }) => {
    await using cluster = await served(sixteen());
    const { page } = await browser.open(cluster.url, { width: 1_440, height: 900 });
    await gridOf(page).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('atlas');
    await page.getByText('1 of 16 match').waitFor();
    await page.keyboard.press('Enter');
    await sideOf(page, 'atlas').waitFor();
    await page.getByRole('link', { name: 'r1, 8 nodes: open its map' }).click();
    await page
      .getByRole('button', { name: /^Link atlas to / })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'All groups' }).click();
    await gridOf(page).waitFor();
    // A finger is wider than a cell: it opens the group that it meets.
    await page.evaluate(TAP_FIRST_CELL);
    await page
      .getByRole('button', { name: /^Link atlas to / })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get('map')).toBe('r1');
  });

  test('of seventy nodes comes as a stream of its own, with what is picked and the map of a group', async ({
    browser,
  }) => {
    await using cluster = await served(seventy());
    const { page, problems } = await browser.open(cluster.url, { width: 1_440, height: 900 });
    await gridOf(page)
      .getByRole('rowgroup', { name: /^r7, 10 nodes/ })
      .waitFor();
    await gridOf(page)
      .getByRole('gridcell', { name: /^maa-1/ })
      .focus();
    await page.keyboard.press('Enter');
    await sideOf(page, 'maa-1').getByText('not measured').first().waitFor();
    const streams = await page.evaluate(
      'performance.getEntriesByType("resource").map(({ name }) => name).join(" ")',
    );
    expect(String(streams)).not.toContain('/api/state');
    await page.getByRole('link', { name: 'r2, 10 nodes: open its map' }).click();
    await page.getByRole('link', { name: /^mba-1/ }).waitFor();
    await page.getByRole('link', { name: 'Cluster', exact: true }).click();
    await gridOf(page)
      .getByRole('rowgroup', { name: /^r7, 10 nodes/ })
      .waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the other pages of seventy nodes', () => {
  test(
    'list nodes page by page, and show one of them with its links',
    async ({ browser, skip }) => {
      if (!isLongRun) skip('a cluster of its own: in the long run');
      const fleet = seventy();
      await using cluster = await served({ ...fleet, reported: linksOf(fleet) });
      const { page, problems } = await browser.open(`${cluster.url}/nodes`, { width: 1_440, height: 900 });
      await page.getByText('page 1 of 2').waitFor();
      await page.getByRole('row', { name: /^maa-1/ }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('row', { name: /^mga-1/ }).waitFor();
      await page.getByRole('searchbox', { name: 'Filter nodes' }).fill('mab');
      await page.getByText('1 of 70 match').waitFor();
      await page.getByRole('link', { name: 'mab-2' }).click();
      await page.getByRole('heading', { name: 'mab-2' }).waitFor();
      await page.getByRole('cell', { name: /maa-1/ }).first().waitFor();
      expect(await page.title()).toMatch(/^Node mab-2/);
      expect(problems).toEqual([]);
    },
    AXE_TIMEOUT_MS,
  );

  test(
    'show links as a matrix of groups, as a list, and one by one, and report which were not chosen',
    async ({ browser, skip }) => {
      if (!isLongRun) skip('a cluster of its own: in the long run');
      const fleet = seventy();
      await using cluster = await served({ ...fleet, reported: linksOf(fleet) });
      const { page, problems } = await browser.open(`${cluster.url}/links`, { width: 1_440, height: 900 });
      const cell = page.getByRole('button', { name: /^r1 to r2: .* median of one link/ });
      await cell.waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'List' }).click();
      await page.getByText('2 links').waitFor();
      await page.getByRole('link', { name: 'maa-1 – mab-2' }).click();
      await page.getByRole('heading', { level: 1, name: /maa-1.*mab-2/ }).waitFor();
      await page.goto(`${cluster.url}/links/maa-1/mgj-10`);
      await page.getByText('This link was not chosen today').waitFor();
      await page.goto(`${cluster.url}/runs`);
      await page.getByRole('heading', { name: 'Runs' }).waitFor();
      await page.goto(`${cluster.url}/links`);
      await cell.click();
      await sideOf(page, 'r1 – r2').waitFor();
      expect(problems).toEqual([]);
    },
    AXE_TIMEOUT_MS,
  );
});

/** From the first node to one of its rack, and to one of the next. */
const linksOf = ({ machines: [first, second, ...others] }: Fleet): Fleet['reported'] => {
  const far = others[9];
  if (first === undefined || second === undefined || far === undefined) throw new Error('no machines');
  return [...joined(first, second, ETHERNET), ...joined(first, far, ETHERNET)];
};

/** What a browser sends after a touch. */
const TAP_FIRST_CELL = `(() => {
  const cell = document.querySelector('[role="gridcell"]');
  const { left, top, width, height } = cell.getBoundingClientRect();
  cell.dispatchEvent(new PointerEvent('click', { pointerType: 'touch', bubbles: true, clientX: left + width / 2, clientY: top + height / 2 }));
})()`;

/** Words of the picture that lie on others. */
const OVERLAPS = `(() => {
  const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  const words = [...document.querySelectorAll('[role="grid"] svg text')].map(text => ({ text: text.textContent, box: text.getBoundingClientRect() }));
  const found = [];
  words.forEach((one, index) => {
    for (const other of words.slice(index + 1)) if (meet(one.box, other.box)) found.push(one.text + ' on ' + other.text);
  });
  if (words.length === 0) found.push('no words at all');
  return found;
})()`;
