// How much more load several agents make than one, and than this process alone: tiny replies of the C server, each agent a process
// as `plimsoll agent` starts it, over loopback. On one machine they share its processors: more of them than those give nothing.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { benchSeconds, median, printRow, spread } from './bench-row.ts';
import { buildTruthServer, startTruthServer } from './truth-server/truth-server.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const SECONDS = benchSeconds(4);
const ROUNDS = 3;
const CONNECTIONS = 64;
/** 0: this machine's own process, without agents. */
const COUNTS = [0, 1, 2, 4];
/** The caps of an agent are below what it can do. */
const CONFIG = '[bench]\nrate_max = 1000000\nsamples_max = 100000000\n';

type Agent = ChildProcessByStdio<null, Readable, null>;

const plimsoll = (args: readonly string[]): Agent =>
  spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

const startAgent = async (
  folder: string,
  { index, origin }: { readonly index: number; readonly origin: string },
): Promise<{ readonly agent: Agent; readonly address: string }> => {
  const home = join(folder, `agent-${index}`);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.toml'), CONFIG);
  const port = String(45_184 + index);
  const agent = plimsoll(['agent', '--target', origin, '--port', port, '--home', home]);
  for await (const line of createInterface({ input: agent.stdout })) {
    const code = /--agents \S+=(\S+)/.exec(line)?.[1];
    if (code !== undefined) return { agent, address: `127.0.0.1:${port}=${code}` };
  }
  throw new Error('an agent ended before it had a code');
};

const throughput = async (
  url: string,
  { folder, addresses }: { readonly folder: string; readonly addresses: readonly string[] },
): Promise<number> => {
  const directory = mkdtempSync(join(folder, 'run-'));
  const out = join(directory, 'run');
  const bench = plimsoll([
    ...['bench', url, '--model', 'truth', '--streaming', 'off', '--output-tokens', '1'],
    ...['--concurrency', String(CONNECTIONS), '--duration', `${SECONDS}s`, '--events', 'off'],
    ...(addresses.length === 0 ? [] : ['--agents', addresses.join(',')]),
    ...['--out', out, '--home', join(folder, 'home')],
  ]);
  bench.stdout.resume();
  await once(bench, 'exit');
  const report: { requestsPerSecond: number } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  rmSync(directory, { recursive: true });
  return report.requestsPerSecond;
};

const built = buildTruthServer();
if (built.kind === 'skipped') process.stderr.write(`${built.reason}\n`);
else {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-agents-'));
  const server = await startTruthServer(built.path, { events: 0 });
  const agents: Agent[] = [];
  try {
    const addresses: string[] = [];
    for (let index = 0; index < Math.max(...COUNTS); index += 1) {
      const started = await startAgent(folder, { index, origin: server.url });
      agents.push(started.agent);
      addresses.push(started.address);
    }
    const rates = new Map<number, number[]>(COUNTS.map(count => [count, []]));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const count of COUNTS)
        rates
          .get(count)
          ?.push(await throughput(server.url, { folder, addresses: addresses.slice(0, count) }));
    const alone = median(rates.get(0) ?? []);
    const cores = availableParallelism();
    for (const [count, seen] of rates)
      printRow({
        what: count === 0 ? 'tiny replies, no agent' : `tiny replies, ${count} agents`,
        figure: median(seen),
        unit: 'requests/s',
        reach: { kind: 'none' },
        method: `${(median(seen) / alone).toFixed(2)} × no agent; ${CONNECTIONS} connections, ${cores} cores for all, load ${loadavg()[0]?.toFixed(1)}; ${spread(seen, 0)}`,
      });
  } finally {
    for (const agent of agents) agent.kill('SIGKILL');
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
