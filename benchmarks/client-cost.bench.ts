// What a run costs its machine, all our processes together, compared with vllm-bench on vllm-bench's own overhead
// benchmark: its mock server, 50 ms to the first of 100 tokens and 10 ms between them, alternating, with another tool
// first in each round. Processor time rather than wall time: it varies less with other activity of the machine.
// `--levels 1,10,100,500,1000 --rounds 3`. PLIMSOLL_VLLM_BENCH and PLIMSOLL_VLLM_MOCK name the binaries that `cargo
// build --release` makes from its sources and from its bench-overhead/mock-server; without the mock, the truth server
// in C is used, without the tool only our own cost is printed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { requireBuild } from '../test/support/build.ts';
import { median, printRow } from './bench-row.ts';
import { findPeers, type PeerTool } from './peers/peer-tools.ts';
import { runPeer } from './peers/run-peer.ts';
import { freePort } from './probe-against.ts';
import { buildTruthServer, startTruthServer } from './truth-server/truth-server.ts';

const { values: requested } = parseArgs({
  options: {
    levels: { type: 'string', default: '1,10,100,500,1000' },
    rounds: { type: 'string', default: '3' },
  },
});

/** Of its run.sh. */
const TTFT_MS = 50;
const GAP_MS = 10;
const OUTPUT_TOKENS = 100;
const INPUT_TOKENS = 32;
const REQUESTS: ReadonlyMap<number, number> = new Map([
  [1, 50],
  [10, 100],
  [100, 200],
]);
const TIMEOUT_MS = 180_000;

interface Cost {
  readonly cpuSeconds: number;
  readonly ttftMs: number;
}

interface StandingServer extends AsyncDisposable {
  readonly url: string;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const main = async (): Promise<void> => {
  requireBuild();
  const tools: PeerTool[] = [];
  for (const peer of findPeers()) {
    if (peer.kind === 'missing' && peer.name === THEIRS) print(`${peer.name} is missing: ${peer.reason}`);
    if (peer.kind === 'found' && [OURS, THEIRS].includes(peer.tool.name)) tools.push(peer.tool);
  }
  const server = findServer();
  if (server.kind === 'skipped') {
    print(`skipped: ${server.reason}`);
    return;
  }
  for (const level of requested.levels.split(',').map(Number)) {
    await using standing = await server.start();
    await measureLevel(level, tools, standing.url, server.name);
  }
};

const measureLevel = async (
  streams: number,
  tools: readonly PeerTool[],
  url: string,
  serverName: string,
): Promise<void> => {
  const rounds: Map<string, Cost>[] = [];
  const load = loadavg()[0]?.toFixed(1);
  for (let round = 0; round < Number(requested.rounds); round += 1) {
    const costs = new Map<string, Cost>();
    for (const tool of round % 2 === 0 ? tools : tools.toReversed()) {
      const cost = await costOf(tool, url, streams);
      if (typeof cost === 'string') print(`${tool.name}, ${streams} streams, round ${round + 1}: ${cost}`);
      else costs.set(tool.name, cost);
    }
    rounds.push(costs);
  }
  for (const { what, unit, digits, of } of FIGURES) {
    const values = (name: string): readonly number[] =>
      rounds.flatMap(costs => {
        const cost = costs.get(name);
        return cost === undefined ? [] : [of(cost)];
      });
    const ratios = rounds.flatMap(costs => {
      const [ours, theirs] = [costs.get(OURS), costs.get(THEIRS)];
      return ours === undefined || theirs === undefined ? [] : [of(ours) / of(theirs)];
    });
    const reported = [OURS, THEIRS]
      .filter(name => values(name).length > 0)
      .map(
        name =>
          `${name} ${values(name)
            .map(value => value.toFixed(digits))
            .join(', ')} ${unit}`,
      )
      .join('; ');
    printRow({
      what: `${streams} ${streams === 1 ? 'stream' : 'streams'}: ${what}`,
      ...(ratios.length === 0
        ? { figure: median(values(OURS)), unit, reach: { kind: 'none' } }
        : { figure: median(ratios), unit: '× vllm-bench', reach: { kind: 'at-most', value: 1 } }),
      method: `${reported}; ${serverName}, load ${load}`,
    });
  }
};

const costOf = async (tool: PeerTool, url: string, streams: number): Promise<Cost | string> => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-client-cost-'));
  const load = {
    url,
    model: 'mock-model',
    concurrency: streams,
    requests: REQUESTS.get(streams) ?? streams,
    inputTokens: INPUT_TOKENS,
    outputTokens: OUTPUT_TOKENS,
    folder,
  };
  try {
    const { code, cpuSeconds, reported } = await runPeer(tool.command(load), {
      folder,
      timeoutMs: TIMEOUT_MS,
    });
    if (code !== 0) return `it ended with ${code}: ${reported.slice(-400).replace(/\s+/g, ' ')}`;
    const { completed, ttftMs } = tool.figures(load);
    if (completed !== load.requests) return `${completed} of ${load.requests} requests completed`;
    return { cpuSeconds, ttftMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

type FoundServer =
  | { readonly kind: 'found'; readonly name: string; readonly start: () => Promise<StandingServer> }
  | { readonly kind: 'skipped'; readonly reason: string };

const findServer = (): FoundServer => {
  const path = process.env['PLIMSOLL_VLLM_MOCK'];
  if (path !== undefined) return { kind: 'found', name: "vllm-bench's mock", start: () => startMock(path) };
  print('PLIMSOLL_VLLM_MOCK names no mock of vllm-bench: the truth server stands in');
  const truth = buildTruthServer();
  if (truth.kind === 'skipped') return truth;
  const options = { ttftUs: 1e3 * TTFT_MS, gapUs: 1e3 * GAP_MS, events: OUTPUT_TOKENS, eventBytes: 200 };
  return {
    kind: 'found',
    name: 'the truth server',
    start: async () => {
      const server = await startTruthServer(truth.path, options);
      return {
        url: server.url,
        [Symbol.asyncDispose]: async () => {
          await server.stop();
        },
      };
    },
  };
};

const startMock = async (path: string): Promise<StandingServer> => {
  const port = await freePort();
  const numbers = {
    '--port': port,
    '--token-interval-ms': GAP_MS,
    '--first-token-delay-ms': TTFT_MS,
    '--num-tokens': OUTPUT_TOKENS,
  };
  const child = spawn(path, Object.entries(numbers).flat().map(String), { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${path} ended with ${child.exitCode}`);
    await sleep(50);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const OURS = 'Plimsoll';
const THEIRS = 'vllm-bench';

const FIGURES: readonly {
  readonly what: string;
  readonly unit: string;
  readonly digits: number;
  readonly of: (cost: Cost) => number;
}[] = [
  {
    what: 'processor time of all processes',
    unit: 's',
    digits: 2,
    of: ({ cpuSeconds }) => cpuSeconds,
  },
  { what: 'mean TTFT', unit: 'ms', digits: 1, of: ({ ttftMs }) => ttftMs },
];

await main();
