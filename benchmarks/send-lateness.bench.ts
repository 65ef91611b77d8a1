// How late requests leave against their schedule: Poisson arrivals through a whole load generator, parse thread and all,
// to the truth server's small replies.

import { decodeSampleLine } from '../src/wire/sample-line.ts';
import { benchSeconds, median, printRow, spread } from './bench-row.ts';
import { percentile, runLoad } from './load-run.ts';
import { buildTruthServer, startTruthServer } from './truth-server/truth-server.ts';

const SECONDS = benchSeconds(4);
const ROUNDS = 5;

const latenessUs = (lines: readonly string[]): number[] =>
  lines.flatMap(line => {
    const decoded = decodeSampleLine(line);
    return decoded.kind === 'sample' && decoded.sample.window === 0
      ? [(decoded.sample.sentNs - decoded.sample.intendedNs) / 1e3]
      : [];
  });

const truth = buildTruthServer();
if (truth.kind === 'skipped') {
  process.stderr.write(`${truth.reason}\n`);
} else {
  const server = await startTruthServer(truth.path, { events: 0 });
  for (const pacing of ['sleep', 'spin'] as const) {
    for (const requestsPerSecond of [1_000, 5_000]) {
      const p50s: number[] = [];
      const p99s: number[] = [];
      const utilization: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const run = await runLoad({
          port: server.port,
          pattern: { kind: 'poisson', requestsPerSecond },
          durationNs: SECONDS * 1e9,
          isStreaming: false,
          connections: 64,
          warmupRequests: 5_000,
          pacing,
        });
        const values = latenessUs(run.lines);
        p50s.push(percentile(values, 50));
        p99s.push(percentile(values, 99));
        const cpu = run.observed.map(({ cpuShare }) => cpuShare);
        utilization.push(median(cpu).toFixed(2));
      }
      const what = `send lateness, Poisson ${requestsPerSecond}/s${pacing === 'spin' ? ', spinning' : ''}`;
      const isJudged = pacing === 'sleep';
      printRow({
        what: `${what}, p50`,
        figure: median(p50s),
        unit: 'µs',
        reach: isJudged ? { kind: 'at-most', value: 5 } : { kind: 'none' },
        method: spread(p50s, 1),
      });
      printRow({
        what: `${what}, p99`,
        figure: median(p99s),
        unit: 'µs',
        reach: isJudged ? { kind: 'at-most', value: 600 } : { kind: 'none' },
        method: `${spread(p99s, 0)}, cores used by the load thread ${utilization.join(' ')}`,
      });
    }
  }
  await server.stop();
}
