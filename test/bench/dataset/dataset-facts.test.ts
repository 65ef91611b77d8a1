import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { datasetFacts } from '../../../src/bench/dataset/dataset-facts.ts';
import { userPrompt } from '../../../src/bench/dataset/prompt.ts';

const facts = (texts: readonly string[]) =>
  datasetFacts({ description: '', prompts: texts.map(text => userPrompt(text)) });

describe('what is in a data set', () => {
  test('contains lengths, and how many prompts are the same', () => {
    const reported = datasetFacts({
      description: '',
      prompts: [userPrompt('one two', 10), userPrompt('one two'), userPrompt('three'), userPrompt('', 30)],
    });
    expect(reported).toMatchObject({
      prompts: 4,
      identical: 1,
      maxTokensReported: 2,
      maxTokens: { min: 10, max: 30, total: 40 },
      messages: { min: 1, max: 1 },
    });
    // "user:" is a word of each.
    expect(reported.words).toMatchObject({ total: 9, max: 3, min: 1 });
  });

  test('the share of prefixes is all that a tree of them does not need to store, in any order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 8 }), {
          minLength: 1,
          maxLength: 20,
        }),
        texts => {
          const sent = texts.map(text => `user: ${text}`);
          const tree = new Set(
            sent.flatMap(text => Array.from(text, (_, index) => text.slice(0, index + 1))),
          );
          const all = sent.reduce((sum, text) => sum + text.length, 0);
          expect(facts(texts).sharedPrefixShare).toBeCloseTo((all - tree.size) / all, 12);
        },
      ),
      { numRuns: 100 },
    );
  });
});
