// What each block of a GGUF model stores in the cache: keys and values, a latent, or a state. A block's tensors
// determine the kind; the file's keys the size.

import { minimumOf } from '../../core/extremes.ts';
import { counted } from '../../core/figure/figure.ts';
import { type CacheGroup, exactly, type Interval, type ModelCache } from '../../core/model/model-facts.ts';
import { LATENT } from '../../core/model/model-part.ts';
import { pushAll } from '../../core/push-all.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { GgufKeys } from './gguf-keys.ts';
import type { GgufTensor } from './read-gguf.ts';

export const ggufCache = (
  keys: GgufKeys,
  {
    tensors,
    layers,
    notes,
  }: {
    readonly tensors: readonly Pick<GgufTensor, 'name'>[];
    readonly layers: Reported<number>;
    readonly notes: string[];
  },
): Reported<ModelCache> => {
  if (isUnknown(layers)) return layers;
  if (layers > LAYERS_MAX) return unknown(`the file states ${counted(layers, 'layer')}`);
  const parts = partsByBlock(tensors, layers);
  const attends = parts.map(names => [...names].some(name => ATTENTION.test(name)));
  const remembers = parts.map(names => [...names].some(name => STATE.test(name)));
  const heads = keys.perLayer('attention.head_count', layers);
  if (heads === undefined) return unknown('the file does not contain its heads');
  const hidden = keys.number('embedding_length') ?? 0;
  const headSize = (layer: number): number =>
    (heads[layer] ?? 0) > 0 ? Math.floor(hidden / (heads[layer] ?? 1)) : 0;
  const keyLength = (layer: number): number => keys.number('attention.key_length') ?? headSize(layer);
  const valueLength = (layer: number): number => keys.number('attention.value_length') ?? headSize(layer);
  const latent = keys.number('attention.kv_lora_rank');
  const keyValueHeads = keys.perLayer('attention.head_count_kv', layers) ?? heads;
  const elements = (layer: number): number =>
    latent === undefined
      ? (keyValueHeads[layer] ?? 0) * (keyLength(layer) + valueLength(layer))
      : latent + (keys.number('rope.dimension_count') ?? 0);
  const windows = windowedLayers(keys, layers, notes);
  const found: CacheGroup[] = [];
  let attentionWidth = 0;
  for (let layer = 0; layer < layers; layer += 1) {
    const group: CacheGroup[] = [];
    if (attends[layer] === true && elements(layer) > 0) {
      const window = windows(layer);
      const elementsPerToken = elements(layer);
      group.push(
        window === undefined
          ? { kind: 'full', layers: 1, elementsPerToken }
          : { kind: 'window', layers: 1, elementsPerToken, window },
      );
      attentionWidth += (heads[layer] ?? 0) * (keys.number('attention.key_length_mla') ?? keyLength(layer));
    }
    if (remembers[layer] === true) {
      const state = ggufStateBytes(keys);
      if (isUnknown(state)) return state;
      group.push({ kind: 'state', layers: 1, bytes: state });
    }
    if (group.length === 0) notes.push(`block ${layer} has neither attention nor a state that is known here`);
    pushAll(found, group);
  }
  return {
    groups: joined(found),
    keyValueHeads:
      latent === undefined
        ? leastHeads(keyValueHeads.filter((_, layer) => attends[layer]))
        : unknown('a latent is cached, which every part holds whole', LATENT),
    attentionWidth,
  };
};

/** Names of the tensors of each block, without their number. */
const partsByBlock = (
  tensors: readonly Pick<GgufTensor, 'name'>[],
  layers: number,
): readonly ReadonlySet<string>[] => {
  const parts = Array.from({ length: layers }, () => new Set<string>());
  for (const { name } of tensors) {
    const block = blockOf(name);
    if (block !== undefined) parts[block.index]?.add(block.part);
  }
  return parts;
};

/** Merges equal layers, in the order of the first of each. */
const joined = (groups: readonly CacheGroup[]): readonly CacheGroup[] => {
  const byText = new Map<string, CacheGroup>();
  for (const group of groups) {
    const key = JSON.stringify({ ...group, layers: 0 });
    const known = byText.get(key);
    byText.set(key, known === undefined ? group : { ...known, layers: known.layers + group.layers });
  }
  return [...byText.values()];
};

const leastHeads = (heads: readonly number[]): Reported<number> =>
  heads.length === 0 ? unknown('no layer has attention') : minimumOf(heads);

const ATTENTION = /^attn_(k|v|qkv|kv_a_mqa|kv_b|k_b|v_b)\./;
const STATE = /^(ssm_|time_mix_|shortconv)/;
/** The deepest published model has 160. */
const LAYERS_MAX = 4_096;

// The role of a tensor in a GGUF file, by its name (gguf-py, constants.py, TENSOR_NAMES): read for every token,
// chosen by a router, looked up by row, or not part of decoding at all.
export type TensorRole =
  /** A table of which a token reads one row. */
  | 'lookup'
  /** The output head. */
  | 'head'
  /** One of many experts. */
  | 'expert'
  /** Predicts further tokens (MTP); not read without speculation. */
  | 'ahead'
  /** Vision, audio and other encoders: read once a request. */
  | 'beside'
  | 'dense';

/** @param layers blocks that every token passes; later ones predict ahead. */
export const tensorRole = (name: string, layers: number): TensorRole => {
  if (LOOKUP.test(name)) return 'lookup';
  if (name === 'output.weight') return 'head';
  if (BESIDE.test(name)) return 'beside';
  const block = BLOCK.exec(name);
  if (block === null) return 'dense';
  if (Number(block[1]) >= layers || (block[2] ?? '').startsWith('nextn.')) return 'ahead';
  return EXPERT.test(block[2] ?? '') ? 'expert' : 'dense';
};

/** "blk.12." of a tensor, and what follows. */
export const blockOf = (name: string): { readonly index: number; readonly part: string } | undefined => {
  const found = BLOCK.exec(name);
  return found === null ? undefined : { index: Number(found[1]), part: found[2] ?? '' };
};

const BLOCK = /^blk\.(\d{1,4})\.(.+)$/;
const LOOKUP = /^(token_embd|per_layer_token_embd|position_embd|token_types)\./;
const BESIDE = /^(v|a|mm|enc)\./;
/** All experts of a layer in one tensor, or, in files before 2024-04, one each. */
const EXPERT = /^ffn_[a-z_]*_exps\.|^ffn_(gate|up|down)\.\d+\./;

// The state that a block without attention stores for each sequence, instead of keys and values: llama.cpp has it in
// 32 bits (llama-hparams.cpp, n_embd_r and n_embd_s).

/** Size for one block, in bytes. */
const ggufStateBytes = (keys: GgufKeys): Reported<Interval> => {
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

// Which layers of a GGUF model attend only to a window of the context. Some files contain a pattern; for others the
// engine has one for the architecture (llama.cpp, llama-model.cpp, set_swa_pattern); without either, a layer counts
// as one with full attention, which needs more and is noted.

/** For each layer: tokens of its window, or undefined for full attention. */
const windowedLayers = (
  keys: GgufKeys,
  layers: number,
  notes: string[],
): ((layer: number) => number | undefined) => {
  const window = keys.number('attention.sliding_window');
  if (window === undefined || window === 0) return () => undefined;
  const list = keys.perLayer('attention.sliding_window_pattern', layers);
  const period = list === undefined ? PERIODS[keys.architecture] : repeatedPeriod(list);
  if (period !== undefined)
    // The last of each `period` layers has full attention.
    return layer => (period > 0 && layer % period === period - 1 ? undefined : window);
  if (list !== undefined) return layer => ((list[layer] ?? 0) > 0 ? window : undefined);
  if (ALL_WINDOWED.has(keys.architecture)) return () => window;
  notes.push(
    `the file contains a window of ${window} tokens, and not which layers have it: all count as without, which reads more`,
  );
  return () => undefined;
};

/**
 * A file contains either one number for all layers, the period, or a list with 1 for each layer that has the window.
 */
const repeatedPeriod = (list: readonly number[]): number | undefined => {
  const [first] = list;
  return first !== undefined && first > 1 && list.every(n => n === first) ? first : undefined;
};

/** Every n-th layer has full attention. */
const PERIODS: Readonly<Record<string, number>> = {
  gemma2: 2,
  gemma3: 6,
  gemma3n: 5,
  'gpt-oss': 2,
  cohere2: 4,
  llama4: 4,
  exaone4: 4,
};
const ALL_WINDOWED: ReadonlySet<string> = new Set(['phi3']);
