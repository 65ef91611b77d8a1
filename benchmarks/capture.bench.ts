// What `plimsoll capture` adds to a request: streams of eight tokens at 200 requests/s through it and 200 directly, in
// turns 2.5 ms apart from one client to one mock, so that what disturbs the machine disturbs both. Each round
// compares percentiles of the time to the first byte of the body and to the last.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnMock } from '../src/mock/spawn-mock.ts';
import { requireBuild } from '../test/support/build.ts';
import { benchSeconds, median, printRow, type Reach, spread } from './bench-row.ts';
import { useOf } from './process-use.ts';

const RATE = 200;
const ROUNDS = 5;
const seconds = benchSeconds(20);

const BODY = JSON.stringify({
  model: 'mock-model',
  stream: true,
  max_tokens: 8,
  messages: [{ role: 'user', content: 'word '.repeat(200) }],
});

interface Side {
  readonly name: 'direct' | 'through';
  readonly url: string;
  readonly agent: Agent;
  readonly firstMs: number[];
  readonly lastMs: number[];
}

const timed = async ({ url, agent, firstMs, lastMs }: Side): Promise<void> => {
  const request = send(`${url}/v1/chat/completions`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) },
  });
  const sentMs = performance.now();
  request.end(BODY);
  const [reply] = await once(request, 'response');
  let isFirst = true;
  for await (const _ of reply) {
    if (isFirst) firstMs.push(performance.now() - sentMs);
    isFirst = false;
  }
  lastMs.push(performance.now() - sentMs);
};

const percentile = (values: readonly number[], percent: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN;

const played = async (sides: readonly Side[], lengthMs: number): Promise<void> => {
  const running: Promise<void>[] = [];
  const stepMs = 1_000 / RATE / sides.length;
  const startMs = performance.now();
  for (let number = 0; number * stepMs < lengthMs; number += 1) {
    const waitMs = startMs + number * stepMs - performance.now();
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs));
    const side = sides[number % sides.length];
    if (side !== undefined) running.push(timed(side));
  }
  await Promise.all(running);
};

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-capture-bench-'));

const main = async (): Promise<void> => {
  requireBuild();
  await using mock = await spawnMock(
    { ttftMs: 20, gapMs: 2 },
    { nodePath: process.execPath, env: process.env },
  );
  const args = ['bin/plimsoll.js', 'capture', '--to', mock.url, '--http', '0', '--out', join(folder, 'out')];
  const capture = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  capture.stdout.setEncoding('utf8').on('data', text => {
    printed += text;
  });
  while (!/clients to \S+\n/.test(printed)) await once(capture.stdout, 'data');
  const url = /clients to (\S+)\n/.exec(printed)?.[1] ?? '';
  const newSides = (): readonly Side[] =>
    (['direct', 'through'] as const).map(name => ({
      name,
      url: name === 'direct' ? mock.url : url,
      agent: new Agent({ keepAlive: true }),
      firstMs: [],
      lastMs: [],
    }));
  await played(newSides(), 2_000);
  const before = useOf(capture.pid ?? 0);
  const rounds: (readonly Side[])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const sides = newSides();
    await played(sides, seconds * 1_000);
    rounds.push(sides);
    for (const { agent } of sides) agent.destroy();
  }
  const after = useOf(capture.pid ?? 0);
  const [load = 0] = loadavg();
  const where = `${(RATE * seconds).toFixed(0)} requests each a round, load ${load.toFixed(1)} on ${availableParallelism()} processors`;
  const row = (what: string, values: readonly number[], reach: Reach = { kind: 'none' }): void =>
    printRow({ what, figure: median(values), unit: 'ms', reach, method: `${spread(values, 3)}; ${where}` });
  const values = (name: Side['name'], of: 'firstMs' | 'lastMs', percent: number): readonly number[] =>
    rounds.map(sides => percentile(sides.find(side => side.name === name)?.[of] ?? [], percent));
  for (const [what, of] of [
    ['first byte', 'firstMs'],
    ['last byte', 'lastMs'],
  ] as const)
    for (const percent of [50, 99]) {
      const direct = values('direct', of, percent);
      const through = values('through', of, percent);
      row(`${what}, p${percent}, direct`, direct);
      row(`${what}, p${percent}, through the capture`, through);
      row(
        `${what}, p${percent}, added`,
        through.map((ms, index) => ms - (direct[index] ?? 0)),
        of === 'firstMs' && percent === 99 ? { kind: 'at-most', value: 0.3 } : { kind: 'none' },
      );
    }
  if (before !== undefined && after !== undefined)
    printRow({
      what: 'processor time of the capture, its recording included',
      figure: (100 * (after.cpuSeconds - before.cpuSeconds)) / (ROUNDS * seconds),
      unit: '% of a core',
      reach: { kind: 'none' },
      method: `${(after.residentBytes / 1e6).toFixed(0)} MB resident at the end`,
    });
  capture.kill('SIGINT');
  await once(capture, 'exit');
  process.stderr.write(printed);
};

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
