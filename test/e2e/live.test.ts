// The product as a person meets it: `plimsoll up` on this machine, its page in a real browser.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { formatBytes, formatCount } from '../../src/core/figure/figure.ts';
import { StandInTools } from '../gather/gpu/stand-in-tools.ts';
import { isLongRun } from '../support/counts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { startDaemon } from './started-daemon.ts';

describe('plimsoll up in a browser', () => {
  test('the page shows the memory of /proc/meminfo to the byte, and its values move', async ({
    browser,
    skip,
  }) => {
    if (!existsSync('/proc/meminfo')) return skip('no /proc/meminfo on this system');
    using home = temporaryDirectory();
    await using daemon = await startDaemon({ home: join(home.path, 'home') });
    const { page, problems } = await browser.open(daemon.url);
    const totalBytes = memoryTotalBytes();
    const total = formatBytes(totalBytes);
    await page
      .getByRole('article', { name: 'Memory', exact: true })
      .getByText(`${total.figure}\u00a0${total.unit}`)
      .waitFor();
    await page
      .getByRole('region', { name: /^Topology/ })
      .getByRole('link')
      .click();
    const row = page.getByRole('table', { name: 'Memory in bytes' }).getByRole('row', { name: /^Total/ });
    await row.getByRole('cell', { name: formatCount(totalBytes), exact: true }).waitFor();
    const available = page
      .getByRole('table', { name: 'Memory in bytes' })
      .getByRole('row', { name: /^Available/ });
    const before = await available.innerText();
    await expect.poll(() => available.innerText(), { timeout: 30_000 }).not.toBe(before);
    expect(problems).toEqual([]);
  });

  test('the page of the node shows every reading with its source and its age, and axe finds nothing on it', async ({
    browser,
  }) => {
    using home = temporaryDirectory();
    await using daemon = await startDaemon({ home: join(home.path, 'home') });
    const { page, problems } = await browser.open(`${daemon.url}/nodes`);
    await page.getByRole('table', { name: 'Nodes' }).getByRole('link').click();
    for (const reading of ['Identity', 'Memory', 'System', 'Network', 'Disks', 'Config']) {
      await readingRow(page, reading).getByText('current').waitFor();
    }
    await page.getByRole('table', { name: 'Network interfaces' }).getByRole('row', { name: /^lo/ }).waitFor();
    await page.getByRole('img', { name: /^CPU, last 15 min: lowest/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('a streaming source that is stopped is called stale on the page, and current again when it goes on', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('its rule is held without a browser: in the long run');
    using home = temporaryDirectory();
    await using tools = await StandInTools.create();
    tools.add('nvidia-smi', ONE_CARD);
    await using daemon = await startDaemon({
      home: join(home.path, 'home'),
      env: { PATH: `${tools.folder}:${process.env['PATH']}` },
    });
    const { page } = await browser.open(`${daemon.url}/nodes`);
    await page.getByRole('table', { name: 'Nodes' }).getByRole('link').click();
    const row = readingRow(page, 'GPU load, NVIDIA');
    await row.getByText('current').waitFor();
    const stream = tools
      .starts('nvidia-smi')
      .findLast(({ args }) => args.some(argument => argument.startsWith('--query-gpu=')));
    if (stream === undefined) throw new Error('nvidia-smi was never asked for loads');
    process.kill(stream.processId, 'SIGSTOP');
    await row.getByText(/^stale/).waitFor();
    await page
      .getByRole('article', { name: /^GPU 0/ })
      .getByText(/^stale, .* old$/)
      .waitFor();
    process.kill(stream.processId, 'SIGCONT');
    await row.getByText('current').waitFor();
  });

  test('a killed daemon is a lost connection, and its next start is found without reloading', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('the pages of a served state show it too: in npm run test:long');
    using directory = temporaryDirectory();
    const home = join(directory.path, 'home');
    const first = await startDaemon({ home });
    await using _first = first;
    const { page } = await browser.open(first.url);
    const connection = page.getByRole('status', { name: 'Connection' });
    await connection.getByText('Live').waitFor();
    const node = page.getByRole('region', { name: /^Topology/ }).getByRole('link');
    await node.waitFor();
    await page.evaluate('window.isSamePage = true');
    await first.kill();
    await connection.getByText('No connection').waitFor();
    await page.getByText(/next try in|trying now/).waitFor();
    expect(await node.getByText(/ of .* · /).count()).toBe(1);
    await using _second = await startDaemon({ home, port: first.port });
    await connection.getByText('Live').waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });

  test('two tabs of one browser are one client of the daemon', async ({ browser, skip }) => {
    if (!isLongRun) skip('the pages of a served state show it too: in npm run test:long');
    using home = temporaryDirectory();
    await using daemon = await startDaemon({ home: join(home.path, 'home') });
    const { page, context } = await browser.open(daemon.url);
    const second = await context.newPage();
    await second.goto(`${daemon.url}/nodes`);
    for (const tab of [page, second]) {
      await tab.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
    }
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toMatch(/^plimsoll_daemon_stream_clients 1$/m);
  });
});

const readingRow = (page: Page, reading: string) =>
  page.getByRole('table', { name: 'Readings' }).getByRole('row', { name: new RegExp(`^${reading}`) });

const memoryTotalBytes = (): number =>
  Number(/^MemTotal:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1_024;

const fixture = (name: string): string =>
  JSON.stringify(readFileSync(new URL(`../fixtures/nvidia-smi/${name}`, import.meta.url), 'utf8'));

/** Answers for its inventory, then streams a row every second as the real one does. */
const ONE_CARD = `
  if (args[0] === '-q') { fs.writeSync(1, ${fixture('inventory-rtx-4090.xml')}); process.exit(0); }
  every(1000, () => fs.writeSync(1, ${fixture('loads-rtx-4090-idle.csv')}));
`;
