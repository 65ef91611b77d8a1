// The lengths that requests specify: from the command line's text to one number for each prompt, drawn by a seed on
// the main thread, so that equal seeds give equal lengths on any number of threads or machines.

import { type Parsed, wrong } from '../../core/figure/parse-figure.ts';
import { isLength, WEIGHT_MAX, weighted } from '../../core/figure/parse-length.ts';
import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import { type SeededRandom, seededRandom } from '../../core/random.ts';
import {
  distributionText,
  type LengthBin,
  type LengthDistribution,
  lengthSampler,
} from '../../core/statistics/length-distribution.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import { BenchError } from '../bench-error.ts';

/** What was requested; a file has yet to be read. */
export type LengthChoice = LengthDistribution | ({ readonly kind: 'file' } & HistogramFile);

export interface ChosenLengths {
  readonly distribution: LengthDistribution;
  /** As the person wrote it. */
  readonly text: string;
}

/** @throws BenchError `input` for a file that is not a histogram. */
export const chosenLengths = async (choice: LengthChoice): Promise<ChosenLengths> =>
  choice.kind === 'file'
    ? { distribution: await readHistogramFile(choice), text: `file:${choice.shownPath}` }
    : { distribution: choice, text: distributionText(choice) };

/** Draws one length after another. The purpose separates the draws of one seed. */
export const lengthsOf = (
  { distribution }: ChosenLengths,
  { seed, purpose }: { readonly seed: number; readonly purpose: keyof typeof STREAMS },
): (() => number) => lengthSampler(distribution, randomFor(seed, purpose));

/** The random numbers of a seed for one purpose, independent of those for another. */
export const randomFor = (seed: number, purpose: keyof typeof STREAMS): SeededRandom => {
  const seeds = seededRandom(seed);
  let own = 0;
  for (let stream = 0; stream <= STREAMS[purpose]; stream += 1) own = seeds.below(2 ** 53);
  return seededRandom(own);
};

/** Number of draws before they repeat: enough for the tail of a distribution to show. */
export const LENGTHS_DRAWN = 2_048;
const STREAMS = { input: 0, output: 1, words: 2, prefixes: 3, starts: 4, turns: 5, think: 6 } as const;

// Reads `file:HIST.json`: how often each length occurred in a measurement. Three shapes, because histograms are
// written in three ways; errors contain the position.
interface HistogramFile {
  /** Absolute. */
  readonly path: string;
  /** As the person wrote it. */
  readonly shownPath: string;
}

/** @throws BenchError `input` when it cannot be read or is no histogram. */
export const readHistogramFile = async ({ path, shownPath }: HistogramFile): Promise<LengthDistribution> => {
  const text = await textOf(path, shownPath);
  new ExpansionBudget(
    'lengths',
    ({ problem, advice }) => new BenchError({ code: 'input', problem: `${shownPath}: ${problem}`, advice }),
  ).addJson(text);
  const histogram = parseHistogram(text);
  if (histogram.kind === 'ok') return histogram.value;
  throw new BenchError({
    code: 'input',
    problem: `${shownPath}: ${histogram.problem}`,
    advice: histogram.advice,
  });
};

/** `{"128": 60}`, `[[128, 60]]`, or `[[from, below, weight]]` as the histograms of reports are. */
export const parseHistogram = (text: string): Parsed<LengthDistribution> => {
  const json = parseAnyJson(text);
  if (isJsonObject(json))
    return binsOf(Object.entries(json).map(([length, weight]) => [Number(length), weight]));
  if (Array.isArray(json)) return binsOf(json);
  return wrong('it is neither a JSON object nor a JSON list', SHAPES);
};

const binsOf = (rows: readonly unknown[]): Parsed<LengthDistribution> => {
  const bins: LengthBin[] = [];
  for (const [index, row] of rows.entries()) {
    const bin = Array.isArray(row) ? binOf(row) : undefined;
    if (bin === undefined) {
      const shown = (JSON.stringify(row) ?? '').slice(0, ROW_SHOWN);
      return wrong(`entry ${index + 1} is not a length and its weight: ${shown}`, SHAPES);
    }
    bins.push(bin);
  }
  return weighted(bins);
};

const binOf = (row: readonly unknown[]): LengthBin | undefined => {
  const [from, second, third] = row;
  const weight = row.length === 3 ? third : second;
  if (typeof weight !== 'number' || !(weight >= 0 && weight <= WEIGHT_MAX)) return undefined;
  if (row.length === 2) return isLength(from) ? { min: from, max: from, weight } : undefined;
  if (row.length !== 3 || typeof from !== 'number' || typeof second !== 'number') return undefined;
  // Edges of a report's histogram are not whole numbers; a bin contains the whole numbers in [from, below).
  const min = Math.max(1, Math.ceil(from));
  const max = Math.max(min, Math.ceil(second) - 1);
  return from <= second && isLength(min) && isLength(max) ? { min, max, weight } : undefined;
};

const textOf = async (path: string, shownPath: string): Promise<string> => {
  try {
    return await readInputText(path, 'lengths');
  } catch (error) {
    throw new BenchError(
      { code: 'input', problem: `${shownPath} cannot be read: ${fileReason(error)}`, advice: SHAPES },
      { cause: error },
    );
  }
};

const SHAPES =
  'Write lengths with their weights: {"128": 60, "512": 30}, or [[100, 200, 60], [200, 400, 30]] for ranges.';
const ROW_SHOWN = 60;
