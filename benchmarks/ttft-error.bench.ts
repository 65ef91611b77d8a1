// How far our first-content stamp is from the moment at which the server wrote that event, both on CLOCK_MONOTONIC of one
// machine, while so many streams of 100 events/s run. Rows whose server was late itself are not judged.

import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { benchSeconds, printRow } from './bench-row.ts';
import { mean, percentile, runLoad } from './load-run.ts';
import { buildTruthServer, startTruthServer } from './truth-server/truth-server.ts';

const SECONDS = benchSeconds(5);
const REACH_MS: ReadonlyMap<number, number> = new Map([
  [1, 0.5],
  [10, 0.5],
  [100, 0.5],
  [500, 2],
  [1_000, 3],
]);
const SERVER_LATE_US = 1_000;
const NEIGHBOUR_SECONDS_MAX = 120;

/** Where other threads on the machine's few processors are the doubt, the same is run without them. */
const ALSO_REAL_TIME: ReadonlySet<number> = new Set([500, 1_000]);

const truth = buildTruthServer();
if (truth.kind === 'skipped') {
  process.stderr.write(`${truth.reason}\n`);
} else {
  for (const [streams, reachMs] of REACH_MS) {
    await measure(truth.path, streams, { what: 'mean', reachMs });
    if (!ALSO_REAL_TIME.has(streams) || !schedule('--rr', 1)) continue;
    await measure(truth.path, streams, { what: 'mean, client scheduled in real time', reachMs: undefined });
    if (streams === 1_000) await withNeighbours(truth.path, streams);
    schedule('--other', 0);
  }
}

async function measure(
  path: string,
  streams: number,
  { what, reachMs }: { readonly what: string; readonly reachMs: number | undefined },
): Promise<void> {
  const canPin = availableParallelism() > 1 && process.platform === 'linux';
  const server = await startTruthServer(path, {
    ttftUs: 50_000,
    gapUs: 10_000,
    events: 100,
    eventBytes: 300,
    // Where two processors are all there is, a server of ordinary priority would measure the scheduler.
    isFifo: true,
    ...(canPin ? { wrapper: ['taskset', '-c', '1'] } : {}),
  });
  const run = await runLoad({
    port: server.port,
    pattern: { kind: 'concurrency', concurrency: streams },
    durationNs: SECONDS * 1e9,
    parseWorker: new URL('./truth-parse-worker.ts', import.meta.url),
  });
  const { latenessUs } = await server.stop();
  const reported: { readonly errorsUs: number[]; readonly busy: number[]; readonly cores: number[] } =
    JSON.parse(run.lines[0] ?? '{}');
  const errorsMs = reported.errorsUs.map(us => us / 1e3);
  const isServerLate = latenessUs.p99 > SERVER_LATE_US;
  printRow({
    what: `TTFT error at ${streams} streams, ${what}`,
    figure: mean(errorsMs),
    unit: 'ms',
    reach: isServerLate || reachMs === undefined ? { kind: 'none' } : { kind: 'at-most', value: reachMs },
    method:
      `${errorsMs.length} samples, p50 ${percentile(errorsMs, 50).toFixed(3)}, p99 ${percentile(errorsMs, 99).toFixed(3)}; ` +
      `server late p99 ${latenessUs.p99} µs${isServerLate ? ', not judged' : ''}; ` +
      `load thread busy ${mean(reported.busy).toFixed(2)}, cores ${mean(reported.cores).toFixed(2)}`,
  });
}

/** Programs of ordinary priority that use every processor. They always end with this process. */
async function withNeighbours(path: string, streams: number): Promise<void> {
  const neighbours = Array.from({ length: availableParallelism() }, () =>
    spawn(
      'chrt',
      ['--other', '0', 'timeout', String(NEIGHBOUR_SECONDS_MAX), 'sh', '-c', 'while :; do :; done'],
      {
        stdio: 'ignore',
      },
    ),
  );
  const what = `mean, client scheduled in real time, beside ${neighbours.length} busy programs`;
  await measure(path, streams, { what, reachMs: 0.5 });
  for (const neighbour of neighbours) neighbour.kill();
}

/** Of this thread, and so of the load and parse threads that it starts from now on. False where that is not allowed. */
function schedule(policy: '--rr' | '--other', priority: number): boolean {
  return spawnSync('chrt', [policy, '--pid', String(priority), String(process.pid)]).status === 0;
}
