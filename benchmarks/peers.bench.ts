// Plimsoll compared with AIPerf, GuideLLM and vllm-bench on one server, whose times are known to the microsecond: how
// far each is from the truth, what it costs, and how long it takes until there is a result. Alternating, so that
// other activity of the machine affects all of them. `--concurrency 16 --requests 160 --rounds 3 --timeout 180`
// (seconds a run), `--only AIPerf,vllm-bench`. PLIMSOLL_VLLM_BENCH names the binary of vllm-bench,
// PLIMSOLL_PEERS_PYTHON a Python with aiperf and guidellm; what is missing is printed.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { requireBuild } from '../test/support/build.ts';
import { median, printRow } from './bench-row.ts';
import { findPeers, type PeerFigures, type PeerTool } from './peers/peer-tools.ts';
import { runPeer } from './peers/run-peer.ts';
import { buildTruthServer, startTruthServer } from './truth-server/truth-server.ts';

const { values: requested } = parseArgs({
  options: {
    concurrency: { type: 'string', default: '16' },
    requests: { type: 'string', default: '160' },
    rounds: { type: 'string', default: '3' },
    timeout: { type: 'string', default: '180' },
    only: { type: 'string' },
  },
});
const TTFT_MS = 50;
const GAP_MS = 10;
const EVENTS = 50;
const INPUT_TOKENS = 64;
const [concurrency, requests, rounds] = [requested.concurrency, requested.requests, requested.rounds].map(
  Number,
);
const timeoutMs = 1_000 * Number(requested.timeout);

interface Measured extends PeerFigures {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly serverLateUs: number;
  readonly truth: TruthMeans;
}

/** What the server itself did: under load it is late too, and that is no error of a client. */
interface TruthMeans {
  readonly ttftMs: number;
  readonly gapMs: number;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const main = async (): Promise<void> => {
  requireBuild();
  const truth = buildTruthServer();
  if (truth.kind === 'skipped') {
    print(`skipped: ${truth.reason}`);
    return;
  }
  const tools: PeerTool[] = [];
  const wanted = requested.only?.split(',');
  for (const peer of findPeers()) {
    if (peer.kind === 'missing') print(`${peer.name} is missing: ${peer.reason}`);
    else if (wanted === undefined || wanted.includes(peer.tool.name)) {
      print(`${peer.tool.name}: ${peer.version}`);
      tools.push(peer.tool);
    }
  }
  const least = (((requests ?? 0) / (concurrency ?? 1)) * (TTFT_MS + (EVENTS - 1) * GAP_MS)) / 1e3;
  print(
    `${requests} requests, ${concurrency} at a time, ${EVENTS} tokens: the load itself takes ${least.toFixed(1)} s at least; load of the machine ${loadavg()[0]?.toFixed(1)}`,
  );
  const measured = new Map<string, Measured[]>(tools.map(({ name }) => [name, []]));
  for (let round = 0; round < (rounds ?? 1); round += 1) {
    // Another one begins each time.
    for (const tool of [...tools.slice(round % tools.length), ...tools.slice(0, round % tools.length)]) {
      const one = await measure(tool, truth.path);
      if (typeof one === 'string') print(`${tool.name}, round ${round + 1}: ${one}`);
      else measured.get(tool.name)?.push(one);
    }
  }
  const [own = []] = tools
    .filter(({ name }) => name === 'Plimsoll')
    .map(({ name }) => measured.get(name) ?? []);
  for (const { name } of tools) report(name, measured.get(name) ?? [], own);
};

/** What it measured, or why it did not. */
const measure = async (tool: PeerTool, truthPath: string): Promise<Measured | string> => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-peers-'));
  const canPin = availableParallelism() > 1;
  const server = await startTruthServer(truthPath, {
    ttftUs: 1_000 * TTFT_MS,
    gapUs: 1_000 * GAP_MS,
    events: EVENTS,
    eventBytes: 300,
    log: join(folder, 'truth.log'),
    isFifo: true,
    ...(canPin ? { wrapper: ['taskset', '-c', '1'] } : {}),
  });
  const load = {
    url: server.url,
    model: 'truth',
    concurrency: concurrency ?? 1,
    requests: requests ?? 1,
    inputTokens: INPUT_TOKENS,
    outputTokens: EVENTS,
    folder,
  };
  try {
    const { code, cpuSeconds, wallSeconds, reported } = await runPeer(tool.command(load), {
      folder,
      timeoutMs,
    });
    const { latenessUs } = await server.stop();
    if (code !== 0)
      return `it ended with ${code}: ${`${reported.slice(0, 200)} … ${reported.slice(-200)}`.replace(/\s+/g, ' ')}`;
    return {
      ...tool.figures(load),
      cpuSeconds,
      wallSeconds,
      serverLateUs: latenessUs.p99,
      truth: truthMeans(join(folder, 'truth.log')),
    };
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : String(error);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Of each stream the server keeps when it was read and when each event was written: truth-server.c. */
const truthMeans = (path: string): TruthMeans => {
  const bytes = readFileSync(path);
  let [streams, ttftNs, gaps, gapNs] = [0, 0, 0, 0];
  for (let at = 0; at + 16 <= bytes.length; ) {
    const count = bytes.readUInt32LE(at + 4);
    const stamp = (index: number): bigint => bytes.readBigInt64LE(at + 8 + 8 * index);
    if (count > 1) {
      streams += 1;
      ttftNs += Number(stamp(1) - stamp(0));
      gaps += count - 1;
      gapNs += Number(stamp(count) - stamp(1));
    }
    at += 16 + 8 * count;
  }
  return { ttftMs: ttftNs / streams / 1e6, gapMs: gapNs / gaps / 1e6 };
};

const report = (name: string, all: readonly Measured[], own: readonly Measured[]): void => {
  if (all.length === 0) {
    print(`${name}: no result`);
    return;
  }
  for (const { what, unit, of, digits, hasRatio } of FIGURES) {
    const values = all.map(of);
    const ours = own.length === 0 ? undefined : median(own.map(of));
    const ratio =
      !hasRatio || name === 'Plimsoll' || ours === undefined || ours === 0
        ? ''
        : `, ${(median(values) / ours).toFixed(2)} × Plimsoll`;
    printRow({
      what: `${name}: ${what}`,
      figure: median(values),
      unit,
      reach: { kind: 'none' },
      method: `median of ${values.length}, ${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}${ratio}`,
    });
  }
  const late = Math.max(...all.map(({ serverLateUs }) => serverLateUs));
  print(
    `${name}: ${all.map(({ completed }) => completed).join(', ')} completed; server late p99 ${late} µs at most`,
  );
};

const FIGURES: readonly {
  readonly what: string;
  readonly unit: string;
  readonly digits: number;
  /** Of an error that may be 0 there is none. */
  readonly hasRatio: boolean;
  readonly of: (measured: Measured) => number;
}[] = [
  { what: 'mean TTFT', unit: 'ms', digits: 2, hasRatio: true, of: ({ ttftMs }) => ttftMs },
  {
    what: "TTFT beyond the server's own",
    unit: 'ms',
    digits: 2,
    hasRatio: false,
    of: ({ ttftMs, truth }) => ttftMs - truth.ttftMs,
  },
  { what: 'mean TPOT', unit: 'ms', digits: 3, hasRatio: true, of: ({ tpotMs }) => tpotMs },
  {
    what: "TPOT beyond the server's own",
    unit: 'ms',
    digits: 3,
    hasRatio: false,
    of: ({ tpotMs, truth }) => tpotMs - truth.gapMs,
  },
  {
    what: 'output',
    unit: 'tok/s',
    digits: 0,
    hasRatio: true,
    of: ({ outputTokensPerSecond }) => outputTokensPerSecond,
  },
  {
    what: 'processor time of the client',
    unit: 's',
    digits: 2,
    hasRatio: true,
    of: ({ cpuSeconds }) => cpuSeconds,
  },
  {
    what: 'from its start to its result',
    unit: 's',
    digits: 1,
    hasRatio: true,
    of: ({ wallSeconds }) => wallSeconds,
  },
];

await main();
