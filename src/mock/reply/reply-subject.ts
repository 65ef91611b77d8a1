// The content of one reply, decided before any byte is built: a function of the request, the settings and the seed.

import type { MockApi } from '../api/mock-api.ts';
import type { CompletionRequest } from '../completion-request.ts';
import type { MockSettings } from '../mock-settings.ts';
import { WORD_COUNT } from './vocabulary.ts';

export interface ReplySubject {
  /** Id of an answer that is stored for a later request. */
  readonly id?: string;
  readonly model: string;
  readonly api: MockApi;
  readonly isStreaming: boolean;
  readonly isStamped: boolean;
  readonly reportsUsage: boolean;
  readonly promptTokens: number;
  /** Reported in usage if it is more than 0. */
  readonly cachedTokens: number;
  /** Tokens that are not processed again. */
  readonly cachedPromptTokens: number;
  readonly predictedTokens: number;
  /** The whole answer is sent at once. */
  readonly isCached: boolean;
  /** Reasoning included, as servers count. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly toolCalls: number;
  /** Texts of an embedding's input. */
  readonly inputs: number;
  readonly finishReason: string;
  /** The first word of the answer. */
  readonly firstWord: number;
  /** Of the request; for further draws. */
  readonly hash: number;
}

export const replySubject = (
  request: CompletionRequest,
  { api, model }: Pick<ReplySubject, 'api' | 'model'>,
  settings: MockSettings,
): ReplySubject => {
  const hash = hashOf(
    settings.cachesDuplicates ? request.promptText.replace(MARK, '') : request.promptText,
    settings.seed,
  );
  const { outputTokens } = settings;
  const drawn =
    typeof outputTokens === 'number'
      ? outputTokens
      : outputTokens.min + Math.floor(draw(hash, 0) * (outputTokens.max - outputTokens.min + 1));
  const { tokensMax } = request;
  const { tokensMin, ignoresEnd } = settings.endsEarly ? { tokensMin: 0, ignoresEnd: false } : request;
  // Without a limit an answer that ignores its end would never stop, so it keeps its normal length.
  const wanted = ignoresEnd && tokensMax !== undefined ? tokensMax + 1 : Math.max(drawn, tokensMin);
  const isCut = tokensMax !== undefined && tokensMax < wanted;
  // A vector is there after as long as a first token.
  const reported = api.isEmbedding === true ? 1 : isCut ? tokensMax : wanted;
  const hasMessages = api.messages !== undefined;
  const reasoningTokens = hasMessages ? Math.min(settings.reasoningTokens, reported) : 0;
  const toolCalls = hasMessages ? Math.min(settings.toolCalls, reported - reasoningTokens) : 0;
  return {
    model,
    api,
    isStreaming: request.isStreaming,
    // A stamp cannot be overwritten if HTTP chunks split it.
    isStamped: (settings.stampsWrites || request.isStamped) && settings.chunkBytes === 0,
    reportsUsage:
      settings.usage === 'always' ||
      (settings.usage === 'asked' && (request.includesUsage || !request.isStreaming)),
    promptTokens: request.promptTokens,
    cachedTokens: Math.floor(request.promptTokens * settings.cachedShare),
    predictedTokens: Math.floor(reported * settings.predictedShare),
    cachedPromptTokens: 0,
    isCached: false,
    outputTokens: reported,
    reasoningTokens,
    toolCalls,
    inputs: request.inputs,
    finishReason: finishReason(settings, { isCut, toolCalls }),
    firstWord: Math.floor(draw(hash, 1) * WORD_COUNT),
    hash,
  };
};

/** FNV-1a over UTF-16 units, then mixed; a long text counts by its head, its tail and its length. */
export const hashOf = (text: string, seed: number): number => {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  const head = Math.min(text.length, SAMPLED_CHARACTERS);
  for (let index = 0; index < head; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  for (let index = Math.max(head, text.length - SAMPLED_CHARACTERS); index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix(hash ^ text.length);
};

/** What this client writes before a prompt to make it unique. */
const MARK = /\[[0-9a-f]{16,}\] /;

/** The n-th draw of a stream of draws, 0 ≤ draw < 1. */
export const draw = (hash: number, n: number): number => mix(hash + Math.imul(n + 1, 0x9e3779b9)) / 2 ** 32;

const finishReason = (
  settings: MockSettings,
  { isCut, toolCalls }: { readonly isCut: boolean; readonly toolCalls: number },
): string => {
  if (settings.finishReason !== '') return settings.finishReason;
  if (isCut) return 'length';
  return toolCalls > 0 ? 'tool_calls' : 'stop';
};

/** The finisher of MurmurHash3: every bit of the input affects every bit of the output. */
const mix = (value: number): number => {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

const SAMPLED_CHARACTERS = 2_048;
