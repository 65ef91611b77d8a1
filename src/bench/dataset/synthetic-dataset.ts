// Synthetic prompts: plain English words drawn by a seed, so that two runs of one seed send the same. They have a
// stated number of words, or of tokens as the server counts them, after prefixes that requests share.

import { ofCount } from '../../core/figure/figure.ts';
import { type SeededRandom, seededRandom } from '../../core/random.ts';
import type { SharedPrefixes } from '../../core/run/run-requests.ts';
import { type ChosenLengths, LENGTHS_DRAWN, lengthsOf, randomFor } from './length-choice.ts';
import { type Dataset, type Prompt, userPrompt } from './prompt.ts';
import { prefixStart, SHORT_TASK, TASK, WORD_LIST, type WordCosts, wordText } from './word-costs.ts';

export const syntheticDataset = (seed: number): Dataset => {
  const random = seededRandom(seed);
  return {
    description: `synthetic: ${PROMPT_COUNT} prompts of ${PROMPT_WORDS} words, seed ${seed}`,
    prompts: Array.from({ length: PROMPT_COUNT }, () => userPrompt(text(random))),
  };
};

/** The task is part of the count. */
const text = (random: SeededRandom): string => {
  const words = TASK.split(' ');
  while (words.length < PROMPT_WORDS) words.push(WORD_LIST[random.below(WORD_LIST.length)] ?? '');
  return words.join(' ');
};

interface SizedDataset extends Dataset {
  /** Requested length of each prompt, its prefix included. */
  readonly inputLengths: readonly number[];
}

export interface SizedPromptOptions {
  readonly seed: number;
  /** Length of the part that is each request's own. */
  readonly input: ChosenLengths;
  readonly prefixes: SharedPrefixes | undefined;
  /** Whether answers are drawn too, so that more than PROMPT_COUNT prompts are needed. */
  readonly variesOutput: boolean;
}

/** Lengths are drawn first, so that they do not depend on the server's tokens per word. */
export const sizedDataset = (options: SizedPromptOptions, costs: WordCosts): SizedDataset => {
  const { seed, input, prefixes } = options;
  const lengths = inputLengths(options);
  const words = randomFor(seed, 'words');
  const shared = sharedPrefixes(options, costs);
  const prompts = lengths.map((tokens, index): Prompt => {
    const prompt = userPrompt(sizedText(tokens, costs, words));
    const prefix = shared[index % Math.max(1, shared.length)];
    return prefix === undefined ? prompt : { ...prompt, prefix };
  });
  const behind =
    prefixes === undefined
      ? ''
      : ` behind ${prefixes.count} shared ${prefixes.count === 1 ? 'prefix' : 'prefixes'} of ${prefixes.tokens}`;
  const description = `synthetic: ${lengths.length} ${ofCount(lengths.length, 'prompt', 'prompts')} of ${input.text} tokens${behind}, seed ${seed}`;
  return {
    description,
    prompts,
    inputLengths: lengths.map(tokens => tokens + (prefixes?.tokens ?? 0)),
  };
};

/** One prompt as such a run sends it, at most this long, and its expected number of tokens. */
export const sizedPrompt = (
  options: SizedPromptOptions,
  costs: WordCosts,
  tokensMax: number,
): { readonly prompt: Prompt; readonly tokens: number } => {
  const { prefixes } = options;
  const lengths = inputLengths(options).toSorted((a, b) => a - b);
  const own = Math.min(tokensMax, lengths[lengths.length >> 1] ?? tokensMax);
  const shared = prefixes === undefined ? 0 : Math.min(tokensMax, prefixes.tokens);
  const short = prefixes === undefined ? options : { ...options, prefixes: { tokens: shared, count: 1 } };
  const prompt = userPrompt(sizedText(own, costs, randomFor(options.seed, 'words')));
  const [prefix] = sharedPrefixes(short, costs);
  return { prompt: prefix === undefined ? prompt : { ...prompt, prefix }, tokens: own + shared };
};

/** As many prompts as show the distribution; fewer of very long ones. */
export const inputLengths = ({
  seed,
  input,
  variesOutput,
  prefixes,
}: SizedPromptOptions): readonly number[] => {
  const draw = lengthsOf(input, { seed, purpose: 'input' });
  const isVaried = variesOutput || input.distribution.kind !== 'fixed';
  const count = isVaried ? LENGTHS_DRAWN : PROMPT_COUNT;
  const lengths: number[] = [];
  let total = 0;
  while (lengths.length < count && (total < TOKENS_TOTAL_MAX || lengths.length < PROMPTS_MIN)) {
    const length = draw();
    lengths.push(length);
    total += length + (prefixes?.tokens ?? 0);
  }
  return lengths;
};

/** The text whose length is closest to that number of tokens. */
export const sizedText = (tokens: number, costs: WordCosts, random: SeededRandom): string =>
  tokens >= costs.taskTokens
    ? TASK + wordText(tokens - costs.taskTokens, costs, random)
    : SHORT_TASK + wordText(tokens - costs.shortTokens, costs, random);

const sharedPrefixes = ({ seed, prefixes }: SizedPromptOptions, costs: WordCosts): readonly string[] => {
  if (prefixes === undefined) return [];
  const random = randomFor(seed, 'prefixes');
  const tokens = prefixes.tokens - costs.prefixTokens;
  return Array.from(
    { length: prefixes.count },
    (_, index) => prefixStart(index) + wordText(tokens, costs, random),
  );
};

export const PROMPT_COUNT = 256;
export const PROMPT_WORDS = 128;
/** Limit of all prompts together: some 100 MB of text. */
const TOKENS_TOTAL_MAX = 16_000_000;
const PROMPTS_MIN = 8;
