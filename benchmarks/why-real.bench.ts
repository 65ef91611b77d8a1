// What `plimsoll why` leaves unexplained between the results of Plimsoll, vLLM's benchmark, AIPerf and GuideLLM on a real llama.cpp with a
// model of random weights: every pair, every figure. `--concurrency 1 --requests 80 --only Plimsoll,vLLM --keep FOLDER`. PLIMSOLL_VLLM and
// PLIMSOLL_PEERS_PYTHON name the tools (peers/peer-tools.ts), `node test/real/install.ts llama.cpp` installs the server.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { explanationSchema } from '../src/core/explanation/explanation-document.ts';
import { missingReason, type RunningServer, startRealServer } from '../test/real/running-server.ts';
import { MODELS_FOLDER, REAL_SERVERS } from '../test/real/servers.ts';
import { requireBuild } from '../test/support/build.ts';
import { printRow } from './bench-row.ts';
import { findPeers, type PeerTool } from './peers/peer-tools.ts';
import { runPeer } from './peers/run-peer.ts';

const { values: requested } = parseArgs({
  options: {
    concurrency: { type: 'string', default: '1' },
    requests: { type: 'string', default: '80' },
    only: { type: 'string' },
    keep: { type: 'string' },
  },
});
const INPUT_TOKENS = 256;
const OUTPUT_TOKENS = 40;
const UNEXPLAINED_PERCENT_MAX = 2;
const TOOL_MS_MAX = 600_000;

interface Result {
  readonly name: string;
  readonly path: string;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const main = async (folder: string): Promise<void> => {
  requireBuild();
  const server = REAL_SERVERS.find(({ name }) => name === 'llama.cpp');
  const missing = server === undefined ? 'no llama.cpp' : missingReason(server);
  if (server === undefined || missing !== undefined) {
    print(`skipped: ${missing}`);
    return;
  }
  await using running = await startRealServer(server, server.speculation?.plainArgs);
  // Its times are to be those of its model, not of what else uses the processors: tools that use more of them would make it slower.
  const hasPriority = spawnSync('renice', ['-n', '-15', '-g', `${running.pid}`]).status === 0;
  if (!hasPriority) print('the server has no priority: what a tool uses makes it slower');
  const results: Result[] = [];
  const tools = foundTools();
  for (const [number, tool] of [...tools, ...tools.slice(0, 1)].entries()) {
    // The first again, last: what two runs of one tool leave is the machine's.
    const name = number === tools.length ? `${tool.name} again` : tool.name;
    const result = await measured({ ...tool, name }, running, join(folder, name));
    if (result !== undefined) results.push(result);
  }
  for (const [index, a] of results.entries()) for (const b of results.slice(index + 1)) explain(a, b);
};

const foundTools = (): readonly PeerTool[] =>
  findPeers().flatMap(peer => {
    if (peer.kind === 'missing') print(`${peer.name} is missing: ${peer.reason}`);
    else if (requested.only?.split(',').includes(peer.tool.name) ?? true) return [peer.tool];
    return [];
  });

const measured = async (
  tool: PeerTool,
  running: RunningServer,
  folder: string,
): Promise<Result | undefined> => {
  mkdirSync(folder, { recursive: true });
  const load = {
    ...{ url: running.url, model: 'tiny', inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS, folder },
    ...{ concurrency: Number(requested.concurrency), requests: Number(requested.requests) },
    tokenizer: join(MODELS_FOLDER, 'hf'),
  };
  const [before = 0] = loadavg();
  const counted = await ownTimes(running);
  const { code, reported } = await runPeer(tool.command(load), { folder, timeoutMs: TOOL_MS_MAX });
  if (code !== 0) {
    print(`${tool.name} ended with ${code}: ${reported.slice(-400).replace(/\s+/g, ' ')}`);
    return undefined;
  }
  const { completed, ttftMs, tpotMs } = tool.figures(load);
  const { seconds, tokens } = await ownTimes(running);
  const ownMs = (1_000 * (seconds - counted.seconds)) / (tokens - counted.tokens);
  print(
    `${tool.name}: ${completed} requests, mean TTFT ${ttftMs.toFixed(1)} ms, TPOT ${tpotMs.toFixed(2)} ms; the server itself took ${ownMs.toFixed(2)} ms a token; load ${before.toFixed(1)} on ${availableParallelism()} processors`,
  );
  return { name: tool.name, path: tool.result(folder) };
};

/** By llama.cpp's own clock: what a tool's figures have beyond it is the client, the rest of a difference is the machine. */
const ownTimes = async (running: RunningServer) => ({
  seconds: await running.total(['llamacpp:tokens_predicted_seconds_total']),
  tokens: await running.total(['llamacpp:tokens_predicted_total']),
});

/** The figure with the greatest rest, in percent of it, and the greatest difference of a time with its main cause. */
const explain = (a: Result, b: Result): void => {
  const { stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'why', a.path, b.path, '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (stdout === '') {
    print(`${a.name}, ${b.name}: ${stderr.slice(0, 400)}`);
    return;
  }
  const { figures } = v.parse(explanationSchema, JSON.parse(stdout));
  const rests = figures
    .map(({ label, unexplainedShare: share }) => ({ label, share }))
    .toSorted((one, other) => Math.abs(other.share) - Math.abs(one.share));
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
  const within = rests.filter(({ share }) => Math.abs(share) * 100 <= UNEXPLAINED_PERCENT_MAX).length;
  const [greatest] = figures.toSorted(
    (one, other) => Math.abs(other.differenceShare) - Math.abs(one.differenceShare),
  );
  printRow({
    what: `${a.name}, ${b.name}: greatest unexplained rest`,
    figure: Math.abs(rests[0]?.share ?? Number.NaN) * 100,
    unit: '%',
    reach: { kind: 'at-most', value: UNEXPLAINED_PERCENT_MAX },
    method: `${within} of ${rests.length} figures within; ${rests
      .slice(0, 3)
      .map(({ label, share }) => `${label} ${percent(share)}`)
      .join(
        ', ',
      )}; greatest difference ${greatest?.label} ${percent(greatest?.differenceShare ?? 0)}, ${greatest?.causes[0]?.code ?? 'no cause'}`,
  });
};

const COMMAND = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));

const folder = requested.keep ?? mkdtempSync(join(tmpdir(), 'plimsoll-why-real-'));
try {
  await main(folder);
} finally {
  if (requested.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
