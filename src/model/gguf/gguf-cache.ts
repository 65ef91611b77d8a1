// What each block of a GGUF model stores in the cache: keys and values, a latent, or a state. A block's tensors
// determine the kind; the file's keys the size.

import { minimumOf } from '../../core/extremes.ts';
import { counted } from '../../core/figure/figure.ts';
import type { CacheGroup, ModelCache } from '../../core/model/model-facts.ts';
import { LATENT } from '../../core/model/model-part.ts';
import { pushAll } from '../../core/push-all.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { GgufKeys } from './gguf-keys.ts';
import { ggufStateBytes } from './gguf-state.ts';
import type { GgufTensor } from './read-gguf.ts';
import { blockOf } from './tensor-role.ts';
import { windowedLayers } from './windowed-layers.ts';

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
