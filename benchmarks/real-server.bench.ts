// Requested tokens against tokens counted by real servers, and what a run reports about a server that drops an answer
// when the next request comes. Skipped, with the reason, if they cannot be built.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report, ReportSeries } from '../src/core/run/report.ts';
import type { RequestedTokens } from '../src/core/run/run-requests.ts';
import { isUnknown, type Reported } from '../src/core/unknown.ts';
import { reportFromJson } from '../src/wire/stored-json.ts';
import { requireBuild } from '../test/support/build.ts';
import { printRow } from './bench-row.ts';
import { buildRealServer, startLlamaServer, startPythonServer } from './real-server/real-server.ts';

const command = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));

const runOf = async (url: string, args: readonly string[]): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-real-'));
  try {
    const out = join(folder, 'run');
    const directories = ['--home', join(folder, 'home'), '--out', out, '--quiet'];
    const child = spawn(process.execPath, [command, 'bench', url, ...args, ...directories], {
      stdio: 'ignore',
    });
    await once(child, 'exit');
    return reportFromJson(readFileSync(join(out, 'report.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

interface Compared {
  readonly what: string;
  readonly requested: Reported<RequestedTokens>;
  readonly counted: ReportSeries | undefined;
  readonly isEnforced: boolean;
}

/** How far what was counted is from what was asked, in percent of it. */
const rowOf = ({ what, requested, counted, isEnforced }: Compared): void => {
  if (isUnknown(requested) || counted === undefined || counted.mean === null) {
    print(`${what}: nothing to compare`);
    return;
  }
  const { min, max, mean } = counted;
  printRow({
    what,
    figure: Math.abs(counted.mean / requested.mean - 1) * 100,
    unit: '%',
    // An answer that nothing holds to its length may be shorter.
    reach: isEnforced ? { kind: 'at-most', value: 1 } : { kind: 'none' },
    method: `requested ${requested.mean.toFixed(1)} (${requested.min} to ${requested.max}), counted ${mean.toFixed(1)} (${min} to ${max}), ${counted.count} requests`,
  });
};

const tokenControl = async (url: string, name: string, args: readonly string[]): Promise<void> => {
  const report = await runOf(url, args);
  const { requests, serverKind } = report.run;
  if (isUnknown(requests)) throw new Error(requests.reason);
  const kind = isUnknown(serverKind) ? 'unknown server' : serverKind;
  const { inputTokens: input, outputTokens: output } = report.series;
  const isEnforced = requests.lengthFields.length > 0;
  rowOf({
    what: `${kind}, ${name}: tokens in`,
    requested: requests.inputTokens,
    counted: input,
    isEnforced: true,
  });
  rowOf({
    what: `${kind}, ${name}: tokens out`,
    requested: requests.outputTokens,
    counted: output,
    isEnforced,
  });
  print(sentenceOf(report));
};

const sentenceOf = ({ counts, errors, finishReasons, notices }: Report): string =>
  [
    `  the run says: ${counts.completed} of ${counts.issued} completed, failed ${JSON.stringify(errors)}, finish reasons ${JSON.stringify(finishReasons)}`,
    ...notices,
  ].join('; ');

const dropped = async (cache: string): Promise<void> => {
  await using server = await startPythonServer(cache);
  await tokenControl(server.url, 'one at a time', [
    ...['--requests', '4', '--concurrency', '1', '--warmup', '1', '--streaming', 'off'],
    ...['--input-tokens', '100', '--output-tokens', '12'],
  ]);
  const dropsBefore = dropsIn(server.log);
  const report = await runOf(server.url, [
    ...[
      '--requests',
      '10',
      '--concurrency',
      '2',
      '--warmup',
      '1',
      '--output-tokens',
      '24',
      '--timeout',
      '60s',
    ],
  ]);
  const drops = dropsIn(server.log) - dropsBefore;
  print(sentenceOf(report));
  printRow({
    what: 'llama-cpp-python, two at a time: dropped streams that are not failed',
    figure: Math.abs(drops - report.counts.failed - report.warmup.failed),
    unit: 'requests',
    reach: { kind: 'at-most', value: 0 },
    method: `its log contains ${drops} dropped streams, the report ${report.counts.failed} failed requests`,
  });
};

/** What it prints when it gives an answer up. */
const dropsIn = (log: string): number =>
  readFileSync(log, 'utf8').split('Disconnected from client').length - 1;

requireBuild();
const build = buildRealServer();
if (build.kind === 'skipped') print(`skipped: ${build.reason}`);
else {
  {
    await using server = await startLlamaServer(build.cache);
    const common = ['--requests', '40', '--concurrency', '4'];
    const options = (...args: string[]): string[] => [...common, ...args];
    await tokenControl(server.url, 'fixed', options('--input-tokens', '512', '--output-tokens', '64'));
    await tokenControl(
      server.url,
      'drawn',
      options('--input-tokens', 'normal(400,100)', '--output-tokens', '20..80'),
    );
    await tokenControl(
      server.url,
      'two shared prefixes',
      options('--prefix-tokens', '1024', '--prefixes', '2', '--input-tokens', '128', '--output-tokens', '16'),
    );
    await tokenControl(
      server.url,
      'completions',
      options('--api', 'completions', '--input-tokens', '300', '--output-tokens', '32'),
    );
    await tokenControl(server.url, 'nothing asked for', ['--requests', '8', '--concurrency', '4']);
  }
  await dropped(build.cache);
}
