// Token counts that cannot be true, found in one reply.

/** Stored by position: new ones are appended. */
export const TOKEN_DOUBT_KEYS = [
  'fewer-than-chunks',
  'no-output',
  'contradictory',
  'more-reasoning',
  'no-input',
  'more-than-possible',
] as const;

export type TokenDoubt = (typeof TOKEN_DOUBT_KEYS)[number];

/** A hundred times the longest context of a model that is served (10 million tokens). */
export const TOKENS_MAX = 1e9;

interface ReplyTokens {
  /** Less than 0: the server gave none. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Chunks of a stream that have text; a tool call may arrive in more pieces than tokens. */
  readonly textChunks: number;
  readonly hasContent: boolean;
  /** The server gave two counts that cannot both be true. */
  readonly isContradictory: boolean;
}

export const tokenDoubts = (counted: ReplyTokens): readonly TokenDoubt[] => {
  const { inputTokens, outputTokens, reasoningTokens, textChunks, hasContent, isContradictory } = counted;
  const found: TokenDoubt[] = [];
  if (outputTokens > 0 && outputTokens < textChunks) found.push('fewer-than-chunks');
  if (outputTokens === 0 && hasContent) found.push('no-output');
  if (isContradictory) found.push('contradictory');
  if (outputTokens >= 0 && reasoningTokens > outputTokens) found.push('more-reasoning');
  if (inputTokens === 0) found.push('no-input');
  if (Math.max(inputTokens, outputTokens, reasoningTokens) > TOKENS_MAX) found.push('more-than-possible');
  return found;
};
