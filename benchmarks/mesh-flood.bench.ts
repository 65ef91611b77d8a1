// How a daemon responds while three members of its mesh send as many live values as it accepts from each, and more: how
// long /healthz takes, first in quiet and then in the flood. The flood is signed and well-formed, so nothing refuses it.

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { clusterKeyText, makeClusterKey } from '../src/mesh/key/cluster-key.ts';
import { requireBuild } from '../test/support/build.ts';
import { runDaemon } from '../test/support/running-daemon.ts';
import { benchSeconds, median, printRow } from './bench-row.ts';
import { useOf } from './process-use.ts';

const MEMBERS = 3;
/** Each, of which the daemon takes 5,000. */
const EVENTS_PER_SECOND = 8_000;
const SECONDS = benchSeconds(20);
const REQUEST_EVERY_MS = 50;
const WORST_MS_MAX = 1_000;

requireBuild();
const keyText = clusterKeyText(makeClusterKey());
const folder = await mkdtemp(join(tmpdir(), 'plimsoll-flood-'));
const keyFile = join(folder, 'key');
await writeFile(keyFile, keyText, { mode: 0o600 });
const listen = await freePort();
await using daemon = await runDaemon({
  args: ['--cluster-key-file', keyFile, '--mesh', `127.0.0.1:${listen}`, '--discovery', 'off'],
});
await rm(folder, { recursive: true });
const members = await Promise.all(Array.from({ length: MEMBERS }, () => joined()));
const quiet = await request();
for (const member of members) member.postMessage('flood');
const floodedMs = performance.now();
await delay(1_000);
const before = useOf(daemon.pid);
const loud = await request();
const after = useOf(daemon.pid);
const reported = (await Promise.all(members.map(stopped))).reduce((sum, count) => sum + count, 0);
const floodSeconds = (performance.now() - floodedMs) / 1_000;
print('in quiet', quiet, { kind: 'none' }, '');
print(
  `while ${MEMBERS} members flood`,
  loud,
  { kind: 'at-most', value: WORST_MS_MAX },
  `; ${Math.round(reported / floodSeconds)} values/s were sent; the daemon used ${(((after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0)) / SECONDS).toFixed(2)} of a core and ${Math.round((after?.residentBytes ?? 0) / 1e6)} MB`,
);

async function joined(): Promise<Worker> {
  const worker = new Worker(new URL('./mesh-flood-member.ts', import.meta.url), {
    workerData: { keyText, port: listen, eventsPerSecond: EVENTS_PER_SECOND },
  });
  await once(worker, 'message');
  return worker;
}

async function stopped(worker: Worker): Promise<number> {
  const reported = once(worker, 'message');
  worker.postMessage('stop');
  const [count] = await reported;
  await once(worker, 'exit');
  return Number(count);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

async function request(): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (const untilMs = performance.now() + SECONDS * 1_000; performance.now() < untilMs; ) {
    const requestedMs = performance.now();
    const answer = await fetch(`${daemon.url}/healthz`);
    await answer.text();
    tookMs.push(performance.now() - requestedMs);
    await delay(REQUEST_EVERY_MS);
  }
  return tookMs;
}

function print(
  when: string,
  tookMs: readonly number[],
  reach: Parameters<typeof printRow>[0]['reach'],
  more: string,
): void {
  const sorted = tookMs.toSorted((a, b) => a - b);
  printRow({
    what: `/healthz ${when}: the slowest answer`,
    figure: sorted.at(-1) ?? Number.NaN,
    unit: 'ms',
    reach,
    method: `median ${median(tookMs).toFixed(1)} ms, p99 ${(sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN).toFixed(1)} ms of ${tookMs.length} asked one after another${more}`,
  });
}
