// What token counts that cannot be true mean for the figures of a run. The counts stay in the report as the
// server gave them; the figures that depend on them are marked, because every per-token rate is as wrong as
// they are.

import { formatCount } from '../figure/figure.ts';
import { recordOf } from '../record-of.ts';
import type { SpoiledFigure } from './contamination.ts';
import { TOKEN_DOUBT_KEYS, type TokenDoubt } from './token-doubts.ts';

interface TokenDoubtRow {
  /** Text after "in 12 replies". */
  readonly text: string;
  readonly spoils: readonly SpoiledFigure[];
}

export const OF_OUTPUT_TOKENS: readonly SpoiledFigure[] = [
  'outputTokens',
  'tpotNs',
  'tokensPerChunk',
  'outputTokensPerSecond',
  'totalTokensPerSecond',
  'perUserTokensPerSecond',
  'steadyStateOutputTokensPerSecond',
  'goodOutputTokensPerSecond',
];
const OF_INPUT: readonly SpoiledFigure[] = ['inputTokens', 'inputTokensPerSecond', 'totalTokensPerSecond'];

export const TOKEN_DOUBTS: Readonly<Record<TokenDoubt, TokenDoubtRow>> = {
  'fewer-than-chunks': { text: 'fewer output tokens than chunks with text', spoils: OF_OUTPUT_TOKENS },
  'no-output': { text: '0 output tokens for an answer', spoils: OF_OUTPUT_TOKENS },
  contradictory: {
    text: 'two counts that contradict each other',
    spoils: [...OF_OUTPUT_TOKENS, 'inputTokens', 'inputTokensPerSecond'],
  },
  'more-reasoning': {
    text: 'more reasoning tokens than output tokens',
    spoils: [...OF_OUTPUT_TOKENS, 'reasoningTokens'],
  },
  'no-input': { text: '0 input tokens for a prompt', spoils: OF_INPUT },
  'more-than-possible': {
    text: 'more tokens than any model can process',
    spoils: [...new Set([...OF_OUTPUT_TOKENS, ...OF_INPUT, 'reasoningTokens' as const])],
  },
};

/** "0 input tokens for a prompt in 12", for each. */
export const doubtText = (doubts: Readonly<Record<TokenDoubt, number>>): readonly string[] =>
  TOKEN_DOUBT_KEYS.filter(doubt => doubts[doubt] > 0).map(
    doubt => `${TOKEN_DOUBTS[doubt].text} in ${formatCount(doubts[doubt])}`,
  );

/** For the counters of a run. */
export const doubtCounts = (
  counter: (key: `doubts.${TokenDoubt}`) => number,
): Readonly<Record<TokenDoubt, number>> => recordOf(TOKEN_DOUBT_KEYS, doubt => counter(`doubts.${doubt}`));
