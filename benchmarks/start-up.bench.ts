// How long a person waits: from the start of the process until the API returns this machine's identity and memory and
// the page can be loaded; and how long a second `npm start` takes to the same point.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requireBuild } from '../test/support/build.ts';
import { type RunOptions, runDaemon } from '../test/support/running-daemon.ts';
import { median, printRow, spread } from './bench-row.ts';

const RUNS = 9;

requireBuild();
const folder = await mkdtemp(join(tmpdir(), 'plimsoll-start-'));
const kept = join(folder, 'kept');
const times: Record<'fresh' | 'again' | 'page' | 'npm', number[]> = {
  fresh: [],
  again: [],
  page: [],
  npm: [],
};

try {
  await start({ home: kept });
  for (let run = 0; run < RUNS; run += 1) {
    const fresh = await start({ home: join(folder, `fresh-${run}`) });
    times.fresh.push(fresh.dataMs);
    times.page.push(fresh.pageMs);
    times.again.push((await start({ home: kept })).dataMs);
    times.npm.push((await start({ home: kept, command: ['npm', 'start', '--silent', '--'] })).dataMs);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

print('first start of a home, until the API has identity and memory', times.fresh, 1_000);
print('first start of a home, until page and data are there', times.page, 1_000);
print('start of a home that is there, until identity and memory', times.again, 1_000);
print('`npm start` where all is built, until identity and memory', times.npm, 2_000);

async function start(options: RunOptions): Promise<{ dataMs: number; pageMs: number }> {
  const startedMs = performance.now();
  await using daemon = await runDaemon(options);
  while (!(await hasFirstData(daemon.url))) await delay(2);
  const dataMs = performance.now() - startedMs;
  const page = await fetch(daemon.url);
  await page.text();
  if (!page.ok) throw new Error(`the page answers ${page.status}`);
  return { dataMs, pageMs: performance.now() - startedMs };
}

async function hasFirstData(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/state`);
  const state: unknown = await response.json();
  return sizeOf(state, 'nodeIdentities') > 0 && sizeOf(state, 'nodeMemories') > 0;
}

function sizeOf(state: unknown, slice: string): number {
  if (typeof state !== 'object' || state === null) return 0;
  const entries: unknown = Object.entries(state).find(([name]) => name === slice)?.[1];
  return typeof entries === 'object' && entries !== null ? Object.keys(entries).length : 0;
}

function print(what: string, values: readonly number[], reachMs: number): void {
  printRow({
    what,
    figure: median(values),
    unit: 'ms',
    reach: { kind: 'at-most', value: reachMs },
    method: `${spread(values, 0)}, interleaved`,
  });
}
