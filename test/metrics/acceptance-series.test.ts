// Tokens per step and the accepted share of draft tokens of single requests.

import { expect, test } from 'vitest';
import { recordOf } from '../../src/core/record-of.ts';
import { NO_FIGURE, SERVED_KEYS } from '../../src/core/run/event-record.ts';
import { sampleFigures } from '../../src/metrics/sample-figures.ts';
import { sampleOf } from '../support/sample-of.ts';
import { REMARK } from '../support/spoiled-run.ts';

const figuresOf = (outputTokens: number, predictedTokens: number, draftedTokens: number = NO_FIGURE) => {
  const figures = sampleFigures(
    sampleOf({
      outputTokens,
      remark: { ...REMARK, predictedTokens },
      served: { ...recordOf(SERVED_KEYS, () => NO_FIGURE), draftedTokens },
    }),
    true,
  );
  return [figures?.tokensPerStep, figures?.acceptedShare];
};

interface Counts {
  readonly counts: readonly [output: number, accepted: number, drafted: number];
  readonly expected: readonly [tokensPerStep: number, acceptedShare: number];
}

const KNOWN: readonly Counts[] = [
  // 21 tokens: that of the prompt, and 20 in 8 steps of 12 accepted ones.
  { counts: [21, 12, 24], expected: [2.5, 0.5] },
  { counts: [21, 0, 24], expected: [1, 0] },
  // No count of drafts, as in the usage of OpenAI.
  { counts: [21, 10, NO_FIGURE], expected: [2, NO_FIGURE] },
  // Everything was accepted, and the limit cut the token of the step itself.
  { counts: [5, 4, 4], expected: [4, 1] },
  // An answer of one token has no step after it.
  { counts: [1, 0, 3], expected: [NO_FIGURE, 0] },
];

test.each(KNOWN)('$counts output, accepted and draft tokens are $expected', ({ counts, expected }) => {
  expect(figuresOf(...counts)).toEqual(expected);
});

test.each([
  // An API that always has the count, without speculation.
  [21, 0, NO_FIGURE],
  [21, NO_FIGURE, NO_FIGURE],
  // Contradictory.
  [5, 9, 4],
])('%i output, %i accepted and %i draft tokens have no figure', (output, accepted, drafted) => {
  expect(figuresOf(output, accepted, drafted)).toEqual([NO_FIGURE, NO_FIGURE]);
});
