// The rows of a synthetic data set: prompts of requested lengths, after shared prefixes, or those of a trace.
// Generated one by one, so that a file may be larger than memory; equal seeds give equal bytes. One word counts as
// one token, because no server is involved.

import { type SeededRandom, seededRandom } from '../../core/random.ts';
import { type ChosenLengths, lengthsOf, randomFor } from './length-choice.ts';
import type { Trace } from './trace/read-trace.ts';
import { chained, chainStart } from './trace/trace.ts';
import { TraceTexts } from './trace/trace-text.ts';
import { prefixStart, TASK, WORD_LIST, WORDS_AS_TOKENS } from './word-costs.ts';

/** A row as a line of JSONL. */
export interface MadeRow {
  readonly prompt: string;
  /** undefined: not specified. */
  readonly max_tokens: number | undefined;
}

export interface GeneratedRowOptions {
  readonly seed: number;
  readonly count: number;
  readonly input: ChosenLengths;
  readonly output: ChosenLengths | undefined;
  readonly prefixes: MadePrefixes | undefined;
}

export interface MadePrefixes {
  readonly count: number;
  readonly tokens: number;
  /** Each begins as many prompts as the others, in an order drawn by the seed; else they are used in turn. */
  readonly isShuffled: boolean;
}

export function* madeRows({
  seed,
  count,
  input,
  output,
  prefixes,
}: GeneratedRowOptions): Generator<MadeRow, void, void> {
  const inputTokens = lengthsOf(input, { seed, purpose: 'input' });
  const outputTokens = output === undefined ? undefined : lengthsOf(output, { seed, purpose: 'output' });
  const order = prefixes === undefined ? undefined : prefixOrder(prefixes, { seed, count });
  for (let index = 0; index < count; index += 1) {
    const own = seededRandom(chained(chained(chainStart('made prompt'), seed), index));
    const tokens = inputTokens();
    const max_tokens = outputTokens?.();
    if (prefixes === undefined || order === undefined) {
      const task = tokens > 2 * WORDS_AS_TOKENS.taskTokens ? [TASK] : [];
      const left = tokens - task.length * WORDS_AS_TOKENS.taskTokens;
      yield { prompt: [...task, ...drawnWords(left, own)].join(' '), max_tokens };
      continue;
    }
    const prefix = prefixText(order[index] ?? 0, prefixes.tokens, seed);
    yield { prompt: [prefix, ...drawnWords(tokens, own)].join(' '), max_tokens };
  }
}

export function* tracedRows({ sessions }: Trace, seed: number): Generator<MadeRow, void, void> {
  const texts = new TraceTexts(WORDS_AS_TOKENS, seed);
  let number = 0;
  for (const { requests } of sessions)
    for (const request of requests) {
      yield { prompt: texts.partsOf(request, number).join(''), max_tokens: request.outputTokens };
      number += 1;
    }
}

/** The same words at each call, so nothing is stored. */
const prefixText = (index: number, tokens: number, seed: number): string => {
  const random = seededRandom(chained(chained(chainStart('made prefix'), seed), index));
  return [prefixStart(index), ...drawnWords(tokens - WORDS_AS_TOKENS.prefixTokens, random)].join(' ');
};

/** Drawn separately, so that short prompts differ, too. */
const drawnWords = (count: number, random: SeededRandom): readonly string[] =>
  Array.from({ length: Math.max(0, count) }, () => WORD_LIST[random.below(WORD_LIST.length)] ?? '');

const prefixOrder = (
  { count: prefixes, isShuffled }: MadePrefixes,
  { seed, count }: { readonly seed: number; readonly count: number },
): Uint32Array => {
  const order = Uint32Array.from({ length: count }, (_, index) => index % prefixes);
  if (!isShuffled) return order;
  const random = randomFor(seed, 'prefixes');
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const swapped = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = swapped;
  }
  return order;
};
