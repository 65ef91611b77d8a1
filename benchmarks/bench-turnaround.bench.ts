// What a run costs besides the load: the whole command with ten instant replies, from the start of the process to its end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnMock } from '../src/mock/spawn-mock.ts';
import { requireBuild } from '../test/support/build.ts';
import { median, printRow, spread } from './bench-row.ts';

const RUNS = 9;
const command = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));

requireBuild();
const home = await mkdtemp(join(tmpdir(), 'plimsoll-turnaround-'));
const times: number[] = [];
try {
  await using mock = await spawnMock(
    { ttftMs: 0, gapMs: 0, outputTokens: 1 },
    { nodePath: process.execPath, env: process.env },
  );
  for (let run = 0; run < RUNS; run += 1) times.push(await turnaroundMs(mock.url));
} finally {
  await rm(home, { recursive: true, force: true });
}
printRow({
  what: 'bench, start-up plus shut-down (a run of 10 instant replies)',
  figure: median(times),
  unit: 'ms',
  reach: { kind: 'at-most', value: 500 },
  method: spread(times, 0),
});

async function turnaroundMs(url: string): Promise<number> {
  const args = ['bench', url, '--requests', '10', '--concurrency', '2', '--home', home, '--quiet'];
  const startedMs = performance.now();
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`plimsoll bench ended with ${code}`);
  return performance.now() - startedMs;
}
