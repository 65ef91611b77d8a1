// The slots of llama-server b11434, as it lists them.

import { expect, test } from 'vitest';
import { readSlots } from '../../../src/bench/target/llama-slots.ts';

/** Without its parameters. */
const BUSY = {
  id: 3,
  n_ctx: 4_096,
  speculative: false,
  is_processing: true,
  id_task: 0,
  n_prompt_tokens: 291,
  n_prompt_tokens_processed: 22,
  n_prompt_tokens_cache: 0,
  next_token: [{ has_next_token: true, has_new_line: false, n_remain: 2_730, n_decoded: 270 }],
};
const IDLE = { id: 0, n_ctx: 4_096, speculative: false, is_processing: false };
const USED_BEFORE = { ...BUSY, id: 1, is_processing: false };

test('slots that work are running, and their contexts are the part of the KV cache that is used', () => {
  expect(readSlots(JSON.stringify([IDLE, USED_BEFORE, IDLE, BUSY]))).toEqual({
    running: 1,
    kvUsage: 291 / (4 * 4_096),
  });
  expect(readSlots(JSON.stringify([IDLE]))).toEqual({ running: 0, kvUsage: 0 });
});

test('what is no list of slots gives none', () => {
  for (const text of ['', '[]', '{}', '[1]', '{"error":{"code":501}}', '[{"id":0}]'])
    expect(readSlots(text)).toBeUndefined();
});
