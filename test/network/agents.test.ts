// A run from agents on hosts of their own, over TLS: namespaces joined by cables, real processes, signals that nobody catches.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import type { Report } from '../../src/core/run/report.ts';
import { lowerPercentile } from '../../src/core/statistics/percentile.ts';
import { decodeSampleLine } from '../../src/wire/sample-line.ts';
import { reportFromJson } from '../../src/wire/stored-json.ts';
import { isLongRun } from '../support/counts.ts';
import { PROGRAM } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type HostProcess, Namespaces, reasonAgainstNamespaces } from './namespaces.ts';
import { lineOf, outputOf } from './two-hosts.ts';

const TARGET = 'http://10.99.0.1:8000';
const CODE = /--agents \S+=([0-9A-Z-]{20,})$/;

interface World {
  readonly agents: readonly HostProcess[];
  /** For --agents. */
  readonly agentList: string;
}

/** One host with the target and the coordinator, and a cable from it to each agent. */
const startWorld = async (
  net: Namespaces,
  folder: string,
  count: number,
  signal: AbortSignal,
): Promise<World> => {
  const plimsoll = (host: string, ...args: readonly string[]): HostProcess =>
    net.spawn(host, process.execPath, [PROGRAM, ...args, '--home', join(folder, `home-${host}`)]);
  net.addHost('centre');
  net.ip('centre', 'addr', 'add', '10.99.0.1/32', 'dev', 'lo');
  for (let index = 0; index < count; index += 1) {
    const host = `a${index}`;
    net.addHost(host);
    net.connect(
      { host: 'centre', name: `to-${host}`, ipv4: `10.90.${index}.1/24` },
      { host, name: 'en0', ipv4: `10.90.${index}.2/24` },
    );
    net.ip(host, 'route', 'add', '10.99.0.1/32', 'via', `10.90.${index}.1`);
  }
  const mock = plimsoll('centre', 'mock', '--host', '10.99.0.1', '--port', '8000', '--output-tokens', '4');
  await lineOf(mock, /Serving/, signal);
  const agents: HostProcess[] = [];
  const addresses: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const agent = plimsoll(`a${index}`, 'agent', '--target', TARGET);
    // Its address is known here. Linux reports the carrier of a new cable up to a second late if both ends have the same
    // number in their namespaces (linkwatch): an agent that starts within that has no address to print.
    const line = await lineOf(agent, CODE, signal);
    agents.push(agent);
    addresses.push(`10.90.${index}.2=${CODE.exec(line)?.[1] ?? ''}`);
  }
  return { agents, agentList: addresses.join(',') };
};

/** @param during called when the load goes on */
const benchFrom = async (
  net: Namespaces,
  folder: string,
  { agentList }: World,
  during: () => void = () => undefined,
): Promise<{ readonly report: Report; readonly code: number | null }> => {
  const directory = join(folder, 'run');
  const bench = net.spawn('centre', process.execPath, [
    PROGRAM,
    ...['bench', TARGET, '--rate', '40', '--duration', '6s', '--agents', agentList],
    ...['--home', join(folder, 'home-bench'), '--out', directory],
  ]);
  const ended = new Promise<number | null>(resolve => bench.once('exit', resolve));
  const output = outputOf(bench);
  await lineOf(bench, /measuring · [1-9]\d+ issued/);
  during();
  const code = await ended;
  await output;
  return { report: reportFromJson(readFileSync(join(directory, 'report.json'), 'utf8')), code };
};

const latenciesIn = (path: string): readonly number[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .flatMap(line => {
      const decoded = decodeSampleLine(line);
      if (decoded.kind !== 'sample' || decoded.sample.window < 0) return [];
      return [decoded.sample.endNs - decoded.sample.sentNs];
    });

const needNamespaces = (context: TestContext): void => {
  if (!isLongRun) context.skip('a dozen processes for each: in the long run');
  const reason = reasonAgainstNamespaces();
  if (reason !== undefined) context.skip(reason);
};

describe('agents on hosts of their own', () => {
  test.for([2, 4, 8])(
    '%s of them make one run with exact percentiles',
    { timeout: 180_000 },
    async (count, context) => {
      needNamespaces(context);
      using folder = temporaryDirectory();
      await using net = new Namespaces();
      const world = await startWorld(net, folder.path, count, context.signal);
      const { report, code } = await benchFrom(net, folder.path, world);
      expect(code).toBe(0);
      expect(report.complete).toBe(true);
      expect(report.agents?.map(({ state }) => state)).toEqual(world.agents.map(() => 'complete'));
      const files = world.agents.map((_, index) =>
        join(folder.path, 'run', 'agents', String(index), 'samples.jsonl'),
      );
      const sorted = Float64Array.from(files.flatMap(latenciesIn)).sort();
      expect(sorted.length).toBe(report.counts.completed);
      for (const [percentile, value] of Object.entries(report.series.latencyNs?.percentiles ?? {}))
        expect(value).toBe(lowerPercentile(sorted, Number(percentile)));
    },
  );

  test('two of them find a load line, its stages as short as from one machine', {
    timeout: 180_000,
  }, async context => {
    needNamespaces(context);
    using folder = temporaryDirectory();
    await using net = new Namespaces();
    const { agentList } = await startWorld(net, folder.path, 2, context.signal);
    const directory = join(folder.path, 'line');
    const line = net.spawn('centre', process.execPath, [
      PROGRAM,
      ...[
        'line',
        TARGET,
        '--slo',
        'latency=2s',
        '--budget',
        '60s',
        '--resolution',
        '50%',
        '--load-max',
        '60',
      ],
      ...['--agents', agentList, '--home', join(folder.path, 'home-line'), '--out', directory],
    ]);
    const text = await outputOf(line);
    const { stages, state } = JSON.parse(readFileSync(join(directory, 'line.json'), 'utf8'));
    expect(state, text).toBe('complete');
    const from = (number: number): readonly string[] | undefined =>
      reportFromJson(readFileSync(join(directory, `stage-0${number}`, 'report.json'), 'utf8')).run.from;
    // Of one request at a time there is nothing to split.
    expect([from(1), from(2)]).toEqual([['10.90.0.2:4184'], ['10.90.0.2:4184', '10.90.1.2:4184']]);
    // Its time was the budget's, had the facts of the agents not ended it.
    expect(stages[0].figures.elapsedNs).toBeLessThan(30e9);
  });

  test.for(['SIGKILL', 'SIGSTOP'] as const)(
    'one that gets %s while it loads is lost, and the others go on',
    { timeout: 180_000 },
    async (signal, context) => {
      needNamespaces(context);
      using folder = temporaryDirectory();
      await using net = new Namespaces();
      const world = await startWorld(net, folder.path, 3, context.signal);
      const { report, code } = await benchFrom(net, folder.path, world, () => {
        world.agents[1]?.kill(signal);
      });
      expect(code).toBe(12);
      expect(report.agents?.map(({ state }) => state)).toEqual(['complete', 'lost', 'complete']);
      expect(report.counts.unresolved).toBeGreaterThan(0);
      expect(report.incompleteReason).toContain('10.90.1.2:4184 was lost');
    },
  );
});
