// The lengths that requests ask for: from what was written on the command line to one number a prompt, drawn by a seed on the
// main thread, so that equal seeds give equal lengths whatever sends them.

import { type SeededRandom, seededRandom } from '../../core/random.ts';
import {
  distributionText,
  type LengthDistribution,
  lengthSampler,
} from '../../core/statistics/length-distribution.ts';
import { type HistogramFile, readHistogramFile } from './histogram-file.ts';

/** What was asked for; a file has yet to be read. */
export type LengthChoice = LengthDistribution | ({ readonly kind: 'file' } & HistogramFile);

export interface ChosenLengths {
  readonly distribution: LengthDistribution;
  /** As a person wrote it. */
  readonly text: string;
}

/** @throws BenchError `input` for a file that is no histogram. */
export const chosenLengths = async (choice: LengthChoice): Promise<ChosenLengths> =>
  choice.kind === 'file'
    ? { distribution: await readHistogramFile(choice), text: `file:${choice.shownPath}` }
    : { distribution: choice, text: distributionText(choice) };

/** One length after another. What they are for keeps the draws of a seed apart. */
export const lengthsOf = (
  { distribution }: ChosenLengths,
  { seed, purpose }: { readonly seed: number; readonly purpose: keyof typeof STREAMS },
): (() => number) => lengthSampler(distribution, randomFor(seed, purpose));

/** The draws of a seed for one purpose, which have nothing in common with those for another. */
export const randomFor = (seed: number, purpose: keyof typeof STREAMS): SeededRandom => {
  const seeds = seededRandom(seed);
  let own = 0;
  for (let stream = 0; stream <= STREAMS[purpose]; stream += 1) own = seeds.below(2 ** 53);
  return seededRandom(own);
};

/** So many different draws before they come again: enough for the tail of a distribution to show. */
export const LENGTHS_DRAWN = 2_048;
const STREAMS = { input: 0, output: 1, words: 2, prefixes: 3, starts: 4, turns: 5, think: 6 } as const;
