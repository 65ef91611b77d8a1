// What replies report of their own time at the server, in the shapes of llama-server b11434 and Ollama, and of tokens of sound.

import { expect, test } from 'vitest';
import { serverApi } from '../../../../src/bench/target/api/server-apis.ts';
import { NO_FIGURE } from '../../../../src/core/run/event-record.ts';

/** As it is after the last event of a stream. */
const replyOf = (api: string, event: object) => {
  const reply = serverApi(api).newReply();
  const bytes = Buffer.from(JSON.stringify(event));
  reply.event(bytes, 0, bytes.length, false);
  return reply;
};

test('a chat of llama.cpp has the times of its prompt and answer, and what was drafted and accepted', () => {
  const timings = { cache_n: 12, prompt_n: 10, prompt_ms: 1.239, predicted_n: 4, predicted_ms: 4.933 };
  const usage = { completion_tokens: 4, prompt_tokens: 22, total_tokens: 26 };
  expect(replyOf('chat', { choices: [], usage, timings })).toMatchObject({
    cachedTokens: 12,
    promptNs: 1_239_000,
    decodeNs: 4_933_000,
    loadNs: NO_FIGURE,
    draftedTokens: NO_FIGURE,
    predictedTokens: NO_FIGURE,
  });
  const drafted = { ...timings, draft_n: 30, draft_n_accepted: 21 };
  expect(replyOf('chat', { choices: [], usage, timings: drafted })).toMatchObject({
    draftedTokens: 30,
    predictedTokens: 21,
  });
});

test('a reply of Ollama has the times of loading, prompt and answer', () => {
  const end = {
    model: 'm',
    done: true,
    done_reason: 'stop',
    total_duration: 5_043_500_667,
    load_duration: 5_025_959,
    prompt_eval_count: 26,
    prompt_eval_duration: 325_953_000,
    eval_count: 290,
    eval_duration: 4_709_213_000,
  };
  expect(replyOf('ollama', end)).toMatchObject({
    loadNs: 5_025_959,
    promptNs: 325_953_000,
    decodeNs: 4_709_213_000,
  });
});

test('times that are none are not reported', () => {
  const end = { done: true, load_duration: -1, prompt_eval_duration: '3', eval_duration: Number.MAX_VALUE };
  expect(replyOf('ollama', end)).toMatchObject({
    loadNs: NO_FIGURE,
    promptNs: NO_FIGURE,
    decodeNs: NO_FIGURE,
  });
});

test('tokens of sound are those that the usage counts, and none where it counts 0', () => {
  const usage = (audio: number) => ({
    prompt_tokens: 150,
    completion_tokens: 50,
    prompt_tokens_details: { audio_tokens: audio, cached_tokens: 0 },
    completion_tokens_details: { audio_tokens: audio, reasoning_tokens: 0 },
  });
  expect(replyOf('chat', { choices: [], usage: usage(40) })).toMatchObject({
    audioInputTokens: 40,
    audioOutputTokens: 40,
  });
  expect(replyOf('chat', { choices: [], usage: usage(0) })).toMatchObject({
    audioInputTokens: NO_FIGURE,
    audioOutputTokens: NO_FIGURE,
  });
});
