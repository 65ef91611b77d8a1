// Whether the error bound of each figure is correct: `plimsoll bench` against the truth server, whose stamps contain
// what every figure should have been, at several numbers of streams, alone and next to a program that uses both
// processors. It can be continued: npm run bench -- error-bound [--runs 60] [--budget 30m] [--streams 1,10] [--beside
// alone|hog] [--state FILE]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseDurationMs } from '../src/core/figure/parse-figure.ts';
import type { Report } from '../src/core/run/report.ts';
import { lowerPercentile } from '../src/core/statistics/percentile.ts';
import { decodeSampleLine } from '../src/wire/sample-line.ts';
import { reportFromJson } from '../src/wire/stored-json.ts';
import { median, printRow } from './bench-row.ts';
import { type BoundedFigure, type ErrorBoundRun, ErrorBoundState } from './error-bound-state.ts';
import { usualStatePath } from './resumed-state.ts';
import {
  buildTruthServer,
  startTruthServer,
  type TruthStream,
  truthLog,
} from './truth-server/truth-server.ts';

const { values: requested } = parseArgs({
  options: {
    runs: { type: 'string', default: '60' },
    budget: { type: 'string' },
    streams: { type: 'string' },
    beside: { type: 'string' },
    state: { type: 'string' },
  },
});

interface Condition {
  readonly streams: number;
  readonly gapUs: number;
  readonly events: number;
  readonly hasHog: boolean;
}

/** A hundred events a second each, and ten thousand in all at the most: two processors carry server and client. */
const SHAPES = [
  { streams: 1, gapUs: 10_000, events: 100 },
  { streams: 10, gapUs: 10_000, events: 100 },
  { streams: 100, gapUs: 10_000, events: 100 },
  { streams: 500, gapUs: 50_000, events: 20 },
  { streams: 1_000, gapUs: 100_000, events: 20 },
] as const;
const SECONDS = 5;
const PERCENTILES = ['50', '90', '99'] as const;
/** What a run without a hog may claim at the most: so many times the true error, or so much. */
const TIMES_MAX = 3;
const LEAST_NS = 300_000;

const budget = requested.budget === undefined ? undefined : parseDurationMs(requested.budget);
if (budget?.kind === 'wrong') throw new Error(`--budget: ${budget.problem}`);
const endsAtMs = performance.now() + (budget === undefined ? Number.POSITIVE_INFINITY : budget.value);
const wanted = requested.streams?.split(',').map(Number);
const conditions: readonly Condition[] = [false, true]
  .filter(hasHog => requested.beside === undefined || (requested.beside === 'hog') === hasHog)
  .flatMap(hasHog => SHAPES.map(shape => ({ ...shape, hasHog })))
  .filter(({ streams }) => wanted === undefined || wanted.includes(streams));
const nameOf = ({ streams, hasHog }: Condition): string =>
  `${streams} streams, ${hasHog ? 'beside a hog on each processor' : 'alone'}`;

const measure = async (path: string, condition: Condition): Promise<ErrorBoundRun> => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-error-bound-'));
  const hogs = condition.hasHog
    ? Array.from({ length: availableParallelism() }, () =>
        spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
      )
    : [];
  try {
    const log = join(folder, 'truth.bin');
    const { gapUs, events } = condition;
    const server = await startTruthServer(path, { ttftUs: 50_000, gapUs, events, isFifo: true, log });
    const out = join(folder, 'run');
    await bench(server.url, condition, out);
    const { latenessUs } = await server.stop();
    const report = reportFromJson(readFileSync(join(out, 'report.json'), 'utf8'));
    const figures = compare(report, out, log);
    return {
      figures,
      load: loadavg()[0] ?? 0,
      serverLateUsP99: latenessUs.p99,
      samples: report.counts.completed,
    };
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
};

const bench = async (url: string, { streams }: Condition, out: string): Promise<void> => {
  const program = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));
  const args = [
    'bench',
    url,
    '--concurrency',
    String(streams),
    '--duration',
    `${SECONDS}s`,
    '--out',
    out,
    '--events',
    'on',
  ];
  const child = spawn(process.execPath, [program, ...args, '--home', join(out, '..', 'home')], {
    stdio: 'ignore',
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`plimsoll bench ended with code ${code}`);
};

const compare = (report: Report, out: string, log: string): BoundedFigure[] => {
  const truth = truthLog(log, runZeroOf(out));
  const reported: Record<'ttftNs' | 'latencyNs' | 'chunkGapNs', number[]> = {
    ttftNs: [],
    latencyNs: [],
    chunkGapNs: [],
  };
  for (const line of readFileSync(join(out, 'samples.jsonl'), 'utf8').split('\n')) {
    const decoded = line === '' ? undefined : decodeSampleLine(line);
    if (decoded?.kind !== 'sample' || decoded.sample.window < 0 || decoded.sample.outcome !== 'completed')
      continue;
    const { sampleId, sentNs } = decoded.sample;
    const stream: TruthStream | undefined = truth.get(sampleId);
    if (stream === undefined) throw new Error(`the truth server knows nothing of request ${sampleId}`);
    const { writeNs } = stream;
    reported.ttftNs.push((writeNs[0] ?? Number.NaN) - sentNs);
    reported.latencyNs.push((writeNs.at(-1) ?? Number.NaN) - sentNs);
    for (let at = 1; at < writeNs.length; at += 1)
      reported.chunkGapNs.push((writeNs[at] ?? Number.NaN) - (writeNs[at - 1] ?? Number.NaN));
  }
  return (['ttftNs', 'latencyNs', 'chunkGapNs'] as const).flatMap(key => {
    const series = report.series[key];
    const bound = series?.errorBound;
    if (series === undefined || bound === undefined || series.mean === null)
      throw new Error(`${key} has no error bound`);
    if (series.count !== reported[key].length)
      throw new Error(`${key}: ${series.count} and ${reported[key].length} values`);
    const sorted = Float64Array.from(reported[key]).sort();
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
    return [
      { name: `${key} mean`, error: series.mean - mean, ...bound.mean },
      ...PERCENTILES.flatMap(p => {
        const [measured, own] = [series.percentiles[p], bound.percentiles[p]];
        if (measured === undefined || own === undefined) return [];
        return [{ name: `${key} p${p}`, error: measured - lowerPercentile(sorted, Number(p)), ...own }];
      }),
    ];
  });
};

/** The first line of the event log contains it. */
const runZeroOf = (out: string): bigint => {
  const [first = ''] = readFileSync(join(out, 'events.jsonl'), 'utf8').split('\n', 1);
  const { runZeroNs }: { readonly runZeroNs: number } = JSON.parse(first);
  return BigInt(runZeroNs);
};

const isInside = ({ error, above, below }: BoundedFigure): boolean => error <= above && -error <= below;
const widthOf = ({ above, below }: BoundedFigure): number => Math.max(above, below);

const print = (state: ErrorBoundState, condition: Condition): void => {
  const runs = state.runs(nameOf(condition));
  if (runs.length === 0) return;
  const inside = runs.filter(({ figures }) => figures.every(isInside)).length;
  const outside = new Set(
    runs.flatMap(({ figures }) => figures.filter(each => !isInside(each)).map(each => each.name)),
  );
  printRow({
    what: `${nameOf(condition)}: runs inside`,
    figure: inside,
    unit: `of ${runs.length}`,
    reach: { kind: 'at-least', value: runs.length },
    method:
      `every figure of TTFT, latency and gap; load ${median(runs.map(({ load }) => load)).toFixed(1)}, ` +
      `server late p99 ${median(runs.map(each => each.serverLateUsP99)).toFixed(0)} µs` +
      `${outside.size === 0 ? '' : `; outside: ${[...outside].join(', ')}`}`,
  });
  for (const name of [
    'ttftNs mean',
    'ttftNs p50',
    'ttftNs p99',
    'chunkGapNs mean',
    'chunkGapNs p50',
    'chunkGapNs p99',
  ]) {
    const own = runs.flatMap(({ figures }) => figures.filter(figure => figure.name === name));
    const [bound, error] = [median(own.map(widthOf)), median(own.map(each => Math.abs(each.error)))];
    const most = Math.max(TIMES_MAX * error, LEAST_NS);
    printRow({
      what: `${nameOf(condition)}: ${name}, bound`,
      figure: bound / 1e6,
      unit: 'ms',
      reach:
        condition.hasHog || !name.startsWith('ttft')
          ? { kind: 'none' }
          : { kind: 'at-most', value: most / 1e6 },
      method: `medians; true error ${(error / 1e6).toFixed(3)} ms, bound ÷ error ${(bound / error).toFixed(1)}`,
    });
  }
};

const truthServer = buildTruthServer();
if (truthServer.kind === 'skipped') {
  process.stderr.write(`${truthServer.reason}\n`);
} else {
  const state = new ErrorBoundState(requested.state ?? usualStatePath('error-bound'));
  for (let round = 0; round < Number(requested.runs); round += 1) {
    for (const condition of conditions) {
      if (performance.now() > endsAtMs || state.runs(nameOf(condition)).length > round) continue;
      await state.add(nameOf(condition), await measure(truthServer.path, condition));
    }
  }
  for (const condition of conditions) print(state, condition);
}
