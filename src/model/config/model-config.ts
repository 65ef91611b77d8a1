// The config.json of a model (Hugging Face Transformers, MLX), reduced to what affects its cost. Numbers of the text
// part may be in text_config; a missing value is undefined, and nothing is derived from the name of a model.

import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { ModelError } from '../model-error.ts';
import { type ConfigQuantisation, configQuantisation } from './config-quantisation.ts';

export interface ModelConfig {
  readonly place: string;
  readonly modelType: string | undefined;
  readonly layers: number | undefined;
  readonly hiddenSize: number | undefined;
  readonly heads: number | undefined;
  readonly keyValueHeads: number | undefined;
  readonly headSize: number | undefined;
  readonly vocabulary: number | undefined;
  readonly intermediateSize: number | undefined;
  readonly contextMax: number | undefined;
  /** Undefined where the file leaves it to its library's default. */
  readonly isTied: boolean | undefined;
  readonly experts: ConfigExperts | undefined;
  readonly latent: ConfigLatent | undefined;
  /** Tokens; undefined where no layer has one. */
  readonly window: number | undefined;
  /** The type of each layer, if listed: "full_attention", "sliding_attention", "linear_attention". */
  readonly layerTypes: readonly string[] | undefined;
  /** Period of the layer types, if there is no list of them. */
  readonly fullEvery: number | undefined;
  readonly linear: ConfigLinear | undefined;
  readonly quantisation: ConfigQuantisation;
}

interface ConfigExperts {
  readonly count: number;
  readonly used: number;
  readonly intermediateSize: number | undefined;
  /** Experts, or their width, that every token passes. */
  readonly sharedIntermediateSize: number;
  /** Layers before the first with experts. */
  readonly denseLayers: number;
}

/** Multi-head latent attention (DeepSeek-V2 and later). */
interface ConfigLatent {
  readonly keyValueRank: number;
  readonly ropeSize: number;
  readonly queryRank: number | undefined;
  readonly nopeSize: number | undefined;
  readonly valueSize: number | undefined;
}

/** Linear attention: a matrix of key × value a head, and a short convolution. */
export interface ConfigLinear {
  readonly keyHeads: number;
  readonly valueHeads: number;
  readonly keySize: number;
  readonly valueSize: number;
  readonly kernel: number;
}

/** @throws ModelError for anything but the config of a text model. */
export const readModelConfig = (value: unknown, place: string): ModelConfig => {
  if (!isJsonObject(value)) {
    throw new ModelError({
      code: 'damaged',
      problem: `${place} is not the config of a model`,
      advice: 'Name a folder with config.json, a .gguf file or a server.',
    });
  }
  const nested = ['text_config', 'llm_config', 'language_config'].map(key => value[key]).find(isJsonObject);
  const text: JsonObject = nested ?? value;
  const layers = count(text, 'num_hidden_layers', 'n_layer', 'num_layers');
  const heads = count(text, 'num_attention_heads', 'n_head');
  const hiddenSize = count(text, 'hidden_size', 'n_embd', 'd_model');
  if (layers === undefined && hiddenSize === undefined) {
    throw new ModelError({
      code: 'unsupported',
      problem: `${place} contains neither layers nor a hidden size`,
      advice: 'It is not the config of a language model. Name a .gguf file or a server instead.',
    });
  }
  const evenHead =
    hiddenSize === undefined || heads === undefined || heads === 0 ? undefined : hiddenSize / heads;
  return {
    place,
    modelType: named(text['model_type']) ?? named(value['model_type']),
    layers,
    hiddenSize,
    heads,
    keyValueHeads: count(text, 'num_key_value_heads', 'n_head_kv', 'num_kv_heads') ?? heads,
    headSize: count(text, 'head_dim') ?? evenHead,
    vocabulary: count(text, 'vocab_size'),
    intermediateSize: count(text, 'intermediate_size', 'ffn_hidden_size', 'n_inner'),
    contextMax: count(text, 'max_position_embeddings', 'n_positions', 'n_ctx', 'max_sequence_length'),
    isTied: truth(text['tie_word_embeddings']) ?? truth(value['tie_word_embeddings']),
    experts: expertsOf(text),
    latent: latentOf(text),
    window: text['use_sliding_window'] === false ? undefined : count(text, 'sliding_window'),
    layerTypes: textsOf(text['layer_types']),
    fullEvery: count(text, 'full_attention_interval', 'sliding_window_pattern'),
    linear: linearOf(text),
    quantisation: configQuantisation(value, text),
  };
};

const expertsOf = (text: JsonObject): ConfigExperts | undefined => {
  const experts = count(text, 'num_local_experts', 'num_experts', 'n_routed_experts');
  const used = count(text, 'num_experts_per_tok', 'num_experts_per_token', 'experts_per_token', 'moe_k');
  if (experts === undefined || used === undefined || used < 1 || experts < used) return undefined;
  const intermediateSize = count(text, 'moe_intermediate_size', 'intermediate_size');
  const shared = count(text, 'n_shared_experts', 'num_shared_experts') ?? 0;
  return {
    count: experts,
    used,
    intermediateSize,
    sharedIntermediateSize:
      count(text, 'shared_expert_intermediate_size') ?? shared * (intermediateSize ?? 0),
    denseLayers: count(text, 'first_k_dense_replace') ?? 0,
  };
};

const latentOf = (text: JsonObject): ConfigLatent | undefined => {
  const keyValueRank = count(text, 'kv_lora_rank');
  if (keyValueRank === undefined) return undefined;
  return {
    keyValueRank,
    ropeSize: count(text, 'qk_rope_head_dim') ?? 0,
    queryRank: count(text, 'q_lora_rank'),
    nopeSize: count(text, 'qk_nope_head_dim'),
    valueSize: count(text, 'v_head_dim'),
  };
};

const linearOf = (text: JsonObject): ConfigLinear | undefined => {
  const keyHeads = count(text, 'linear_num_key_heads');
  const valueHeads = count(text, 'linear_num_value_heads');
  const keySize = count(text, 'linear_key_head_dim');
  const valueSize = count(text, 'linear_value_head_dim');
  if (keyHeads === undefined || valueHeads === undefined || keySize === undefined || valueSize === undefined)
    return undefined;
  const kernel = count(text, 'linear_conv_kernel_dim') ?? 1;
  return { keyHeads, valueHeads, keySize, valueSize, kernel };
};

/** The first of these that is a whole number from 0. */
const count = (from: JsonObject, ...keys: readonly string[]): number | undefined => {
  for (const key of keys) {
    const value = from[key];
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX)
      return value;
  }
  return undefined;
};

const named = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= NAME_MAX ? value : undefined;

const truth = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

const textsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.length <= LAYERS_MAX && value.every(one => typeof one === 'string')
    ? value
    : undefined;

/** Beyond any width, vocabulary or context of a model. */
const COUNT_MAX = 2_000_000_000;
const NAME_MAX = 200;
const LAYERS_MAX = 4_096;
