// A live run that is stopped from its page: the real bench against the mock, the real daemon, a real browser.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { isLongRun } from '../support/counts.ts';
import { madeUpRunEntry } from '../support/run-entry.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { axeFindings } from './browser.ts';
import { test } from './browser-test.ts';
import { rack, studio } from './machines.ts';
import { serveMachines } from './serve-machines.ts';
import { startCommand } from './started-command.ts';
import { startProcess } from './started-process.ts';

const LIMIT_MS = 120_000;
const REPORT_MS = 1_000;

describe(
  'a live run',
  () => {
    test('is stopped on its page, which asks twice, and ends as interrupted with its account', async ({
      browser,
    }) => {
      using directory = temporaryDirectory();
      const home = join(directory.path, 'home');
      await using daemon = await startCommand(['up', '--home', home, '--probes', 'off']);
      await using mock = startProcess(['mock', '--home', home, '--ttft', '20ms', '--gap', '2ms']);
      const target = /Serving \S+ at (\S+)/.exec(await mock.printed(/Serving \S+ at \S+/))?.[1] ?? '';
      const { page, problems } = await browser.open(await daemon.signInUrl());
      await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
      await page.getByRole('navigation').getByRole('link', { name: /^Runs/ }).click();
      await using bench = startProcess([...benchOf(target, home)]);
      await openLiveRun(page);
      await page.getByText(/[1-9]\d* completed/).waitFor();
      const stop = page.getByRole('group', { name: 'Stop this run' });
      await stop.getByRole('button', { name: 'Stop', exact: true }).click();
      await stop.getByText('It ends as interrupted.').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await stop.getByRole('button', { name: 'Let it run' }).click();
      await stop.getByRole('button', { name: 'Stop', exact: true }).click();
      await stop.getByRole('button', { name: 'Stop it now' }).click();
      expect(await bench.ended(), bench.output()).toBe(EXIT_CODES.benchInterrupted.code);
      await page.getByText('This run is interrupted.').waitFor();
      await page.getByRole('table', { name: 'Percentiles', exact: true }).waitFor();
      const [folder = ''] = readdirSync(join(home, 'runs'));
      const report = JSON.parse(readFileSync(join(home, 'runs', folder, 'report.json'), 'utf8'));
      expect(report).toMatchObject({ interrupted: true, state: 'interrupted' });
      expect(report.counts.completed).toBeGreaterThan(0);
      expect(bench.output()).toContain('stopped from the dashboard');
      expect(problems).toEqual([]);
    });

    test('is not stopped by a browser that may only look, which shows how to get the right', async ({
      browser,
      skip,
    }) => {
      if (!isLongRun) skip('the daemon refuses it in a test of its own: in the long run');
      using directory = temporaryDirectory();
      const home = join(directory.path, 'home');
      await using daemon = await startCommand(['up', '--home', home, '--probes', 'off']);
      await using mock = startProcess(['mock', '--home', home, '--ttft', '20ms', '--gap', '2ms']);
      const target = /Serving \S+ at (\S+)/.exec(await mock.printed(/Serving \S+ at \S+/))?.[1] ?? '';
      const { page } = await browser.open(`${daemon.url}/runs`);
      await using _bench = startProcess([...benchOf(target, home)]);
      await openLiveRun(page);
      const stop = page.getByRole('group', { name: 'Stop this run' });
      await stop.getByRole('button', { name: 'Stop', exact: true }).click();
      await stop.getByRole('button', { name: 'Stop it now' }).click();
      await stop.getByText(/^this browser may only read: .*plimsoll open/).waitFor();
      await stop.getByRole('button', { name: 'Stop', exact: true }).waitFor();
      await page.getByText('plimsoll watch').first().waitFor();
    });

    test('whose process is on another machine reports that it is stopped there', async ({ browser }) => {
      await using served = await serveMachines({ machines: [studio, rack] });
      const run = madeUpRunEntry('far-away');
      served.reportNodeFacts(rack, { kind: 'run.started', payload: run });
      const lease = (): void =>
        served.reportNodeFacts(rack, {
          kind: 'runner.reported',
          payload: {
            runnerKey: 'run far-away',
            source: 'run',
            targetNode: run.targetNode,
            requestsInFlight: 1,
          },
        });
      lease();
      const leases = setInterval(lease, REPORT_MS);
      try {
        const { page } = await browser.open(`${served.url}/runs/far-away`);
        const stop = page.getByRole('group', { name: 'Stop this run' });
        await stop
          .getByText('it runs on bosun: stop it on the page of that machine, or with Ctrl-C')
          .waitFor();
        expect(await stop.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
        const answer = await fetch(`${served.url}/api/runs/far-away/stop`, {
          method: 'POST',
          headers: { authorization: `Bearer ${served.token}` },
        });
        expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('run-elsewhere')]);
      } finally {
        clearInterval(leases);
      }
    });
  },
  LIMIT_MS,
);

/** Ten minutes, unless somebody stops it. */
const benchOf = (target: string, home: string): readonly string[] => [
  'bench',
  target,
  '--home',
  home,
  '--rate',
  '20',
  '--duration',
  '10m',
];

const openLiveRun = async (page: Page): Promise<void> => {
  const row = page.getByRole('table', { name: 'Runs' }).getByRole('row', { name: /live/ });
  await row.getByRole('link').click();
  await page.getByRole('progressbar', { name: 'Measured phase' }).waitFor();
};
