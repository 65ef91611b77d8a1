// The capacity of load threads with no other work: tiny replies compared with wrk on as many threads and the same server, in turns, and
// a flood of server-sent events. The parse thread discards everything.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchSeconds, median, printRow, spread } from './bench-row.ts';
import { mean, runLoad } from './load-run.ts';
import { buildTruthServer, startTruthServer } from './truth-server/truth-server.ts';

const SECONDS = benchSeconds(3);
const ROUNDS = 5;
const CONNECTIONS = 64;
const parseWorker = new URL('./discarding-parse-worker.ts', import.meta.url);
const note = (text: string): void => void process.stderr.write(`${text}\n`);

const tinyReplies = async (path: string, threads: 1 | 2): Promise<void> => {
  await using server = await startTruthServer(path, { events: 0 }).then(started => ({
    ...started,
    [Symbol.asyncDispose]: async () => {
      await started.stop();
    },
  }));
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bench-'));
  const script = join(folder, 'post.lua');
  writeFileSync(
    script,
    'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = string.rep("x", 980)\n',
  );
  const ours: number[] = [];
  const theirs: number[] = [];
  const utilization: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const wrk = spawnSync(
      'wrk',
      [`-t${threads}`, `-c${CONNECTIONS}`, `-d${Math.ceil(SECONDS)}s`, '-s', script, server.url],
      {
        encoding: 'utf8',
      },
    );
    theirs.push(Number(/Requests\/sec:\s+([\d.]+)/.exec(wrk.stdout ?? '')?.[1] ?? Number.NaN));
    const run = await runLoad({
      port: server.port,
      pattern: { kind: 'concurrency', concurrency: CONNECTIONS },
      durationNs: SECONDS * 1e9,
      isStreaming: false,
      warmupRequests: 20_000,
      loadThreads: threads,
      parseWorker,
    });
    if (run.result.arenaFullCount > 0) note(`the ring was full ${run.result.arenaFullCount} times`);
    ours.push(run.ended / run.seconds);
    utilization.push(mean(run.observed.map(({ eventLoopUtilization }) => eventLoopUtilization)));
  }
  rmSync(folder, { recursive: true });
  const method = `POST 1 KB, ${CONNECTIONS} connections, C server, in turns, ${spread(ours, 0)}`;
  printRow({
    what: `tiny replies, load threads: ${threads}`,
    figure: median(ours),
    unit: 'requests/s',
    reach: { kind: 'none' },
    method: `${method}`,
  });
  printRow({
    what: `tiny replies against wrk -t${threads}`,
    figure: median(ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN))),
    unit: 'times',
    reach: { kind: 'at-least', value: threads === 1 ? 0.9 : 0.8 },
    method: `wrk ${spread(theirs, 0)}`,
  });
};

const flood = async (): Promise<void> => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./flood-server.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [first]: [Buffer] = await once(child.stdout, 'data').then(([bytes]) => [bytes]);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const run = await runLoad({
      port: Number(first.toString()),
      pattern: { kind: 'concurrency', concurrency: 16 },
      durationNs: SECONDS * 1e9,
      warmupRequests: 16,
      parseWorker,
    });
    if (run.result.arenaFullCount > 0) note(`the ring was full ${run.result.arenaFullCount} times`);
    rates.push(Number(run.lines[0]) / EVENT_BYTES / run.seconds);
  }
  child.stdin.end();
  printRow({
    what: 'flood of server-sent events, one load thread',
    figure: median(rates),
    unit: 'events/s',
    reach: { kind: 'at-least', value: 3_000_000 },
    method: `${EVENT_BYTES} bytes each in its own HTTP chunk, 16 connections, ${spread(rates, 0)}`,
  });
};

/** Of flood-server.ts, HTTP framing left out. */
const EVENT_BYTES = 300;

const truth = buildTruthServer();
const hasWrk = spawnSync('wrk', ['--version']).error === undefined;
if (truth.kind === 'skipped') note(`tiny replies: ${truth.reason}`);
else if (!hasWrk) note('tiny replies: there is no wrk to compare with');
else {
  await tinyReplies(truth.path, 1);
  await tinyReplies(truth.path, 2);
}
await flood();
