// Four whole daemons on four hosts whose cables carry another rate each way: the page of one of them must show, for every
// direction, what iperf3 measures on the same cable.

import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ProbingSettings } from '../network/seen-probes.ts';
import { reasonAgainstShaping } from '../network/shaped-cable.ts';
import { interfaceTo, line } from '../network/shapes.ts';
import { TestBed } from '../network/test-bed.ts';
import { lineOf, outputOf } from '../network/two-hosts.ts';
import { requireBuild } from '../support/build.ts';
import { isLongRun } from '../support/counts.ts';
import { chromiumPath, NO_CHROMIUM } from './browser.ts';

const HOSTS = ['atlas', 'juno', 'pip', 'spark'] as const;
/** Mbit/s from the first to the second, and back. */
const CABLES = [
  { from: 'atlas', to: 'juno', there: 200, back: 50 },
  { from: 'juno', to: 'pip', there: 100, back: 20 },
  { from: 'pip', to: 'spark', there: 150, back: 60 },
] as const;
const DASHBOARD = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));
const DAEMON = fileURLToPath(new URL('../network/probing-process.ts', import.meta.url));
const HTTP_PORT = 4180;
const MEASURED_MS_MAX = 120_000;
const TEST_MS_MAX = 240_000;

test(
  'the page of one of four daemons shows for each direction of each cable what iperf3 measures there, within 3 %',
  async context => {
    const path = chromiumPath();
    if (path === undefined) return context.skip(NO_CHROMIUM);
    const reason = reasonAgainstShaping();
    if (reason !== undefined) return context.skip(reason);
    if (!isLongRun) return context.skip('two minutes of measuring: in npm run test:long');
    requireBuild();
    await using bed = await TestBed.open(context);
    line(bed.net, HOSTS);
    for (const { from, to, there, back } of CABLES) {
      shape(bed, { host: from, name: interfaceTo(to), mbit: there });
      shape(bed, { host: to, name: interfaceTo(from), mbit: back });
    }
    // Before anybody else uses the cables.
    const goodputs = [];
    for (const { from, to } of CABLES) goodputs.push({ from, to, ...(await iperf3(bed, from, to)) });
    for (const host of HOSTS) start(bed, host);

    const browser = await chromium.launch({
      executablePath: inHost(bed, 'juno', path),
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
      await reach(() => page.goto(`http://127.0.0.1:${HTTP_PORT}/`));
      const table = page.getByRole('table', { name: 'Links' });
      const row = (from: string, to: string) =>
        table.getByRole('row').filter({ hasText: from }).filter({ hasText: to });
      for (const { from, to } of CABLES)
        for (const way of ['there', 'back'])
          await row(from, to)
            .locator(`[data-way="${way}"]`)
            .getByText(/\d/)
            .waitFor({ timeout: MEASURED_MS_MAX });

      for (const { from, to, ...theirs } of goodputs) {
        // The page may name the two the other way round.
        const name = (await row(from, to).getByRole('button').textContent()) ?? '';
        const isTurned = name.trim().startsWith(to);
        for (const way of ['there', 'back'] as const) {
          const shown = await row(from, to)
            .locator(`[data-way="${isTurned === (way === 'back') ? 'there' : 'back'}"]`)
            .textContent();
          const ratio = bitsPerSecond(shown ?? '') / theirs[way];
          console.info(`${from} – ${to} ${way}: ${shown?.trim()}, ${ratio.toFixed(3)} of iperf3`);
          expect(ratio).toBeGreaterThan(0.97);
          expect(ratio).toBeLessThan(1.03);
        }
      }
    } finally {
      await browser.close();
    }
  },
  TEST_MS_MAX,
);

/** Holds what comes between two ticks of the kernel (250 Hz), and one packet of 64 KiB that veth carries whole. */
const shape = (bed: TestBed, { host, name, mbit }: { host: string; name: string; mbit: number }): void => {
  const burstKb = Math.max(16, Math.ceil((mbit * 1_000) / 8 / 250));
  const tbf = ['rate', `${mbit}mbit`, 'burst', `${burstKb}kb`, 'latency', '50ms'];
  bed.net.run(host, 'tc', 'qdisc', 'add', 'dev', name, 'root', 'tbf', ...tbf);
};

const start = (bed: TestBed, host: string): void => {
  mkdirSync(bed.home(host), { recursive: true, mode: 0o700 });
  const settings: ProbingSettings = {
    home: bed.home(host),
    keyFile: bed.keyFile,
    name: host,
    dashboardDir: DASHBOARD,
    httpPort: HTTP_PORT,
  };
  bed.net.spawn(host, process.execPath, [DAEMON, JSON.stringify(settings)]).stdout.resume();
};

/** A program that starts another one inside a host. */
const inHost = (bed: TestBed, host: string, program: string): string => {
  const file = join(bed.folder, `in-${host}`);
  writeFileSync(file, `#!/bin/sh\nexec ip netns exec ${bed.net.nameOf(host)} ${program} "$@"\n`);
  chmodSync(file, 0o700);
  return file;
};

/** The daemon takes a moment until it listens. */
const reach = async (go: () => Promise<unknown>): Promise<void> => {
  for (const limit = AbortSignal.timeout(30_000); ; )
    try {
      await go();
      return;
    } catch (error) {
      if (limit.aborted) throw error;
      // A refusal comes at once, and a browser that asks without a pause leaves the daemons no processor to start on.
      await delay(250);
    }
};

/** Goodput each way over the link-local addresses, bits per second; iperf3's own slow start left out. */
const iperf3 = async (bed: TestBed, from: string, to: string): Promise<{ there: number; back: number }> => {
  const server = bed.net.spawn(to, 'iperf3', ['-s', '--forceflush']);
  await lineOf(server, /Server listening/);
  const address = `${bed.net.linkLocalOf(to, interfaceTo(from))}%${interfaceTo(to)}`;
  const goodput = async (...direction: readonly string[]): Promise<number> => {
    const args = ['-6', '-c', address, '-t', '4', '-O', '1', '-l', '4K', '-J', ...direction];
    const reported: { end: { sum_received: { bits_per_second: number } } } = JSON.parse(
      await outputOf(bed.net.spawn(from, 'iperf3', args)),
    );
    return reported.end.sum_received.bits_per_second;
  };
  const both = { there: await goodput(), back: await goodput('-R') };
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
  return both;
};

/** "382 Mb/s" to a number. */
const bitsPerSecond = (text: string): number => {
  const [, figure, unit] = /([\d.]+)\s*([MG])b\/s/.exec(text.replaceAll('\u00a0', ' ')) ?? [];
  return Number(figure) * (unit === 'G' ? 1e9 : 1e6);
};
