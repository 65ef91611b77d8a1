// Weights by their use in a decoding step, from the headers of safetensors: bytes as stored in the files, numbers of
// weights by how many of them a packed integer contains.

import { exactly, type ModelWeights } from '../../core/model/model-facts.ts';
import type { ModelConfig } from '../config/model-config.ts';
import type { SafeTensor } from './read-safetensors.ts';

export const safetensorWeights = (
  tensors: readonly SafeTensor[],
  { layers, quantisation, isTied }: Pick<ModelConfig, 'layers' | 'quantisation' | 'isTied'>,
  notes: string[],
): ModelWeights => {
  const totals: Record<Role, { bytes: number; weights: number }> = {
    lookup: { bytes: 0, weights: 0 },
    head: { bytes: 0, weights: 0 },
    expert: { bytes: 0, weights: 0 },
    ahead: { bytes: 0, weights: 0 },
    beside: { bytes: 0, weights: 0 },
    dense: { bytes: 0, weights: 0 },
  };
  for (const tensor of tensors) {
    const total = totals[roleOf(tensor.name, layers ?? Number.POSITIVE_INFINITY)];
    total.bytes += tensor.bytes;
    total.weights += unpackedWeights(tensor, quantisation.bits);
  }
  const hasHead = totals.head.bytes > 0;
  if (!hasHead && isTied !== true) notes.push('no output head among the tensors: the embeddings count as it');
  if (totals.ahead.bytes > 0)
    notes.push('blocks for speculative tokens are in memory, and not read without speculation');
  if (totals.beside.bytes > 0)
    notes.push('vision, audio and other encoders are in memory, and not read for each token');
  const head = hasHead ? totals.head : totals.lookup;
  return {
    totalBytes: exactly(Object.values(totals).reduce((sum, { bytes }) => sum + bytes, 0)),
    denseBytes: exactly(totals.dense.bytes + head.bytes),
    expertBytes: exactly(totals.expert.bytes),
    denseParameters: exactly(totals.dense.weights + head.weights),
    expertParameters: exactly(totals.expert.weights),
    headParameters: exactly(head.weights),
  };
};

type Role = 'lookup' | 'head' | 'expert' | 'ahead' | 'beside' | 'dense';

const roleOf = (name: string, layers: number): Role => {
  if (BESIDE.test(name)) return 'beside';
  if (/(^|\.)(embed_tokens|wte|word_embeddings|tok_embeddings|wpe)\./.test(name)) return 'lookup';
  if (/(^|\.)(lm_head|output|embed_out)\.[a-z_]+$/.test(name)) return 'head';
  const layer = /(^|\.)(layers|h|blocks)\.(\d{1,4})\./.exec(name);
  if (/(^|\.)mtp\./.test(name) || (layer !== null && Number(layer[3]) >= layers)) return 'ahead';
  return /\.(experts|switch_mlp)\./.test(name) ? 'expert' : 'dense';
};

/** Number of weights in a tensor: packed ones are several per number, and scales and zero points are none. */
const unpackedWeights = ({ name, typeName, weights, bytes }: SafeTensor, bits: number): number => {
  if (/(scales?|scale_inv|zeros?|zp|g_idx|biases|weight_shape|absmax|quant_map|input_scale)$/.test(name))
    return 0;
  if (/^[IU](8|16|32|64)$/.test(typeName) && bits < 16) return Math.floor((bytes * 8) / bits);
  return weights;
};

const BESIDE =
  /(^|\.)(visual|vision_tower|vision_model|vision|audio_tower|audio|multi_modal_projector|mm_projector|image_newline|encoder)\./;
