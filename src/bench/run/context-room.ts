// Whether the longest planned request fits into the server's context: a person learns it before the run, not from its
// failures.

import { minimumOf } from '../../core/extremes.ts';
import { counted, formatCount } from '../../core/figure/figure.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import type { PlannedPrompts } from '../dataset/planned-prompts.ts';
import type { Prompt } from '../dataset/prompt.ts';
import type { ServerAnswer } from '../target/query-server.ts';

/** One sentence; none if it fits, or if the server does not report its context size. */
export const contextNotices = (
  { reported }: Pick<ServerAnswer, 'reported'>,
  dataset: Pick<PlannedPrompts, 'prompts' | 'inputTokens' | 'outputTokens'>,
): readonly string[] => {
  const room = roomOf(reported);
  if (room === undefined) return [];
  const answer = isUnknown(dataset.outputTokens) ? 0 : dataset.outputTokens.max;
  const isCounted = !isUnknown(dataset.inputTokens);
  const free = room.hasAnswer ? room.tokens - answer : room.tokens;
  const prompt = isUnknown(dataset.inputTokens) ? mostWords(dataset.prompts, free) : dataset.inputTokens.max;
  const needed = room.hasAnswer ? prompt + answer : prompt;
  if (needed <= room.tokens) return [];
  const least = isCounted ? '' : 'at least ';
  const parts = room.hasAnswer
    ? `${least}${counted(needed, 'token')} (${formatCount(prompt)} of the prompt, ${formatCount(answer)} of the answer)`
    : `${least}${counted(needed, 'token')} of prompt`;
  return [
    `the longest request needs ${parts}, and the server has room for ${formatCount(room.tokens)} (${room.name}): it may reject such requests; ask for less with --input-tokens and --output-tokens, or give the server more room`,
  ];
};

const roomOf = (
  reported: ServerAnswer['reported'],
): { readonly name: string; readonly tokens: number; readonly hasAnswer: boolean } | undefined => {
  const facts = knownOr(reported, []).flatMap(({ facts: of }) => of);
  for (const { name, hasAnswer } of ROOMS) {
    const tokens = minimumOf(
      facts
        .filter(fact => fact.name === name)
        .flatMap(({ value }) => (/^[1-9]\d{0,9}$/.test(value) ? [Number(value)] : [])),
    );
    if (Number.isFinite(tokens)) return { name: name.split('.').at(-1) ?? name, tokens, hasAnswer };
  }
  return undefined;
};

/** Of the longest prompt, of those that may have more than `free`. A word is a token at least. */
const mostWords = (prompts: readonly Prompt[], free: number): number =>
  prompts
    .slice(0, PROMPTS_COUNTED_MAX)
    // Counting words takes long, and each takes two characters with the space after it.
    .filter(prompt => sumOf(prompt, ({ length }) => (length + 1) / 2) > free)
    .reduce(
      (most, prompt) =>
        Math.max(
          most,
          sumOf(prompt, text => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0),
        ),
      0,
    );

const sumOf = ({ prefix = '', messages }: Prompt, figureOf: (text: string) => number): number =>
  [prefix, ...messages.map(({ content }) => content)].reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? figureOf(text) : 0),
    0,
  );

/**
 * Where servers report it, and whether the limit of the answer counts: llama.cpp rejects a prompt that is too long,
 * and truncates an answer.
 */
const ROOMS = [
  { name: 'max_model_len', hasAnswer: true },
  { name: 'max_total_tokens', hasAnswer: true },
  { name: 'default_generation_settings.n_ctx', hasAnswer: false },
] as const;
const PROMPTS_COUNTED_MAX = 10_000;
