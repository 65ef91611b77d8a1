// The lengths that requests specify: from the command line's text to one number for each prompt, drawn by a seed on
// the main thread, so that equal seeds give equal lengths on any number of threads or machines.

import { type SeededRandom, seededRandom } from '../../core/random.ts';
import {
  distributionText,
  type LengthDistribution,
  lengthSampler,
} from '../../core/statistics/length-distribution.ts';
import { type HistogramFile, readHistogramFile } from './histogram-file.ts';

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
