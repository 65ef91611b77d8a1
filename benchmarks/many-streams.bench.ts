// Ten thousand streams at once from one load thread, each an event a second: in closed loop how far the stamp of the first content is from
// the server's own, in open loop (a thousand requests a second that take ten seconds each) how late requests leave.

import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { decodeSampleLine } from '../src/wire/sample-line.ts';
import { benchSeconds, printRow } from './bench-row.ts';
import { type LoadRun, mean, percentile, runLoad } from './load-run.ts';
import { buildTruthServer, startTruthServer } from './truth-server/truth-server.ts';

const STREAMS = Number(process.env['PLIMSOLL_BENCH_STREAMS'] ?? 10_000);
const SECONDS = benchSeconds(30);
const EVENTS = 10;
const TTFT_US = 500_000;
const GAP_US = 1_000_000;
const SECONDS_A_REQUEST = (TTFT_US + (EVENTS - 1) * GAP_US) / 1e6;

const truth = buildTruthServer();
const filesMax = Number(spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout);
if (truth.kind === 'skipped') process.stderr.write(`${truth.reason}\n`);
else if (filesMax < STREAMS + 1_000)
  process.stderr.write(
    `${STREAMS} streams need as many open files, and this shell allows ${filesMax}: ulimit -n ${2 * STREAMS}\n`,
  );
else {
  await measure(truth.path, 'closed');
  await measure(truth.path, 'open');
}

async function measure(path: string, loop: 'closed' | 'open'): Promise<void> {
  const canPin = availableParallelism() > 1 && process.platform === 'linux';
  const server = await startTruthServer(path, {
    ttftUs: TTFT_US,
    gapUs: GAP_US,
    events: EVENTS,
    eventBytes: 300,
    isFifo: true,
    ...(canPin ? { wrapper: ['taskset', '-c', '1'] } : {}),
  });
  const usedBefore = process.cpuUsage();
  const run = await runLoad({
    port: server.port,
    pattern:
      loop === 'closed'
        ? { kind: 'concurrency', concurrency: STREAMS }
        : { kind: 'poisson', requestsPerSecond: STREAMS / SECONDS_A_REQUEST },
    connections: STREAMS,
    warmupRequests: 0,
    durationNs: SECONDS * 1e9,
    ...(loop === 'closed' ? { parseWorker: new URL('./truth-parse-worker.ts', import.meta.url) } : {}),
  });
  const { user, system } = process.cpuUsage(usedBefore);
  const { latenessUs } = await server.stop();
  const print = loop === 'closed' ? printErrors : printLateness;
  print(
    run,
    `server late p99 ${latenessUs.p99} µs, client ${((user + system) / 1e6).toFixed(1)} s of processor`,
  );
}

function printErrors(run: LoadRun, method: string): void {
  const reported: { readonly errorsUs: number[]; readonly busy: number[] } = JSON.parse(run.lines[0] ?? '{}');
  const errorsMs = reported.errorsUs.map(us => us / 1e3);
  printRow({
    what: `TTFT error at ${STREAMS} streams of an event a second, mean`,
    figure: mean(errorsMs),
    unit: 'ms',
    reach: { kind: 'none' },
    method: `${errorsMs.length} samples, p50 ${percentile(errorsMs, 50).toFixed(3)}, p99 ${percentile(errorsMs, 99).toFixed(3)}, max ${percentile(errorsMs, 100).toFixed(1)}; load thread busy ${mean(reported.busy).toFixed(2)}; ${method}`,
  });
}

function printLateness(run: LoadRun, method: string): void {
  const samples = run.lines.flatMap(line => {
    const decoded = decodeSampleLine(line);
    return decoded.kind === 'sample' ? [decoded.sample] : [];
  });
  const latenessUs = samples.map(({ sentNs, intendedNs }) => (sentNs - intendedNs) / 1e3);
  const failed = samples.filter(({ outcome }) => outcome !== 'completed').length;
  printRow({
    what: `send lateness with ${STREAMS} streams at once, Poisson, p99`,
    figure: percentile(latenessUs, 99),
    unit: 'µs',
    reach: { kind: 'none' },
    method: `${samples.length} samples, ${failed} not completed, most at once ${mostAtOnce(samples)}, p50 ${percentile(latenessUs, 50).toFixed(0)}; ${method}`,
  });
}

function mostAtOnce(samples: readonly { readonly sentNs: number; readonly endNs: number }[]): number {
  const edges = samples
    .flatMap(
      ({ sentNs, endNs }) =>
        [
          [sentNs, 1],
          [endNs, -1],
        ] as const,
    )
    .sort(([a], [b]) => a - b);
  let now = 0;
  let most = 0;
  for (const [, step] of edges) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}
