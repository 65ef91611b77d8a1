// What replies report of speculative decoding, in the shapes of SGLang's meta_info (three generations of names), of its choices with
// `return_meta_info` and its `sglext` with `return_spec_tokens_details`, and of TensorRT-LLM's choices. Those of llama.cpp are in served-times.test.ts.

import { expect, test } from 'vitest';
import { serverApi } from '../../../../src/bench/target/api/server-apis.ts';
import { NO_FIGURE } from '../../../../src/core/run/event-record.ts';

/** As it is after these events of a stream. */
const replyOf = (api: string, ...events: readonly object[]) => {
  const reply = serverApi(api).newReply();
  for (const event of events) {
    const bytes = Buffer.from(JSON.stringify(event));
    reply.event(bytes, 0, bytes.length, false);
  }
  return reply;
};

test.each([
  { spec_num_correct_drafts: 21, spec_num_proposed_drafts: 30, spec_accepted_drafts: 21 },
  { spec_accepted_drafts: 21, spec_proposed_drafts: 30 },
  { spec_accept_token_num: 21, spec_draft_token_num: 30 },
])('SGLang reports its drafts as %j', counts => {
  const meta = { prompt_tokens: 5, completion_tokens: 32, spec_verify_ct: 10, ...counts };
  const event = { text: 'a b', meta_info: { ...meta, finish_reason: { type: 'length', length: 32 } } };
  expect(replyOf('sglang', event)).toMatchObject({ draftedTokens: 30, predictedTokens: 21 });
  const choice = { index: 0, delta: { content: 'a b' }, finish_reason: 'length', meta_info: meta };
  expect(replyOf('chat', { choices: [choice] })).toMatchObject({ draftedTokens: 30, predictedTokens: 21 });
  // The last chunk of a stream.
  const last = { choices: [], sglext: { spec_tokens_details: { spec_verify_ct: 10, ...counts } } };
  expect(replyOf('chat', last)).toMatchObject({ draftedTokens: 30, predictedTokens: 21 });
});

test('SGLang without speculative decoding reports none', () => {
  const meta_info = { prompt_tokens: 5, completion_tokens: 3, spec_verify_ct: 0, finish_reason: null };
  expect(replyOf('sglang', { text: 'a', meta_info })).toMatchObject({
    draftedTokens: NO_FIGURE,
    predictedTokens: NO_FIGURE,
  });
});

const chunk = (mean: number | null, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { content: 'a' }, finish_reason: finish, avg_decoded_tokens_per_iter: mean }],
});
const usage = (output: number) => ({
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: output, total_tokens: 3 + output },
});

test('TensorRT-LLM reports the tokens of an iteration, which is one for the prompt and each step', () => {
  // A float of 32 bits: 10 tokens in 7 iterations.
  const mean = Math.fround(10 / 7);
  expect(replyOf('chat', chunk(2), chunk(mean, 'length'), usage(10))).toMatchObject({
    predictedTokens: 3,
    draftedTokens: NO_FIGURE,
  });
  const again = replyOf('chat', chunk(mean, 'length'), usage(10));
  again.reset();
  expect(again).toMatchObject({ predictedTokens: NO_FIGURE });
});

test.each([null, 1, 0])('TensorRT-LLM with a mean of %j has no draft', mean => {
  expect(replyOf('chat', chunk(mean, 'length'), usage(10))).toMatchObject({ predictedTokens: NO_FIGURE });
});
