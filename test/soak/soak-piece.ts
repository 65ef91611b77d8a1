// One piece of a soak: so many hours of churn, and once a minute a line about every process, appended to a file. A piece that is
// cut short keeps what it wrote.

import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { useOf } from '../../benchmarks/process-use.ts';
import { journalBytes, sampleProcess } from './process-sample.ts';
import { SOAK_HOSTS, SoakCluster, type SoakHost, type SoakPage } from './soak-cluster.ts';
import type { SoakRow } from './soak-row.ts';
import { WARM_UP_HOURS } from './trend.ts';

interface PieceOptions {
  /** Of the whole soak: pieces next to each other, and the homes that all of them use. */
  readonly out: string;
  readonly hours: number;
  readonly signal: AbortSignal;
}

/** @returns the piece's folder */
export const runPiece = async ({ out, hours, signal }: PieceOptions): Promise<string> => {
  mkdirSync(out, { recursive: true, mode: 0o700 });
  const number = 1 + readdirSync(out).filter(name => /^piece-\d+$/.test(name)).length;
  const folder = join(out, `piece-${number}`);
  mkdirSync(folder);
  const startedMs = performance.now();
  const atMs = (): number => Math.round(performance.now() - startedMs);
  const report = (event: object): void => {
    const line = JSON.stringify({ atMs: atMs(), ...event });
    appendFileSync(join(folder, 'events.jsonl'), `${line}\n`);
    process.stdout.write(`${line}\n`);
  };
  const about = { startedAt: new Date().toISOString(), hours, node: process.version, cpus: os.cpus().length };
  writeFileSync(join(folder, 'about.json'), `${JSON.stringify(about)}\n`);

  const end = AbortSignal.any([signal, AbortSignal.timeout(hours * 3_600_000)]);
  await using cluster = await SoakCluster.open(join(out, 'homes'), report);
  for (const host of SOAK_HOSTS) cluster.start(host);
  const heaps = new Map<string, number>();
  const mock = cluster.mock('cyr');
  await pause(COME_UP_MS, end);
  for (const host of SOAK_HOSTS)
    cluster.visit(host, host === 'bea' ? 'heap' : 'plain', reported => {
      if (reported.heapBytes !== undefined) heaps.set(host, reported.heapBytes);
      else if (NEVER_DOWN.has(host)) report({ ...reported, what: `fault: ${reported.what}`, host });
    });
  const page = await cluster.openPage('ada');
  if (page === undefined) report({ what: 'no Chromium here: no page is watched' });

  const sample = async (): Promise<void> => {
    const write = (row: Omit<SoakRow, 'atMs' | 'load'>): void =>
      appendFileSync(
        join(folder, 'rows.jsonl'),
        `${JSON.stringify({ atMs: atMs(), load: os.loadavg()[0] ?? 0, ...row })}\n`,
      );
    for (const host of SOAK_HOSTS) {
      const row = processRow(host, cluster.pid(host));
      if (row === undefined) continue;
      const heapBytes = heaps.get(host);
      heaps.delete(host);
      write({
        ...row,
        journalBytes: journalBytes(cluster.home(host)),
        ...(heapBytes === undefined ? {} : { heapBytes }),
      });
    }
    const others = { mock: mock.pid, soak: process.pid };
    for (const [name, pid] of Object.entries(others)) {
      const row = processRow(name, pid);
      if (row !== undefined) write(row);
    }
    if (page !== undefined) write(await pageRow(page));
  };
  // What keeps so many of the newest would grow to that through the whole piece, which looks like growth without end.
  const fill = async (): Promise<void> => {
    const warm = AbortSignal.any([end, AbortSignal.timeout(WARM_UP_HOURS * 3_600_000)]);
    await cluster.bench('ada', 'cyr', FILL_LOG);
    const runs = await Promise.all([fillRuns(cluster, 'ada', warm), fillRuns(cluster, 'bea', warm)]);
    report({ what: 'histories filled', runs: runs[0] + runs[1], of: 2 * RUNS_KEPT });
  };
  const period = Math.min(1, hours) * 60_000; // of everything below, so that a rehearsal of minutes has all of it
  await Promise.all([
    ...(hours < HOURS_TO_FILL ? [] : [fill()]),
    each(Math.min(60_000, period * 2), end, sample),
    each(5 * period, end, () => churn(cluster, 'cyr', 'SIGTERM')),
    each(7 * period, end, () => churn(cluster, 'dan', 'SIGKILL')),
    each(6 * period, end, async () => {
      cluster.cable('dan', 'down');
      await pause(40_000, end);
      cluster.cable('dan', 'up');
    }),
    each(3 * period, end, () => cluster.bench('ada', 'cyr')),
    each(8 * period, end, () => cluster.bench('bea', 'cyr')),
  ]);
  report({ what: 'the piece has ended' });
  return folder;
};

/** As many runs as state keeps of a node, two at a time. @returns how many there were before the time was over */
const fillRuns = async (cluster: SoakCluster, host: SoakHost, warm: AbortSignal): Promise<number> => {
  let runs = 0;
  const one = async (): Promise<void> => {
    while (runs < RUNS_KEPT && !warm.aborted) {
      runs += 1;
      await cluster.bench(host, 'cyr', FILL_RUN);
    }
  };
  await Promise.all([one(), one()]);
  return runs;
};

const processRow = (name: string, pid: number | undefined): Omit<SoakRow, 'atMs' | 'load'> | undefined => {
  const sample = pid === undefined ? undefined : sampleProcess(pid);
  return pid === undefined || sample === undefined ? undefined : { process: name, pid, ...sample };
};

const pageRow = async (page: SoakPage): Promise<Omit<SoakRow, 'atMs' | 'load'>> => ({
  process: 'page',
  pid: page.browserPid,
  heapBytes: await page.heapBytes(),
  ...browserUse(page.browserPid),
});

/** All processes of the browser; what they share counts in each. */
const browserUse = (pid: number): Pick<SoakRow, 'residentBytes' | 'cpuSeconds'> => {
  const use = useOf(pid);
  return use === undefined ? {} : { residentBytes: use.residentBytes, cpuSeconds: use.cpuSeconds };
};

const churn = async (cluster: SoakCluster, host: SoakHost, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
  await cluster.end(host, signal);
  cluster.start(host);
};

/** First after so long, then again and again until the end. */
const each = async (everyMs: number, end: AbortSignal, action: () => Promise<void>): Promise<void> => {
  for (;;) {
    await pause(everyMs, end);
    if (end.aborted) return;
    await action();
  }
};

const pause = async (ms: number, end: AbortSignal): Promise<void> => {
  await delay(ms, undefined, { signal: end }).catch(() => undefined);
};

/** Nobody who visits them is to be refused anything; the others are away every few minutes. */
const NEVER_DOWN: ReadonlySet<SoakHost> = new Set(['ada', 'bea']);
/** Below that there is no warm-up to do it in. */
const HOURS_TO_FILL = 1;
/** As many as state keeps of a node, and requests as the mock keeps. */
const RUNS_KEPT = 256;
const FILL_RUN = ['--requests', '8', '--concurrency', '8', '--output-tokens', '16'];
const FILL_LOG = ['--requests', '50000', '--concurrency', '100', '--output-tokens', '1'];
const COME_UP_MS = 15_000;
