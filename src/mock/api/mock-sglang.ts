// SGLang's /generate, by its native API: each event has all of the text so far, and what was counted.

import { isJsonObject } from '../../core/json.ts';
import type { ChunkShape, MockApi, TokenCounts } from './mock-api.ts';
import { stampedJson } from './openai-json.ts';

export const mockSglang: MockApi = {
  path: '/generate',
  framing: 'events',
  placed: 'each',
  done: '[DONE]',
  plain: ({ model, stream, sampling_params: sampling, plimsoll }) => {
    const given = isJsonObject(sampling) ? sampling : {};
    return {
      model,
      stream,
      plimsoll,
      max_tokens: given['max_new_tokens'],
      ...(given['min_new_tokens'] === undefined ? {} : { min_tokens: given['min_new_tokens'] }),
      ...(given['ignore_eos'] === undefined ? {} : { ignore_eos: given['ignore_eos'] }),
      stream_options: { include_usage: true },
    };
  },
  promptText: ({ text }) => (typeof text === 'string' ? text : undefined),
  messageCount: () => 0,
  noPrompt: 'text must be text',
  messages: undefined,
  speech: (shape, _, __, { textSoFar, counts }) => [eventJson(shape, textSoFar, null, counts)],
  closing: (shape, { content, finishReason, usage }) => [
    eventJson({ ...shape, isStamped: false }, content, finishReason, usage),
  ],
  whole: (shape, { content, finishReason, usage }) => eventJson(shape, content, finishReason, usage),
};

const eventJson = (
  shape: ChunkShape,
  text: string,
  finishReason: string | null,
  counts: TokenCounts | undefined,
): string =>
  stampedJson(
    {
      text,
      output_ids: [],
      meta_info: {
        id: 'mock',
        finish_reason: finishReason === null ? null : finishOf(finishReason, counts),
        ...(counts === undefined
          ? {}
          : {
              prompt_tokens: counts.promptTokens,
              completion_tokens: counts.outputTokens,
              cached_tokens: counts.cachedTokens,
            }),
        weight_version: 'default',
      },
    },
    shape,
  );

const finishOf = (reason: string, counts: TokenCounts | undefined): object =>
  reason === 'length'
    ? { type: 'length', length: counts?.outputTokens ?? 0 }
    : { type: reason, matched: null };
