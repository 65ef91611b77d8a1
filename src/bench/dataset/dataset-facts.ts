// Statistics of a data set, before anything is sent: how long its prompts are, which are identical, and how much of
// them a prefix cache could serve at best.

import { lowerPercentile } from '../../core/statistics/percentile.ts';
import type { Dataset, Prompt } from './prompt.ts';

export interface DatasetFacts {
  readonly prompts: number;
  /** Words by white space: only the server can count tokens. */
  readonly words: LengthFacts;
  readonly characters: LengthFacts;
  readonly messages: LengthFacts;
  /** Limits of answers, of the prompts that state one. */
  readonly maxTokens: LengthFacts | undefined;
  readonly maxTokensReported: number;
  /** Prompts that equal an earlier one. */
  readonly identical: number;
  /**
   * Share of all characters that a cache of every prefix ever sent could serve, in any order: all that a tree of
   * their prefixes does not need to store.
   */
  readonly sharedPrefixShare: number;
  /** Messages of parts, such as images, whose parts are not examined. */
  readonly partMessages: number;
}

export interface LengthFacts {
  readonly total: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export const datasetFacts = ({ prompts }: Dataset): DatasetFacts => {
  const texts = prompts.map(textOf).sort();
  const limits = prompts.flatMap(({ maxTokens }) => (maxTokens === undefined ? [] : [maxTokens]));
  const characters = lengths(texts.map(text => text.length));
  let shared = 0;
  let identical = 0;
  for (const [index, text] of texts.entries()) {
    const before = texts[index - 1];
    if (before === undefined) continue;
    const same = commonLength(before, text);
    shared += same;
    if (same === text.length && before.length === text.length) identical += 1;
  }
  return {
    prompts: prompts.length,
    words: lengths(texts.map(text => text.split(/\s+/).filter(word => word !== '').length)),
    characters,
    messages: lengths(prompts.map(({ messages }) => messages.length)),
    maxTokens: limits.length === 0 ? undefined : lengths(limits),
    maxTokensReported: limits.length,
    identical,
    sharedPrefixShare: characters.total === 0 ? 0 : shared / characters.total,
    partMessages: prompts.reduce(
      (sum, { messages }) => sum + messages.filter(({ content }) => Array.isArray(content)).length,
      0,
    ),
  };
};

const textOf = ({ prefix = '', messages }: Prompt): string =>
  prefix +
  messages.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : ''}`).join('\n');

const lengths = (values: readonly number[]): LengthFacts => {
  const sorted = Float64Array.from(values).sort();
  return {
    total: sorted.reduce((sum, value) => sum + value, 0),
    min: sorted[0] ?? 0,
    p50: lowerPercentile(sorted, 50),
    p90: lowerPercentile(sorted, 90),
    p99: lowerPercentile(sorted, 99),
    max: sorted.at(-1) ?? 0,
  };
};

const commonLength = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
};
