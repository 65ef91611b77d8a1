// Whether a comparison is true: whole comparisons on the virtual clock, of sides that are the same and of sides that differ by a known
// part. It takes some minutes, stops after `--budget`, and goes on where it stopped: `npm run bench -- compare-truth --budget 5m`.
// `--count 400` comparisons a cell, `--state FILE`; `--only levels` derives the level of a look instead.

import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { USUAL_LOOKS } from '../src/core/comparison/pair-plan.ts';
import { parseDurationMs } from '../src/core/figure/parse-figure.ts';
import { lookAlpha } from '../src/core/statistics/look-levels.ts';
import { isKnown, knownOr } from '../src/core/unknown.ts';
import { COMPARISON_CELLS, type ComparisonCell } from '../test/support/comparison-cells.ts';
import { PRIMARY, simulateComparison } from '../test/support/simulated-comparison.ts';
import { printRow, type Reach } from './bench-row.ts';
import { type ComparedOnce, CompareTruthState } from './compare-truth-state.ts';
import { rankSumChance } from './rank-sum.ts';
import { usualStatePath } from './resumed-state.ts';
import { simulatedLookAlpha } from './simulated-levels.ts';

const { values: requested } = parseArgs({
  options: {
    budget: { type: 'string' },
    count: { type: 'string', default: '400' },
    state: { type: 'string' },
    only: { type: 'string' },
  },
});

/** Rules were tuned on others. */
const FIRST_SEED = 50_001;
/** So that each cell is news. */
const CELLS_APART = 10_000;
const NAIVE_REQUESTS = 1_000;
const LEVEL_COMPARISONS = 40_000_000;
const WRITE_MS = 5_000;
const NICE = 15;

const budget = requested.budget === undefined ? undefined : parseDurationMs(requested.budget);
if (budget?.kind === 'wrong') throw new Error(`--budget: ${budget.problem}`);
const endsAtMs = budget === undefined ? Number.POSITIVE_INFINITY : performance.now() + budget.value;
const count = Number(requested.count);

const main = async (): Promise<void> => {
  setPriority(NICE);
  if (requested.only === 'levels') {
    const alpha = simulatedLookAlpha(USUAL_LOOKS, LEVEL_COMPARISONS, 1);
    printRow({
      what: `level of looks at ${USUAL_LOOKS.join(', ')} pairs with 5 % false alarms in all`,
      figure: 100 * alpha,
      unit: '%',
      reach: { kind: 'none' },
      method: `${LEVEL_COMPARISONS} made-up comparisons; the product takes ${100 * lookAlpha(USUAL_LOOKS)} %`,
    });
    return;
  }
  const state = new CompareTruthState(requested.state ?? usualStatePath('compare-truth'));
  await compareCells(state);
  for (const cell of COMPARISON_CELLS) reportCell(cell, state.all(cell.name));
  reportCoverage(COMPARISON_CELLS.flatMap(({ name }) => state.all(name)));
};

const compareCells = async (state: CompareTruthState): Promise<void> => {
  let writtenMs = performance.now();
  for (let index = 0; index < count; index += 1)
    for (const [number, cell] of COMPARISON_CELLS.entries()) {
      const seed = FIRST_SEED + CELLS_APART * number + index;
      if (performance.now() > endsAtMs || state.get(cell.name, seed) !== undefined) continue;
      state.set(cell.name, seed, compareOnce(cell, seed));
      if (performance.now() - writtenMs < WRITE_MS) continue;
      await state.write();
      writtenMs = performance.now();
    }
  await state.write();
};

const compareOnce = ({ pairs }: ComparisonCell, seed: number): ComparedOnce => {
  const { ended, looks, first } = simulateComparison(pairs, seed);
  const alpha = lookAlpha(USUAL_LOOKS);
  const last = looks.at(-1);
  return {
    verdict: ended.verdict.kind,
    pairs: ended.look?.pairs ?? 0,
    isAlarm: looks.some(({ p }) => knownOr(p, 1) <= alpha),
    covered: Object.fromEntries(
      ended.metrics.map(({ name, ratio }) => {
        // A window ends with its last answer, so that a stretch of times is none of rates.
        const isKnownTruth = pairs.stretch === 1 || !name.endsWith('.rate');
        return [
          name,
          isKnown(ratio) && isKnownTruth ? ratio.low <= pairs.stretch && pairs.stretch <= ratio.high : null,
        ];
      }),
    ),
    spread: last === undefined ? 0 : knownOr(last.spread, 0),
    correlation: neighbours(first.a),
    isNaiveAlarm:
      rankSumChance(first.a.subarray(0, NAIVE_REQUESTS), first.b.subarray(0, NAIVE_REQUESTS)) < 0.05,
    flipAndTAgree: last !== undefined && knownOr(last.p, 1) <= alpha === knownOr(last.signFlipP, 1) <= alpha,
  };
};

const reportCell = ({ name, pairs }: ComparisonCell, found: readonly ComparedOnce[]): void => {
  if (found.length === 0) return;
  const share = (is: (once: ComparedOnce) => boolean): number =>
    (100 * found.filter(is).length) / found.length;
  const row = (what: string, figure: number, reach: Reach, method: string): void =>
    printRow({ what: `${name}: ${what}`, figure, unit: '%', reach, method });
  const spread = Math.sqrt(found.reduce((sum, each) => sum + each.spread ** 2, 0) / found.length);
  const correlation = found.reduce((sum, each) => sum + each.correlation, 0) / found.length;
  const load = `${found.length} comparisons by ${PRIMARY}; pairs spread by ${(100 * spread).toFixed(1)} %, neighbours correlate by ${correlation.toFixed(2)}`;
  const ends = [6, 8, 12].map(at => found.filter(each => each.pairs === at).length).join(', ');
  if (pairs.stretch === 1) {
    row(
      'alarms of the primary without a margin, at most 8 %',
      share(({ isAlarm }) => isAlarm),
      { kind: 'at-most', value: 8 },
      load,
    );
    row(
      'the same, at least 2 %',
      share(({ isAlarm }) => isAlarm),
      { kind: 'at-least', value: 2 },
      load,
    );
    row(
      'better or worse',
      share(({ verdict }) => verdict === 'better' || verdict === 'worse'),
      { kind: 'at-most', value: 8 },
      `ended at 6, 8, 12 pairs: ${ends}`,
    );
    row(
      'same',
      share(({ verdict }) => verdict === 'same'),
      { kind: 'none' },
      `margin 5 %`,
    );
    row(
      'alarms of Mann and Whitney on requests',
      share(({ isNaiveAlarm }) => isNaiveAlarm),
      { kind: 'none' },
      `${NAIVE_REQUESTS} requests a side of the first pair, at 5 %`,
    );
  } else if (pairs.margins !== undefined)
    row(
      'worse',
      share(({ verdict }) => verdict === 'worse'),
      { kind: 'at-least', value: 90 },
      `${load}; ended at 6, 8, 12 pairs: ${ends}`,
    );
  else
    row(
      'same',
      share(({ verdict }) => verdict === 'same'),
      { kind: 'at-least', value: 80 },
      `${load}; ended at 6, 8, 12 pairs: ${ends}; worse ${share(({ verdict }) => verdict === 'worse').toFixed(1)} %`,
    );
  row(
    't and exact sign flip agree at 12 pairs',
    share(({ flipAndTAgree }) => flipAndTAgree),
    { kind: 'none' },
    'both at the level of a look',
  );
};

/** At the look that ended each comparison. */
const reportCoverage = (found: readonly ComparedOnce[]): void => {
  for (const name of Object.keys(found[0]?.covered ?? {})) {
    const reported = found.map(({ covered }) => covered[name]).filter(is => is !== null && is !== undefined);
    printRow({
      what: `the interval of ${name} holds the truth`,
      figure: (100 * reported.filter(is => is).length) / reported.length,
      unit: '%',
      reach: { kind: 'at-least', value: 93 },
      method: `${reported.length} comparisons of all cells, at the look that ended each`,
    });
  }
};

/** Correlation of values that follow each other. */
const neighbours = (values: Float64Array): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let squares = 0;
  let products = 0;
  let previous = 0;
  for (const value of values) {
    const off = value - mean;
    squares += off * off;
    products += off * previous;
    previous = off;
  }
  return products / squares;
};

await main();
