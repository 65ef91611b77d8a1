// The page of one node in a real browser: what its devices and its cables were measured at, now and before, and how a
// person asks for more.

import { describe, expect } from 'vitest';
import type { Fact } from '../../src/core/event-kinds.ts';
import { unknown } from '../../src/core/unknown.ts';
import { isLongRun } from '../support/counts.ts';
import { pressedFact } from '../support/pressed.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { joined } from './fleet.ts';
import { ETHERNET, measuredGpu, profiled, WIFI } from './links.ts';
import { halo, notebook, rack, spark, studio } from './machines.ts';
import { fallenMemory, measuredPast } from './measured-past.ts';
import { serveMachines } from './serve-machines.ts';

const AT_WORK = { memory: 0.62, use: 0.41, cpu: 0.12 };

describe('the page of a node', () => {
  test('reports on each card what was measured, how old it is, and how far to believe it', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [rack] });
    served.report(rack, AT_WORK);
    served.reportNodeFacts(
      rack,
      measuredGpu('GPU-00000000', 165e12, 921e9, {
        engine: 'webgpu',
        isLowerBound: true,
        measuredAgeMs: 120_000,
      }),
      measuredGpu('GPU-00000001', 0, 0, {
        fp16FlopsPerSecond: unknown('never measured'),
        memoryReadBytesPerSecond: unknown('never measured'),
        failure: unknown('the driver ended the kernel'),
      }),
      probing('GPU-00000001', { kind: 'idle', nextInMs: 300_000 }),
      measuredGpu('cpu', 0.9e12, 312e9, { deviceKind: 'cpu', engine: 'cpu' }),
    );
    const { page, problems } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    const first = page.getByRole('article', { name: /^GPU 0/ });
    await first.getByText('165\u00a0TFLOPS').waitFor();
    await first.getByText('lower bound').waitFor();
    await first.getByText('profiled 2\u00a0min ago by webgpu').waitFor();
    const second = page.getByRole('article', { name: /^GPU 1/ });
    await second.getByText(/^failed: the driver ended the kernel, next try in 5\u00a0min$/).waitFor();
    const host = page.getByRole('article', { name: /^Host/ });
    await host.getByText('CPU, not in the totals').waitFor();
    await page
      .getByRole('region', { name: 'Identity' })
      .getByText('1 of 2 GPUs, lower bound')
      .first()
      .waitFor();
    await first.getByRole('button', { name: 'Probe now: GPU 0' }).click();
    await first.getByRole('status', { name: 'Probe' }).getByText(/./).waitFor();
    expect(problems.filter(text => !text.includes('/api/probes') && !text.includes('401'))).toEqual([]);
  });

  test('shows memory that the firmware set aside for graphics as the GPU’s, and the host’s without it', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [halo] });
    served.report(halo, { memory: 0.25, use: 0.9, cpu: 0.1 });
    const { page, problems } = await browser.open(`${served.url}/nodes/${served.idOf(halo)}`);
    const gpu = page.getByRole('article', { name: /^GPU 0/ });
    await gpu.getByText('103\u00a0GB set aside by firmware').waitFor();
    expect(await gpu.innerText()).toMatch(/86\sof\s103\sGB/);
    const host = page.getByRole('article', { name: /^Host/ });
    expect(await host.innerText()).toMatch(/8\.3\sof\s33\.4\sGB/);
    expect(problems).toEqual([]);
  });

  test('reports who works on it, and that probes wait', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio, rack] });
    served.report(rack, AT_WORK);
    const report = () =>
      served.reportNodeFacts(studio, {
        kind: 'runner.reported',
        payload: {
          runnerKey: 'run 0412',
          source: 'run',
          targetNode: served.idOf(rack),
          requestsInFlight: 3,
        },
      });
    report();
    const { page } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    const head = page.getByRole('region', { name: 'Identity' });
    await head.getByRole('link', { name: 'runner active: run 0412' }).waitFor();
    await head.getByText('probes wait until it ends').waitFor();
  });

  test('has one lasting row a connection, with figures, or why there are none', async ({ browser }) => {
    await using served = await serveMachines({ machines: [rack, studio, notebook, spark] });
    for (const machine of [rack, studio, notebook, spark]) served.report(machine, AT_WORK);
    served.reportAll([
      ...joined(rack, studio, ETHERNET),
      ...joined(rack, notebook, WIFI),
      ...joined(rack, spark, { ...ETHERNET, failure: 'refused' }),
    ]);
    const { page, problems } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    const table = page.getByRole('table', { name: 'Connections of bosun' });
    await page.getByRole('region', { name: 'Connections' }).getByText('3 peers, 3 connections').waitFor();
    const names = async () => await table.getByRole('rowheader').allInnerTexts();
    expect(await names()).toEqual(['spark', 'atlas', 'juno']);
    await table
      .getByRole('row', { name: /^spark/ })
      .getByText(/^failed: refused/)
      .waitFor();
    // A better figure moves no row.
    served.reportNodeFacts(rack, profiled(served.idOf(notebook), { ...WIFI, up: 99.1e9 }));
    await table.getByRole('row', { name: /^juno/ }).getByText('99.1\u00a0Gb/s').waitFor();
    expect(await names()).toEqual(['spark', 'atlas', 'juno']);
    await table.getByRole('link', { name: 'atlas', exact: true }).click();
    await page.getByRole('heading', { name: 'atlas' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('reports that the past could not be read, not that there was none, and asks again', async ({
    browser,
    skip,
  }) => {
    if (!isLongRun) skip('a time-out of the page: in npm run test:long');
    using past = measuredPast(rack, fallenMemory('GPU-00000001'));
    await using served = await serveMachines({ machines: [rack], past });
    served.report(rack, AT_WORK);
    const { page } = await browser.open(served.url);
    const ofProfiles = /\/api\/history\?.*slot=gpu/;
    await page.route(ofProfiles, route => route.abort());
    await page.goto(`${served.url}/nodes/${served.idOf(rack)}`);
    const panel = page.getByRole('region', { name: 'Profile history' });
    await panel.getByText('The history could not be loaded: the daemon does not answer').waitFor();
    await page.unroute(ofProfiles);
    await panel.getByRole('img', { name: /^GPU 1, memory bandwidth since / }).waitFor();
  });

  test('reports why the last quarter of an hour is not there', async ({ browser }) => {
    await using served = await serveMachines({ machines: [rack] });
    served.report(rack, AT_WORK);
    const { page } = await browser.open(served.url);
    const ofReadings = /\/api\/history\?node=[^&]*$/;
    await page.route(ofReadings, route => route.abort());
    await page.goto(`${served.url}/nodes/${served.idOf(rack)}`);
    await page
      .getByText(/^The last quarter of an hour could not be read: the daemon does not answer: \S/)
      .waitFor();
  });

  test('reports how long tasks wait, of the host and of the group of the daemon, and why where it does not know', async ({
    browser,
  }) => {
    await using served = await serveMachines({ machines: [rack, studio] });
    served.report(rack, AT_WORK);
    served.report(studio, AT_WORK);
    served.reportNodeFacts(rack, pressedFact('group'));
    const { page, problems } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    const table = page.getByRole('table', { name: 'Share of time in which tasks waited' });
    await table.waitFor();
    const rows = (await table.getByRole('row').allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' '));
    expect(rows).toEqual([
      'Waiting for 10 s 1 min 5 min All tasks waiting, 10 s',
      'CPU Host 32 % 16 % 8 % –',
      'Memory Host 8 % 4 % 2 % 4 %',
      'I/O Host – , permission denied – – –',
      'CPU Control group 32 % 16 % 8 % –',
      'Memory Control group 8 % 4 % 2 % 4 %',
      'I/O Control group 50 % 25 % 13 % 20 %',
    ]);
    await page.getByRole('region', { name: 'Pressure' }).getByText('I/O: permission denied').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.goto(`${served.url}/nodes/${served.idOf(studio)}`);
    await page.getByRole('heading', { name: 'atlas' }).waitFor();
    expect(await table.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('draws what its devices were measured at before, marks a fall, and lists the same', async ({
    browser,
  }) => {
    using past = measuredPast(rack, fallenMemory('GPU-00000001'));
    await using served = await serveMachines({ machines: [rack], past });
    served.report(rack, AT_WORK);
    served.reportNodeFacts(rack, measuredGpu('GPU-00000001', 165e12, 230e9));
    const { page, problems } = await browser.open(`${served.url}/nodes/${served.idOf(rack)}`);
    const panel = page.getByRole('region', { name: 'Profile history' });
    await panel.getByText(/^−75\s% since \d+ [A-Z]/).waitFor();
    await panel
      .getByRole('img', {
        name: /^GPU 1, memory bandwidth since .*read from 921\sGB\/s to 230\sGB\/s/,
      })
      .waitFor();
    const values = panel.getByRole('slider', { name: 'Values of the history' });
    await values.focus();
    expect(await values.getAttribute('aria-valuetext')).toMatch(/^\d+ .* \d\d:\d\d, read 230\sGB\/s/);
    await panel.getByRole('button', { name: 'List of Profile history' }).click();
    await panel
      .getByRole('table', { name: 'GPU 1, memory bandwidth' })
      .getByText('230\u00a0GB/s')
      .first()
      .waitFor();
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
    await panel.getByRole('combobox', { name: 'What is shown' }).selectOption('GPU 0, compute');
    await panel.getByText('Nothing was measured in the last 30 days').waitFor();
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('alone reports in words that there is no other node and no past', async ({ browser }) => {
    await using served = await serveMachines({ machines: [studio] });
    served.report(studio, AT_WORK);
    const { page } = await browser.open(`${served.url}/nodes/${served.idOf(studio)}`, { width: 390 });
    await page.getByRole('region', { name: 'Connections' }).getByText('No other node yet').waitFor();
    await page
      .getByRole('region', { name: 'Profile history' })
      .getByText(/^Nothing was measured/)
      .waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeFindings(page)).toEqual([]);
  });
});

const probing = (deviceId: string, stage: { kind: 'idle'; nextInMs: number }): Fact => ({
  kind: 'probe.reported',
  payload: { subject: { kind: 'gpu', deviceId }, stage },
});
