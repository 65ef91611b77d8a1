// llama.cpp's completion, by its tools/server/README.md: events without [DONE], the last of which has counts and
// timings. Times follow from the tokens, as those of mock-ollama.ts.

import type { ChunkShape, MockApi, TokenCounts } from './mock-api.ts';
import { NS_PER_TOKEN } from './mock-ollama.ts';
import { stampedJson } from './openai-json.ts';

export const mockLlamaCpp: MockApi = {
  path: '/completion',
  framing: 'events',
  placed: 'each',
  done: undefined,
  plain: body => ({
    ...body,
    max_tokens:
      typeof body['n_predict'] === 'number' && body['n_predict'] > 0 ? body['n_predict'] : undefined,
    stream_options: { include_usage: true },
  }),
  promptText: ({ prompt }) => (typeof prompt === 'string' ? prompt : undefined),
  messageCount: () => 0,
  noPrompt: 'prompt must be text',
  messages: undefined,
  speech: (shape, _, text, { counts }) => [
    stampedJson(
      {
        index: 0,
        content: text,
        tokens: [],
        stop: false,
        id_slot: 0,
        ...(counts === undefined
          ? {}
          : { tokens_predicted: counts.outputTokens, tokens_evaluated: counts.promptTokens }),
      },
      shape,
    ),
  ],
  closing: (shape, answer) => [endJson(shape, '', answer)],
  whole: (shape, answer) => endJson(shape, answer.content, answer),
};

const endJson = (
  shape: ChunkShape,
  content: string,
  { finishReason, usage }: { readonly finishReason: string; readonly usage: TokenCounts | undefined },
): string =>
  stampedJson(
    {
      index: 0,
      content,
      tokens: [],
      id_slot: 0,
      stop: true,
      model: shape.model,
      ...(usage === undefined ? {} : countsOf(usage)),
      truncated: false,
      stop_type: finishReason === 'length' ? 'limit' : 'eos',
      stopping_word: '',
      ...(usage === undefined ? {} : { timings: timingsOf(usage) }),
    },
    shape,
  );

const countsOf = ({ promptTokens, outputTokens }: TokenCounts): object => ({
  tokens_predicted: outputTokens,
  tokens_evaluated: promptTokens,
  // Size of its context at the end, which is not a count of cached tokens.
  tokens_cached: promptTokens + outputTokens - 1,
});

const timingsOf = ({ promptTokens, cachedTokens, outputTokens, predictedTokens }: TokenCounts): object => {
  const read = promptTokens - cachedTokens;
  const perTokenMs = NS_PER_TOKEN / 1e6;
  return {
    cache_n: cachedTokens,
    prompt_n: read,
    prompt_ms: read * perTokenMs,
    prompt_per_token_ms: perTokenMs,
    prompt_per_second: 1_000 / perTokenMs,
    predicted_n: outputTokens,
    predicted_ms: outputTokens * perTokenMs,
    predicted_per_token_ms: perTokenMs,
    predicted_per_second: 1_000 / perTokenMs,
    ...(predictedTokens > 0 ? { draft_n: outputTokens, draft_n_accepted: predictedTokens } : {}),
  };
};
