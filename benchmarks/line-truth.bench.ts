// Whether a load line is true: searches on the virtual clock against exact queues whose line is known, and stages at loads
// whose verdict is known. LINE_TRUTH_SEEDS searches a cell (200); a part of the cells by LINE_TRUTH_CELLS=0,4. Rows come cell by
// cell, so that a run that was cut short has told what it knows.

import { LINE_CELLS, trueLine } from '../test/support/line-cells.ts';
import { capacityOf } from '../test/support/queue-simulator.ts';
import type { SimulatedLine } from '../test/support/simulated-line.ts';
import { simulateLine, simulateStage } from '../test/support/simulated-line.ts';
import { median, printRow } from './bench-row.ts';

const SEEDS = Number(process.env['LINE_TRUTH_SEEDS'] ?? 200);
const CELLS = process.env['LINE_TRUTH_CELLS']?.split(',').map(Number);
const TRUTH_ARRIVALS = 4_000_000;
/** The truth is itself known to about so much. */
const TRUTH_TOLERANCE = 0.005;
const SEARCH = {
  by: 'rate',
  arrival: 'poisson',
  resolution: 0.05,
  loadMax: 100_000,
  budgetMs: 900_000,
} as const;

const holdsTruth = ({ line }: SimulatedLine, truth: number): boolean => {
  const low = truth * (1 - TRUTH_TOLERANCE);
  const high = truth * (1 + TRUTH_TOLERANCE);
  switch (line.kind) {
    case 'bracket':
      return line.holds <= high && line.fails >= low;
    case 'at-least':
      return line.holds <= high;
    case 'at-most':
    case 'none':
      return line.fails >= low;
    case 'unknown':
      return true;
    default:
      return line satisfies never;
  }
};

/** Seconds that 12 equal stages, spread evenly over what a person would try, need for a bracket as narrow as this one. */
const equalStagesSeconds = (cell: number, truth: number, width: number): number | undefined => {
  const { endpoint } = LINE_CELLS[cell] ?? {};
  if (endpoint === undefined) return undefined;
  // Free of charge they get what no person has: the line in their middle, and as close as the width asks.
  const step = Math.sqrt(1 + width);
  for (let seconds = 5; seconds <= 1_280; seconds *= 2) {
    const widths = [1, 2, 3, 4, 5].map(seed => {
      const stages = Array.from({ length: 12 }, (_, at) => {
        const load = truth * step ** (at - 5.5);
        const { verdict } = simulateStage(
          endpoint,
          { kind: 'rate', requestsPerSecond: load, arrival: 'poisson' },
          { seed: 100 * seed + at, durationNs: seconds * 1e9, isDecided: () => false },
        );
        return { load, verdict };
      });
      const fails = stages.find(({ verdict }) => verdict === 'missed' || verdict === 'over-capacity')?.load;
      const holds = stages.findLast(
        ({ load, verdict }) => verdict === 'held' && load < (fails ?? Infinity),
      )?.load;
      return fails === undefined || holds === undefined ? Number.POSITIVE_INFINITY : fails / holds - 1;
    });
    if (median(widths) <= width * 1.02) return 12 * seconds;
  }
  return undefined;
};

const tellCell = (cell: number): void => {
  const { name, endpoint } = LINE_CELLS[cell] ?? {};
  if (name === undefined || endpoint === undefined) return;
  const truth = trueLine(endpoint, TRUTH_ARRIVALS);
  const lines = Array.from({ length: SEEDS }, (_, seed) =>
    simulateLine(endpoint, { ...SEARCH, seed: seed + 1 }),
  );
  const brackets = lines.flatMap(({ line }) => (line.kind === 'bracket' ? [line] : []));
  const inside = lines.filter(line => holdsTruth(line, truth)).length;
  const width = median(brackets.map(({ holds, fails }) => fails / holds - 1));
  const seconds = median(lines.map(({ elapsedNs }) => elapsedNs / 1e9));
  const equal = equalStagesSeconds(cell, truth, width);
  const at = `${name}, line at ${(truth / capacityOf(endpoint.model)).toFixed(3)} of the capacity`;
  printRow({
    what: `${at}: result holds the truth`,
    figure: (100 * inside) / lines.length,
    unit: '%',
    reach: { kind: 'at-least', value: 95 },
    method: `${lines.length} searches, ${brackets.length} brackets, ${brackets.filter(({ isConfirmed }) => isConfirmed).length} confirmed`,
  });
  printRow({
    what: `${name}: width of the bracket`,
    figure: 100 * width,
    unit: '%',
    reach: { kind: 'none' },
    method: `median; arrivals ${median(lines.map(({ issued }) => issued))}`,
  });
  printRow({
    what: `${name}: load time`,
    figure: seconds,
    unit: 's',
    reach: equal === undefined ? { kind: 'none' } : { kind: 'at-most', value: equal / 2 },
    method:
      equal === undefined
        ? 'median; 12 equal stages never came to this width in 4 h'
        : `median; 12 equal stages for the same width: ${equal} s`,
  });
};

const tellStages = (
  name: string,
  load: number,
  told: readonly {
    readonly what: string;
    readonly is: (stage: ReturnType<typeof simulateStage>) => boolean;
    readonly reach: number;
    readonly kind: 'at-least' | 'at-most';
  }[],
): void => {
  for (const servers of [1, 4, 16]) {
    for (const serviceVariation of [0, 0.5]) {
      const model = { servers, serviceNs: 25e6, serviceVariation };
      const rate = load * capacityOf(model);
      const stages = Array.from({ length: SEEDS }, (_, seed) =>
        simulateStage(
          // An objective that nothing misses: the queue alone decides.
          { model, objective: { limitNs: 1e15, share: 0.05 } },
          { kind: 'rate', requestsPerSecond: rate, arrival: 'poisson' },
          { seed: seed + 1, durationNs: (8_000 / rate) * 1e9 },
        ),
      );
      const decided = stages.filter(({ verdict }) => verdict !== 'undecided').map(({ issued }) => issued);
      for (const { what, is, reach, kind } of told)
        printRow({
          what: `k = ${servers}, variation ${serviceVariation}, ${name}: ${what}`,
          figure: (100 * stages.filter(is).length) / stages.length,
          unit: '%',
          reach: { kind, value: reach },
          method: `${stages.length} stages of at most 8,000 arrivals; ${decided.length} decided, after ${decided.length === 0 ? '–' : median(decided)} arrivals`,
        });
    }
  }
};

if (CELLS === undefined || CELLS.includes(-1)) {
  tellStages('1.05 × capacity', 1.05, [
    { what: 'said to hold', is: ({ verdict }) => verdict === 'held', reach: 5, kind: 'at-most' },
  ]);
  tellStages('1.3 × capacity', 1.3, [
    {
      what: 'over capacity within 500 arrivals',
      is: ({ verdict, issued }) => verdict === 'over-capacity' && issued <= 500,
      reach: 95,
      kind: 'at-least',
    },
  ]);
  tellStages('0.9 × capacity', 0.9, [
    { what: 'false alarms', is: ({ verdict }) => verdict === 'over-capacity', reach: 2, kind: 'at-most' },
  ]);
}
for (const cell of CELLS ?? LINE_CELLS.keys()) tellCell(cell);
