// The state that a block without attention stores for each sequence, instead of keys and values: llama.cpp has it in
// 32 bits (llama-hparams.cpp, n_embd_r and n_embd_s).

import { exactly, type Interval } from '../../core/model/model-facts.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import type { GgufKeys } from './gguf-keys.ts';

/** Size for one block, in bytes. */
export const ggufStateBytes = (keys: GgufKeys): Reported<Interval> => {
  const hidden = keys.number('embedding_length') ?? 0;
  const short = keys.number('shortconv.l_cache');
  if (short !== undefined) return exactly(FLOAT_BYTES * hidden * Math.max(0, short - 1));
  const headSize = keys.number('wkv.head_size');
  // RWKV: one vector for each of two shifts, and a matrix of head size for each channel.
  if (headSize !== undefined) return exactly(FLOAT_BYTES * (2 * hidden + hidden * headSize));
  const kda = keys.number('kda.head_dim');
  const kernel = keys.figure('ssm.conv_kernel');
  if (isUnknown(kernel)) return kernel;
  if (kda !== undefined) {
    const heads = keys.perLayer('attention.head_count', 1)?.[0] ?? 0;
    return exactly(FLOAT_BYTES * (3 * (kernel - 1) * heads * kda + heads * kda * kda));
  }
  const inner = keys.figure('ssm.inner_size');
  const state = keys.figure('ssm.state_size');
  if (isUnknown(inner)) return inner;
  if (isUnknown(state)) return state;
  const groups = keys.number('ssm.group_count') ?? 0;
  return exactly(FLOAT_BYTES * ((kernel - 1) * (inner + 2 * groups * state) + state * inner));
};

const FLOAT_BYTES = 4;
