// What a run costs in addition to the load: the whole command with ten instant replies, from the start of the process
// to its end, in wall time and in processor time of all its processes, which varies less with other activity of the
// machine.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnMock } from '../src/mock/spawn-mock.ts';
import { requireBuild } from '../test/support/build.ts';
import { median, printRow, spread } from './bench-row.ts';
import { runPeer } from './peers/run-peer.ts';

const RUNS = 9;
const TIMEOUT_MS = 60_000;
const command = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));

requireBuild();
const folder = await mkdtemp(join(tmpdir(), 'plimsoll-turnaround-'));
const wallMs: number[] = [];
const cpuMs: number[] = [];
try {
  await using mock = await spawnMock(
    { ttftMs: 0, gapMs: 0, outputTokens: 1 },
    { nodePath: process.execPath, env: process.env },
  );
  const load = ['--requests', '10', '--concurrency', '2', '--home', join(folder, 'home'), '--quiet'];
  for (let run = 0; run < RUNS; run += 1) {
    const { code, reported, wallSeconds, cpuSeconds } = await runPeer(
      [process.execPath, command, 'bench', mock.url, ...load],
      { folder, timeoutMs: TIMEOUT_MS },
    );
    if (code !== 0) throw new Error(`plimsoll bench ended with ${code}: ${reported}`);
    wallMs.push(1e3 * wallSeconds);
    cpuMs.push(1e3 * cpuSeconds);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const what = 'bench, start-up plus shut-down (a run of 10 instant replies)';
printRow({
  what,
  figure: median(wallMs),
  unit: 'ms',
  reach: { kind: 'at-most', value: 250 },
  method: spread(wallMs, 0),
});
printRow({
  what: `${what}: processor time`,
  figure: median(cpuMs),
  unit: 'ms',
  reach: { kind: 'none' },
  method: spread(cpuMs, 0),
});
