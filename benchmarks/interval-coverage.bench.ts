// How often an interval contains the truth: runs of queues whose truth is known, judged by the code that judges a run.
// `npm run bench -- interval-coverage`: 300 runs of each of 48 servers and loads, at four lengths, for six figures
// of two series. It takes about half an hour, stops after `--budget`, and continues when it is run again; a complete
// result is written to docs/evidence/interval-coverage.json. `--runs 100`, `--state FILE`, `--out FILE`.

import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { parseDurationMs } from '../src/core/figure/parse-figure.ts';
import { judgeObjective } from '../src/core/run/judge-objective.ts';
import type { JudgedObjective } from '../src/core/run/objective.ts';
import { ObjectiveTally } from '../src/core/run/objective-tally.ts';
import { isUnknown } from '../src/core/unknown.ts';
import { writeFileAtomic } from '../src/process/atomic-file.ts';
import { printRow } from './bench-row.ts';
import { drawTimes, QUEUES } from './queue-draws.ts';
import { resumeState, usualStatePath } from './resumed-state.ts';

const LOADS = [0.3, 0.5, 0.7, 0.85, 0.9, 0.95];
const LENGTHS = [300, 1_000, 5_000, 20_000];
const PERCENTILES = [50, 90, 95, 99];
const FIGURES = ['mean', 'attainment', ...PERCENTILES.map(percentile => `p${percentile}`)];
const SERIES = ['ttft', 'latency'] as const;
const TRUTH_REQUESTS = 4_000_000;
const LENGTH_MAX = Math.max(...LENGTHS);
/** A figure of a queue without waits is the same in each run: an interval around a constant always contains it. */
const SAME_SHARE = 0.3;
const NICE = 10;

const { values: requested } = parseArgs({
  options: {
    budget: { type: 'string' },
    runs: { type: 'string', default: '300' },
    state: { type: 'string' },
    out: { type: 'string' },
  },
});
const budget = requested.budget === undefined ? undefined : parseDurationMs(requested.budget);
if (budget?.kind === 'wrong') throw new Error(`--budget: ${budget.problem}`);
const endsAtMs = performance.now() + (budget === undefined ? Number.POSITIVE_INFINITY : budget.value);
const runs = Number(requested.runs);
setPriority(NICE);

const coverage = v.object({
  queue: v.string(),
  load: v.number(),
  series: v.picklist(SERIES),
  figure: v.string(),
  requests: v.number(),
  runs: v.number(),
  /** Runs whose interval contains the truth, is below it, is above it, and runs that report "unknown". */
  covered: v.number(),
  below: v.number(),
  above: v.number(),
  unknown: v.number(),
});

type Coverage = v.InferOutput<typeof coverage>;

const state = resumeState({
  path: requested.state ?? usualStatePath('interval-coverage'),
  schema: v.record(v.string(), v.array(coverage)),
  code: [
    'src/core/statistics',
    'src/core/run/judge-objective.ts',
    'src/core/run/objective-tally.ts',
    'benchmarks/queue-draws.ts',
    'benchmarks/interval-coverage.bench.ts',
  ],
  empty: {},
});

const coverageAt = (queue: string, load: number): readonly Coverage[] => {
  const seed = 1 + Object.keys(QUEUES).indexOf(queue) * 100 + Math.round(load * 100);
  const truth = drawTimes(queue, load, TRUTH_REQUESTS, seed);
  const drawn = drawTimes(queue, load, runs * LENGTH_MAX, seed + 10_000);
  return SERIES.flatMap(series => {
    const sorted = truth[series].toSorted();
    return FIGURES.flatMap(figure => {
      const judged = judgedFigure(figure, series, sorted);
      if (judged === undefined) return [];
      return countCovered(judged, drawn[series]).map(counted => ({
        ...{ queue, load, series, figure, runs },
        ...counted,
      }));
    });
  });
};

interface JudgedFigure {
  readonly objective: JudgedObjective;
  /** In the unit of its estimate. */
  readonly truth: number;
}

/** undefined if most of the distribution is at that value: its figure is a constant. */
const judgedFigure = (
  figure: string,
  series: (typeof SERIES)[number],
  sorted: Float64Array,
): JudgedFigure | undefined => {
  const last = sorted.length - 1;
  if (figure === 'mean') {
    const meanNs = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
    return { objective: { kind: 'mean', name: series, limitNs: meanNs }, truth: meanNs };
  }
  const percentile = figure === 'attainment' ? 90 : Number(figure.slice(1));
  const at = Math.floor((percentile / 100) * last);
  const limitNs = sorted[at] ?? 0;
  // Of equal values, the last one.
  const within = lastIndexAtMost(sorted, limitNs) + 1;
  const share = within / sorted.length;
  if (share > percentile / 100 + SAME_SHARE * (1 - percentile / 100)) return undefined;
  return figure === 'attainment'
    ? {
        objective: { kind: 'attainment', share, limits: [{ name: series, limitNs }] },
        truth: share,
      }
    : { objective: { kind: 'percentile', name: series, percentile, limitNs }, truth: limitNs };
};

const lastIndexAtMost = (sorted: Float64Array, limit: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

type Counted = Pick<Coverage, 'requests' | 'covered' | 'below' | 'above' | 'unknown'>;

/** One for each length: a shorter run is the beginning of a longer one. */
const countCovered = ({ objective, truth }: JudgedFigure, times: Float64Array): readonly Counted[] => {
  const counts = LENGTHS.map(requests => ({ requests, covered: 0, below: 0, above: 0, unknown: 0 }));
  const figures = {
    ...{ ttftNs: 0, ttftFromIntendedNs: 0, tpotNs: 0, latencyNs: 0, latencyFromIntendedNs: 0 },
    outputTokens: 2,
  };
  for (let run = 0; run < runs; run += 1) {
    const tally = new ObjectiveTally(objective);
    let index = run * LENGTH_MAX;
    for (const counted of counts) {
      for (; index < run * LENGTH_MAX + counted.requests; index += 1) {
        const ns = times[index] ?? 0;
        figures.ttftNs = ns;
        figures.latencyNs = ns;
        tally.ended('completed', figures);
      }
      const { estimate } = judgeObjective(objective, tally.evidence());
      if (isUnknown(estimate)) counted.unknown += 1;
      // The limit is the truth, to the resolution of the histogram.
      else if (truth < estimate.low * (1 - RESOLUTION)) counted.above += 1;
      else if (estimate.high !== null && truth > estimate.high * (1 + RESOLUTION)) counted.below += 1;
      else counted.covered += 1;
    }
  }
  return counts;
};

const RESOLUTION = 0.001;

const cells = Object.keys(QUEUES).flatMap(queue =>
  LOADS.map(load => ({ queue, load, key: `${queue} at ${load}` })),
);
for (const { queue, load, key } of cells) {
  if (performance.now() > endsAtMs) break;
  const known = state.found[key];
  if (known?.every(each => each.runs === runs)) continue;
  state.found[key] = [...coverageAt(queue, load)];
  await state.write();
}

const found = cells.flatMap(({ key }) => state.found[key] ?? []);
const shareOf = (rows: readonly Coverage[], of: (row: Coverage) => number): number =>
  (100 * rows.reduce((sum, row) => sum + of(row), 0)) / rows.reduce((sum, row) => sum + row.runs, 0);
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
/** A cell in which most runs report "unknown" is an unknown one. */
const isKnown = ({ unknown, runs: all }: Coverage): boolean => unknown <= all / 2;
const coveredShare = ({ covered, unknown, runs: all }: Coverage): number => (100 * covered) / (all - unknown);
const done = `${cells.filter(({ key }) => state.found[key] !== undefined).length} of ${cells.length} servers and loads`;

for (const requests of LENGTHS) {
  const ofLength = found.filter(row => row.requests === requests);
  for (const kind of ['mean', 'attainment', 'percentiles']) {
    const rows = ofLength.filter(({ figure }) =>
      kind === 'percentiles' ? figure.startsWith('p') : figure === kind,
    );
    const known = rows.filter(isKnown);
    if (known.length === 0) continue;
    const shares = known.map(coveredShare);
    const low = shares.filter(share => share < 93).length;
    const high = shares.filter(share => share > 99).length;
    printRow({
      what: `${requests} requests, ${kind}: cells whose intervals contain the truth in 93 to 99 % of runs`,
      figure: (100 * (known.length - low - high)) / known.length,
      unit: '%',
      reach: { kind: 'at-least', value: 100 },
      method: `${done}, ${runs} runs each; of ${rows.length} cells ${rows.length - known.length} are mostly unknown, ${low} are below 93 %, ${high} above 99 %; median ${median(shares).toFixed(1)} %, lowest ${Math.min(...shares).toFixed(1)} %`,
    });
    const missed = shareOf(rows, ({ below, above }) => below + above);
    printRow({
      what: `${requests} requests, ${kind}: runs whose interval misses the truth`,
      figure: missed,
      unit: '%',
      reach: { kind: 'at-most', value: 7 },
      method: `of all runs; ${shareOf(rows, ({ below }) => below).toFixed(1)} % below it; unknown: ${shareOf(rows, ({ unknown }) => unknown).toFixed(1)} %`,
    });
  }
}
const upTo85 = found.filter(({ requests, load }) => requests === 5_000 && load <= 0.85);
if (upTo85.length > 0)
  printRow({
    what: '5,000 requests, up to 0.85 of the capacity: runs that report "unknown"',
    figure: shareOf(upTo85, ({ unknown }) => unknown),
    unit: '%',
    reach: { kind: 'at-most', value: 20 },
    method: `all figures; ${done}`,
  });
if (cells.every(({ key }) => state.found[key] !== undefined)) {
  const path =
    requested.out ?? fileURLToPath(new URL('../docs/evidence/interval-coverage.json', import.meta.url));
  const columns = Object.keys(coverage.entries);
  const rows = found.map(row => JSON.stringify(Object.values(v.parse(coverage, row))));
  await writeFileAtomic(
    path,
    `{"command": "npm run bench -- interval-coverage", "columns": ${JSON.stringify(columns)},\n"rows": [\n${rows.join(',\n')}\n]}\n`,
  );
}
