import { describe, expect, test } from 'vitest';
import { contextNotices } from '../../../src/bench/run/context-room.ts';
import { unknown } from '../../../src/core/unknown.ts';

const reported = (name: string, value: string) => ({
  reported: [{ from: 'GET /v1/models', facts: [{ name, value }] }],
});
const requested = (tokens: number) => ({ text: String(tokens), mean: tokens, min: 1, max: tokens });
const dataset = (input: number, output: number) => ({
  prompts: [],
  inputTokens: requested(input),
  outputTokens: requested(output),
});
const uncounted = {
  prompts: [
    { messages: [{ role: 'user', content: 'one two' }], maxTokens: 8 },
    { prefix: 'You are', messages: [{ role: 'user', content: 'one two three' }], maxTokens: 8 },
  ],
  inputTokens: unknown('sent as they are'),
  outputTokens: requested(8),
};

describe('the room of a server for the longest request', () => {
  test('is that of prompt and answer with vLLM, and of the prompt alone with llama.cpp', () => {
    expect(contextNotices(reported('max_model_len', '64'), dataset(48, 32))).toEqual([
      'the longest request needs 80 tokens (48 of the prompt, 32 of the answer), and the server has room for 64 (max_model_len): it may reject such requests; ask for less with --input-tokens and --output-tokens, or give the server more room',
    ]);
    expect(contextNotices(reported('default_generation_settings.n_ctx', '64'), dataset(80, 32))).toEqual([
      'the longest request needs 80 tokens of prompt, and the server has room for 64 (n_ctx): it may reject such requests; ask for less with --input-tokens and --output-tokens, or give the server more room',
    ]);
    expect(contextNotices(reported('default_generation_settings.n_ctx', '64'), dataset(48, 32))).toEqual([]);
  });

  test('is enough at its very limit', () => {
    expect(contextNotices(reported('max_model_len', '80'), dataset(48, 32))).toEqual([]);
  });

  test('counts each word of a prompt that nobody has counted as a token at least', () => {
    expect(contextNotices(reported('max_model_len', '12'), uncounted)[0]).toMatch(
      /^the longest request needs at least 13 tokens \(5 of the prompt, 8 of the answer\)/,
    );
    expect(contextNotices(reported('max_model_len', '13'), uncounted)).toEqual([]);
  });

  test('is not judged if the server does not report it', () => {
    expect(contextNotices({ reported: unknown('not asked') }, dataset(1e6, 1e6))).toEqual([]);
    expect(contextNotices(reported('max_model_len', 'None'), dataset(1e6, 1e6))).toEqual([]);
  });
});
