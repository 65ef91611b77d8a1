// Statistics of a data set, before anything is sent: how long its prompts are, which are identical, and how much of
// them a prefix cache could serve at best.

import * as v from 'valibot';
import { count, figure, type Infer, share } from '../../core/schema.ts';
import { lowerPercentile } from '../../core/statistics/percentile.ts';
import type { Dataset, Prompt } from './prompt.ts';

export const lengthFactsSchema = v.object({
  total: figure,
  min: figure,
  p50: figure,
  p90: figure,
  p99: figure,
  max: figure,
});

export type LengthFacts = Infer<typeof lengthFactsSchema>;

const facts = {
  prompts: count,
  words: v.pipe(lengthFactsSchema, v.description('By white space: only the server can count tokens.')),
  characters: lengthFactsSchema,
  messages: lengthFactsSchema,
  maxTokens: v.optional(
    v.pipe(lengthFactsSchema, v.description('Limits of answers, of the prompts that state one.')),
  ),
  maxTokensReported: count,
  identical: v.pipe(count, v.description('Prompts that equal an earlier one.')),
  /**
   * Share of all characters that a cache of every prefix ever sent could serve, in any order: all that a tree of
   * their prefixes does not need to store.
   */
  sharedPrefixShare: v.pipe(
    share,
    v.description('Share of all characters that a cache of every prefix could serve.'),
  ),
  partMessages: v.pipe(count, v.description('Messages of parts, such as images, which are not examined.')),
} as const;

const factsSchema = v.object(facts);
export type DatasetFacts = Infer<typeof factsSchema>;

/** What `plimsoll dataset show --json` prints of a data set. */
export const datasetSchema = v.object({
  schema: v.literal('plimsoll.dataset/1'),
  file: v.string(),
  description: v.string(),
  sha256: v.optional(v.string()),
  bytes: v.optional(count),
  ...facts,
});

export type DatasetDocument = Infer<typeof datasetSchema>;

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
