// The config.json of a model (Hugging Face Transformers, MLX), reduced to what affects its cost. Numbers of the text
// part may be in text_config; a missing value is undefined, and nothing is derived from the name of a model.

import { maximumOf, minimumOf } from '../../core/extremes.ts';
import { counted, ofCount } from '../../core/figure/figure.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { exactly, type Interval } from '../../core/model/model-facts.ts';
import { ModelError } from '../byte-source.ts';

export interface ModelConfig {
  readonly location: string;
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
export const readModelConfig = (value: unknown, location: string): ModelConfig => {
  if (!isJsonObject(value)) {
    throw new ModelError({
      code: 'damaged',
      problem: `${location} is not the config of a model`,
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
      problem: `${location} contains neither layers nor a hidden size`,
      advice: 'It is not the config of a language model. Name a .gguf file or a server instead.',
    });
  }
  const evenHead =
    hiddenSize === undefined || heads === undefined || heads === 0 ? undefined : hiddenSize / heads;
  return {
    location,
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

// How many bits a weight takes, by the quantisation in the config: groups share a scale, and often a zero point.
interface ConfigQuantisation {
  /** "AWQ 4-bit, groups of 128" */
  readonly label: string;
  readonly bitsPerWeight: Interval;
  /** Bits of the weights themselves, without scales: how many of them share an integer. */
  readonly bits: number;
  /** Of token embeddings and output head, which most methods leave alone. */
  readonly headBitsPerWeight: Interval;
  /** Why the interval is one. */
  readonly note: string | undefined;
}

/** @param text the part of the config for the language model; often all of it. */
const configQuantisation = (config: JsonObject, text: JsonObject): ConfigQuantisation => {
  const mlx = [config['quantization'], text['quantization']].find(isJsonObject);
  if (mlx !== undefined && numberOf(mlx['bits']) !== undefined) return mlxQuantisation(mlx);
  const reported = [config['quantization_config'], text['quantization_config']].find(isJsonObject);
  const plain = plainType(text['torch_dtype'] ?? text['dtype'] ?? config['torch_dtype'] ?? config['dtype']);
  if (reported === undefined) return plain;
  const method = typeof reported['quant_method'] === 'string' ? reported['quant_method'].toLowerCase() : '';
  const headBitsPerWeight = exactly(16);
  const group = numberOf(reported['group_size']) ?? 128;
  const bits = numberOf(reported['bits']) ?? numberOf(reported['w_bit']) ?? 4;
  switch (method) {
    case 'gptq':
    case 'awq':
    case 'auto-round':
      return {
        label: `${method.toUpperCase()} ${bits}-bit${group > 0 ? `, groups of ${group}` : ''}`,
        // A 16-bit scale and a zero point of `bits` a group.
        bitsPerWeight: exactly(bits + (group > 0 ? (16 + bits) / group : 0)),
        bits,
        headBitsPerWeight,
        note: undefined,
      };
    case 'fp8':
    case 'fbgemm_fp8':
      return { label: 'FP8', bitsPerWeight: exactly(8.002), bits: 8, headBitsPerWeight, note: undefined };
    case 'mxfp4':
      // Blocks of 32 share an 8-bit scale.
      return { label: 'MXFP4', bitsPerWeight: exactly(4.25), bits: 4, headBitsPerWeight, note: undefined };
    case 'modelopt':
    case 'compressed-tensors':
      return compressed(reported, headBitsPerWeight);
    case 'bitsandbytes':
      return {
        label: reported['load_in_8bit'] === true ? 'bitsandbytes 8-bit' : 'bitsandbytes 4-bit',
        bitsPerWeight: reported['load_in_8bit'] === true ? exactly(8.1) : { low: 4.125, high: 4.5 },
        bits: reported['load_in_8bit'] === true ? 8 : 4,
        headBitsPerWeight,
        note: undefined,
      };
    default:
      return {
        label: method === '' ? 'quantised' : method,
        bitsPerWeight: { low: 2, high: 16 },
        bits: 16,
        headBitsPerWeight: { low: 2, high: 16 },
        note: `the quantisation ${JSON.stringify(method)} is not known: a weight takes 2 to 16 bits`,
      };
  }
};

/** Groups share a 16-bit scale and a 16-bit bias; embeddings and head are quantised as well. */
const mlxQuantisation = (reported: JsonObject): ConfigQuantisation => {
  const bits = numberOf(reported['bits']) ?? 4;
  const group = numberOf(reported['group_size']) ?? 64;
  const isScaleOnly = typeof reported['mode'] === 'string' && reported['mode'] !== 'affine';
  const all = exactly(bits + (isScaleOnly ? 8 : 32) / group);
  const others = Object.values(reported)
    .filter(isJsonObject)
    .map(layer => numberOf(layer['bits']))
    .filter(layerBits => layerBits !== undefined);
  const bitsPerWeight =
    others.length === 0
      ? all
      : {
          low: minimumOf([all.low, ...others.map(layerBits => layerBits + 32 / group)]),
          high: maximumOf([all.high, ...others.map(layerBits => layerBits + 32 / group)]),
        };
  return {
    label: `MLX ${bits}-bit, groups of ${group}`,
    bitsPerWeight,
    bits,
    headBitsPerWeight: bitsPerWeight,
    note:
      others.length === 0
        ? undefined
        : `${counted(others.length, 'layer')} ${ofCount(others.length, 'has', 'have')} a quantisation of their own`,
  };
};

/** NVFP4: blocks of 16 share an FP8 scale. If the config does not contain it, the width is 4 to 8 bits. */
const compressed = (reported: JsonObject, headBitsPerWeight: Interval): ConfigQuantisation => {
  const text = JSON.stringify(reported).slice(0, TEXT_MAX).toLowerCase();
  if (text.includes('nvfp4'))
    return { label: 'NVFP4', bitsPerWeight: exactly(4.5), bits: 4, headBitsPerWeight, note: undefined };
  if (/"num_bits":8|fp8|float-quantized|int-quantized/.test(text))
    return { label: '8-bit', bitsPerWeight: exactly(8.002), bits: 8, headBitsPerWeight, note: undefined };
  if (/"num_bits":4|pack-quantized|w4a16/.test(text))
    return { label: '4-bit', bitsPerWeight: exactly(4.16), bits: 4, headBitsPerWeight, note: undefined };
  return {
    label: 'compressed',
    bitsPerWeight: { low: 4, high: 8.1 },
    bits: 8,
    headBitsPerWeight,
    note: 'the config does not state how many bits its weights have: 4 to 8',
  };
};

const plainType = (type: unknown): ConfigQuantisation => {
  const bits = typeof type === 'string' ? PLAIN_BITS[type.replace(/^torch\./, '')] : undefined;
  return {
    label: typeof type === 'string' && bits !== undefined ? type.replace(/^torch\./, '') : '16 bits assumed',
    bitsPerWeight: exactly(bits ?? 16),
    bits: bits ?? 16,
    headBitsPerWeight: exactly(bits ?? 16),
    note: bits === undefined ? 'the config contains no type: weights count as 16-bit' : undefined,
  };
};

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= -1 && value <= 65_536 ? value : undefined;

const PLAIN_BITS: Readonly<Record<string, number>> = {
  float32: 32,
  bfloat16: 16,
  float16: 16,
  float8_e4m3fn: 8,
};
const TEXT_MAX = 100_000;
