// Traces made by the documented rules, replayed ten times as fast against the mock by the built command: how late requests leave,
// beside an open-loop run of the same mean rate; whether the server finds in its cache of prefixes what the trace says that prompts
// share; how much memory that takes. `--requests 10000 --speed 10`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Report } from '../src/core/run/report.ts';
import { shapeOf } from '../src/core/run/run-shape.ts';
import { isUnknown } from '../src/core/unknown.ts';
import { spawnMock } from '../src/mock/spawn-mock.ts';
import { reportFromJson } from '../src/wire/report-codec.ts';
import { decodeSampleLine } from '../src/wire/sample-line.ts';
import { requireBuild } from '../test/support/build.ts';
import { agenticConversations, mooncakeLines } from '../test/support/made-up-trace.ts';
import { printRow } from './bench-row.ts';
import { useOf } from './process-use.ts';

const { values: requested } = parseArgs({
  options: { requests: { type: 'string', default: '10000' }, speed: { type: 'string', default: '10' } },
});
const requests = Number(requested.requests);

interface Run {
  readonly report: Report;
  readonly residentBytes: number;
  /** Of the prompts, as the mock told it of each. */
  readonly cachedTokens: number;
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-trace-replay-'));

const bench = async (url: string, name: string, ...args: readonly string[]): Promise<Run> => {
  const directory = join(folder, name);
  const places = ['--home', join(folder, 'home'), '--out', directory, '--events', 'off', '--quiet'];
  const child = spawn(process.execPath, ['bin/plimsoll.js', 'bench', url, ...args, ...places], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let residentBytes = 0;
  const look = setInterval(() => {
    residentBytes = Math.max(residentBytes, useOf(child.pid ?? 0)?.residentBytes ?? 0);
  }, 200);
  await once(child, 'exit');
  clearInterval(look);
  let cachedTokens = 0;
  for (const line of readFileSync(join(directory, 'samples.jsonl'), 'utf8').split('\n')) {
    if (line === '') continue;
    const decoded = decodeSampleLine(line);
    if (decoded.kind === 'sample' && decoded.sample.window === 0)
      cachedTokens += Math.max(0, decoded.sample.remark?.cachedTokens ?? 0);
  }
  const report = reportFromJson(readFileSync(join(directory, 'report.json'), 'utf8'));
  return { report, residentBytes, cachedTokens };
};

const method = (): string => {
  const [load = 0] = loadavg();
  return `one run; load of the machine ${load.toFixed(1)} on ${availableParallelism()} processors`;
};

const printLateness = (what: string, { report }: Run): void => {
  const { sendLatenessNs } = report.client;
  if (isUnknown(sendLatenessNs)) throw new Error(sendLatenessNs.reason);
  for (const percentile of ['p50', 'p99'] as const)
    printRow({
      what: `send lateness, ${what}, ${percentile}`,
      figure: sendLatenessNs[percentile] / 1e3,
      unit: 'µs',
      reach: { kind: 'none' },
      method: `${report.counts.issued} requests, ${report.counts.completed} completed, ${method()}`,
    });
};

const printReplay = (what: string, run: Run): void => {
  printLateness(what, run);
  const { trace } = shapeOf(run.report.run);
  if (isUnknown(trace) || isUnknown(trace.sharedTokens)) throw new Error('the run does not tell its trace');
  const planned = run.report.sessions?.turns.planned ?? trace.requests;
  printRow({
    what: `${what}: requests issued of those planned`,
    figure: (100 * run.report.counts.issued) / planned,
    unit: '%',
    reach: { kind: 'at-least', value: 100 },
    method: `${run.report.counts.issued} of ${planned}`,
  });
  printRow({
    what: `${what}: prompt tokens that the mock had in its cache of prefixes, of those that the trace shares`,
    figure: (100 * run.cachedTokens) / trace.sharedTokens,
    unit: '%',
    reach: { kind: 'none' },
    method: `${run.cachedTokens} of ${trace.sharedTokens}, which are ${((100 * trace.sharedTokens) / trace.inputTokens).toFixed(2)} % of all input tokens`,
  });
  printRow({
    what: `${what}: memory of all processes of the run, most`,
    figure: run.residentBytes / 1e6,
    unit: 'MB',
    reach: { kind: 'none' },
    method: 'sum of resident pages of the command and its children, looked at every 200 ms',
  });
};

const main = async (): Promise<void> => {
  requireBuild();
  const moon = join(folder, 'moon.jsonl');
  writeFileSync(
    moon,
    mooncakeLines({ seed: 7, requests, gapMs: 80, inputTokens: 2_048, outputTokens: 8 }).join('\n'),
  );
  const agents = join(folder, 'agents.jsonl');
  const options = { seed: 8, requests, gapMs: 2_000, inputTokens: 2_000, outputTokens: 8 };
  writeFileSync(agents, agenticConversations(options).join('\n'));
  const own = { nodePath: process.execPath, env: process.env };
  const settings = { ttftMs: 20, gapMs: 5, keepsPrefixes: true };
  const speed = ['--speed', requested.speed];
  const replayed = await (async () => {
    await using mock = await spawnMock(settings, own);
    return await bench(mock.url, 'moon', '--trace', moon, ...speed);
  })();
  printReplay(`Mooncake trace at ${requested.speed} times its speed`, replayed);
  const { pattern } = replayed.report.run;
  if (!('requestsPerSecond' in pattern)) throw new Error('a replay has a mean rate');
  const rate = pattern.requestsPerSecond.toFixed(3);
  const open = await (async () => {
    await using mock = await spawnMock(settings, own);
    const lengths = ['--input-tokens', '2048', '--output-tokens', '8'];
    return await bench(mock.url, 'open', '--rate', rate, '--requests', String(requests), ...lengths);
  })();
  printLateness(`open loop, Poisson ${rate}/s, prompts of 2,048`, open);
  printRow({
    what: 'open loop: memory of all processes of the run, most',
    figure: open.residentBytes / 1e6,
    unit: 'MB',
    reach: { kind: 'none' },
    method: 'as above',
  });
  await using mock = await spawnMock(settings, own);
  const sessions = ['--concurrency', '40'];
  printReplay(
    `trace of agents at ${requested.speed} times its speed, 40 conversations at a time`,
    await bench(mock.url, 'agents', '--trace', agents, ...speed, ...sessions),
  );
};

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
