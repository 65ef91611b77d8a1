// Whether a load line is correct: searches on the virtual clock against exact queues whose line is known, and stages
// at loads whose verdict is known. It takes hours, stops after `--budget`, and continues when it is run again: `npm
// run bench -- line-truth --budget 20m`. Seeds rotate over all cells, so that an interrupted run has results for
// each. `--seeds 200` searches a cell, `--cells 0,4` a part of them, `--state FILE`; `--only stages` or `--only
// searches`.

import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { parseDurationMs } from '../src/core/figure/parse-figure.ts';
import { LINE_CELLS, trueLine } from '../test/support/line-cells.ts';
import { capacityOf } from '../test/support/queue-simulator.ts';
import {
  type SimulatedEndpoint,
  type SimulatedStage,
  simulateLine,
  simulateStage,
} from '../test/support/simulated-line.ts';
import { median, printRow } from './bench-row.ts';
import { equalStagesSeconds } from './equal-stages.ts';
import { LineTruthState, type SearchedLine } from './line-truth-state.ts';
import { usualStatePath } from './resumed-state.ts';
import { zoomingSweeps } from './zooming-sweeps.ts';

const { values: requested } = parseArgs({
  options: {
    budget: { type: 'string' },
    seeds: { type: 'string', default: '200' },
    cells: { type: 'string' },
    state: { type: 'string' },
    only: { type: 'string' },
  },
});

const TRUTH_ARRIVALS = 4_000_000;
/** The truth is itself known to about so much. */
const TRUTH_TOLERANCE = 0.005;
/** Rules were tuned on others. */
const FIRST_SEED = 20_001;
const SEARCH = {
  by: 'rate',
  arrival: { kind: 'poisson' },
  resolution: 0.05,
  loadMax: 100_000,
  budgetMs: 900_000,
} as const;
const NICE = 15;
const WRITE_MS = 5_000;

const budget = requested.budget === undefined ? undefined : parseDurationMs(requested.budget);
if (budget?.kind === 'wrong') throw new Error(`--budget: ${budget.problem}`);
const endsAtMs = performance.now() + (budget === undefined ? Number.POSITIVE_INFINITY : budget.value);
const seeds = Array.from({ length: Number(requested.seeds) }, (_, index) => FIRST_SEED + index);
const numbers = requested.cells?.split(',').map(Number);
const cells = LINE_CELLS.filter((_, at) => numbers === undefined || numbers.includes(at));
setPriority(NICE);

const searchCells = async (state: LineTruthState): Promise<void> => {
  let writtenMs = performance.now();
  const round = function* (): Generator<() => void> {
    for (const { name, endpoint } of cells)
      if (state.truth(name) === undefined)
        yield () => state.setTruth(name, trueLine(endpoint, TRUTH_ARRIVALS));
    for (const seed of seeds)
      for (const { name, endpoint } of cells)
        if (state.line(name, seed) === undefined)
          yield () => state.setLine(name, seed, searched(endpoint, seed));
    for (const { name, endpoint } of cells)
      if (state.equalSeconds(name) === undefined)
        yield () => {
          const { truth, width, seconds } = figuresOf(state, name);
          const found = equalStagesSeconds({ endpoint, truth, width, searchSeconds: seconds });
          state.setEqualSeconds(name, found ?? null);
        };
    for (const { name, endpoint } of cells)
      if (state.zooming(name) === undefined)
        yield () => {
          const { truth, width, seconds } = figuresOf(state, name);
          const found = zoomingSweeps({ endpoint, truth, width, searchSeconds: seconds });
          state.setZooming(name, found ?? null);
        };
  };
  for (const step of round()) {
    if (performance.now() > endsAtMs) break;
    step();
    if (performance.now() - writtenMs < WRITE_MS) continue;
    await state.write();
    writtenMs = performance.now();
  }
  await state.write();
};

const searched = (endpoint: SimulatedEndpoint, seed: number): SearchedLine => {
  const { line, elapsedNs, issued } = simulateLine(endpoint, { ...SEARCH, seed });
  return {
    holds: 'holds' in line ? line.holds : null,
    fails: 'fails' in line ? line.fails : null,
    isConfirmed: line.kind === 'bracket' && line.isConfirmed,
    seconds: elapsedNs / 1e9,
    issued,
  };
};

interface CellFigures {
  readonly truth: number;
  readonly width: number;
  readonly seconds: number;
}

const widthOf = ({ holds, fails }: SearchedLine): number =>
  holds === null || fails === null ? Number.POSITIVE_INFINITY : fails / holds - 1;

const figuresOf = (state: LineTruthState, name: string): CellFigures => {
  const lines = state.lines(name);
  return {
    truth: state.truth(name) ?? Number.NaN,
    width: median(lines.map(widthOf)),
    seconds: median(lines.map(({ seconds }) => seconds)),
  };
};

const reportCell = (state: LineTruthState, name: string, endpoint: SimulatedEndpoint): void => {
  const lines = state.lines(name);
  if (lines.length === 0) return;
  const { truth, width, seconds } = figuresOf(state, name);
  const inside = lines.filter(
    ({ holds, fails }) =>
      (holds === null || holds <= truth * (1 + TRUTH_TOLERANCE)) &&
      (fails === null || fails >= truth * (1 - TRUTH_TOLERANCE)),
  ).length;
  const brackets = lines.filter(line => Number.isFinite(widthOf(line)));
  const sorted = lines.map(widthOf).toSorted((a, b) => a - b);
  printRow({
    what: `${name}, line at ${(truth / capacityOf(endpoint.model)).toFixed(3)} of the capacity: holds the truth`,
    figure: (100 * inside) / lines.length,
    unit: '%',
    reach: { kind: 'at-least', value: 95 },
    method: `${inside} of ${lines.length} searches of at most 15 min; ${brackets.length} brackets, ${lines.filter(({ isConfirmed }) => isConfirmed).length} confirmed`,
  });
  printRow({
    what: `${name}: width of the bracket`,
    figure: 100 * width,
    unit: '%',
    reach: { kind: 'none' },
    method: `median; nine of ten below ${(100 * (sorted[Math.floor(0.9 * sorted.length)] ?? width)).toFixed(1)} %; ${median(lines.map(({ issued }) => issued))} arrivals`,
  });
  const toWidth = (what: string, found: number | null | undefined): string => {
    if (found === undefined) return `${what} were not tried yet`;
    return found === null
      ? `${what} did not come to this width in 8 times the time`
      : `${what} come to this width in ${found.toFixed(0)} s`;
  };
  const zooming = state.zooming(name);
  const zoomingSeconds = zooming === null ? null : zooming?.seconds;
  printRow({
    what: `${name}: load time`,
    figure: seconds,
    unit: 's',
    reach:
      typeof zoomingSeconds === 'number' ? { kind: 'at-most', value: zoomingSeconds / 2 } : { kind: 'none' },
    method: [
      'median',
      toWidth('sweeps of 12 equal stages by somebody who does not know the line', zoomingSeconds),
      ...(zooming ? [`${zooming.inside} of ${zooming.tried} such people hold the truth`] : []),
      toWidth('12 equal stages around the true line', state.equalSeconds(name)),
    ].join('; '),
  });
};

interface StageQuestion {
  readonly what: string;
  readonly is: (stage: SimulatedStage) => boolean;
  readonly reach: { readonly kind: 'at-least' | 'at-most'; readonly value: number };
}

const reportStages = (name: string, load: number, { what, is, reach }: StageQuestion): void => {
  for (const servers of [1, 4, 16]) {
    for (const serviceVariation of [0, 0.5]) {
      if (performance.now() > endsAtMs) return;
      const model = { servers, serviceNs: 25e6, serviceVariation };
      const rate = load * capacityOf(model);
      const stages = seeds.map(seed =>
        simulateStage(
          // An objective that nothing misses: the queue alone decides.
          { model, objective: { limitNs: 1e15, share: 0.05 } },
          { kind: 'rate', requestsPerSecond: rate, arrival: 'poisson' },
          { seed, durationNs: (8_000 / rate) * 1e9 },
        ),
      );
      const decided = stages.filter(({ verdict }) => verdict !== 'undecided').map(({ issued }) => issued);
      printRow({
        what: `k = ${servers}, variation ${serviceVariation}, ${name}: ${what}`,
        figure: (100 * stages.filter(is).length) / stages.length,
        unit: '%',
        reach,
        method: `${stages.length} stages of at most 8,000 arrivals; ${decided.length} decided, after ${decided.length === 0 ? '–' : median(decided)} arrivals in the median`,
      });
    }
  }
};

if (requested.only !== 'searches') {
  reportStages('1.05 × capacity', 1.05, {
    what: 'said to hold',
    is: ({ verdict }) => verdict === 'held',
    reach: { kind: 'at-most', value: 5 },
  });
  reportStages('1.3 × capacity', 1.3, {
    what: 'over capacity within 500 arrivals',
    is: ({ verdict, issued }) => verdict === 'over-capacity' && issued <= 500,
    reach: { kind: 'at-least', value: 95 },
  });
  reportStages('0.9 × capacity', 0.9, {
    what: 'false alarms',
    is: ({ verdict }) => verdict === 'over-capacity',
    reach: { kind: 'at-most', value: 2 },
  });
}
if (requested.only !== 'stages') {
  const state = new LineTruthState(requested.state ?? usualStatePath('line-truth'));
  await searchCells(state);
  for (const { name, endpoint } of cells) reportCell(state, name, endpoint);
}
