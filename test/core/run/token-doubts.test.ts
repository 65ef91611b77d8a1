// Which counts of a reply's tokens are believed.

import { expect, test } from 'vitest';
import { tokenDoubts } from '../../../src/core/run/token-doubts.ts';

const REPLY = {
  inputTokens: 10,
  outputTokens: 5,
  reasoningTokens: -1,
  textChunks: 5,
  hasContent: true,
  isContradictory: false,
};

test.each(['inputTokens', 'outputTokens'] as const)(
  'more %s than any model has room for are doubted',
  key => {
    expect(tokenDoubts({ ...REPLY, [key]: 200_000_000_000 })).toEqual(['more-than-possible']);
    expect(tokenDoubts({ ...REPLY, [key]: 10_000_000 })).toEqual([]);
  },
);
