import { describe, expect, test } from 'vitest';
import { cacheBytesPerToken } from '../../../src/core/model/cache-bytes.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { configFacts } from '../../../src/model/config/config-facts.ts';
import { readModelConfig } from '../../../src/model/config/model-config.ts';
import { readSafetensors } from '../../../src/model/safetensors/read-safetensors.ts';
import { memorySource } from '../../support/memory-source.ts';

describe('the config of a model', () => {
  test.each([
    ['llama3-8b', 8.03, 131_072],
    ['qwen3-32b', 32.76, 262_144],
    ['qwen3-30b-a3b', 30.53, 98_304],
    ['deepseek-v3', 671, 70_272],
    ['gpt-oss-120b', 116.8, 36_864],
  ])(
    '%s has the published number of weights, %f billion, and %i bytes of cache a token',
    (name, billions, bytes) => {
      const facts = factsOf(name);
      const { denseParameters, expertParameters, headParameters } = known(facts.weights);
      const all = denseParameters.low + expertParameters.low + headParameters.low;
      expect(all / (billions * 1e9)).toBeCloseTo(1, 2);
      expect(cacheBytesPerToken(known(facts.cache), 2)).toBe(bytes);
    },
  );

  test('contains which layers attend to a window', () => {
    expect(known(factsOf('gpt-oss-120b').cache).groups).toEqual([
      { kind: 'full', layers: 18, elementsPerToken: 1_024 },
      { kind: 'window', layers: 18, elementsPerToken: 1_024, window: 128 },
    ]);
  });

  test('of images and text contains the text model in a separate part', () => {
    const facts = configFacts(
      readModelConfig({ model_type: 'gemma3', text_config: CONFIGS['gemma3-27b'] }, 'm/config.json'),
    );
    expect(known(facts.cache).groups.map(({ kind, layers }) => [kind, layers])).toEqual([
      ['full', 10],
      ['window', 52],
    ]);
  });

  test.each([
    [{ quantization: { bits: 4, group_size: 64 } }, 4.5],
    [{ quantization: { bits: 4, group_size: 32 } }, 5],
    [{ quantization_config: { quant_method: 'awq', bits: 4, group_size: 128 } }, 4.156_25],
    [{ quantization_config: { quant_method: 'mxfp4' } }, 4.25],
    [{ quantization_config: { quant_method: 'modelopt', quant_algo: 'NVFP4' } }, 4.5],
  ])('with %j has so many bits a weight: %f', (reported, bits) => {
    const config = readModelConfig({ ...CONFIGS['llama3-8b'], ...reported }, 'm/config.json');
    expect(config.quantisation.bitsPerWeight.low).toBe(bits);
  });

  test('with an unknown quantisation widens the interval and reports it', () => {
    const facts = configFacts(
      readModelConfig(
        { ...CONFIGS['llama3-8b'], quantization_config: { quant_method: 'new' } },
        'm/config.json',
      ),
    );
    const { denseBytes } = known(facts.weights);
    expect(denseBytes.high / denseBytes.low).toBe(8);
    expect(facts.notes.join()).toContain('the quantisation "new" is not known');
  });

  test('with layers without attention has no weights that are made up', () => {
    const facts = configFacts(
      readModelConfig(
        { ...CONFIGS['llama3-8b'], layer_types: new Array(32).fill('linear_attention') },
        'm/config.json',
      ),
    );
    expect(isUnknown(facts.weights)).toBe(true);
    expect(isUnknown(facts.cache)).toBe(true);
  });

  test.each([[[]], ['text'], [null], [{}], [{ model_type: 'vit' }]])('that is %j is refused', value => {
    expect(() => readModelConfig(value, 'm/config.json')).toThrow(/config/);
  });
});

describe('safetensors', () => {
  test('give the bytes, and the config the structure', async () => {
    const tensors = await readSafetensors(
      safetensors({
        'model.embed_tokens.weight': ['BF16', [128_256, 4_096]],
        'lm_head.weight': ['BF16', [128_256, 4_096]],
        'model.layers.0.mlp.down_proj.qweight': ['I32', [512, 14_336]],
        'model.layers.0.mlp.down_proj.scales': ['F16', [32, 14_336]],
        'model.layers.32.mlp.down_proj.weight': ['BF16', [10, 10]],
        'visual.patch.weight': ['BF16', [20, 10]],
      }),
    );
    const facts = configFacts(
      readModelConfig(
        {
          ...CONFIGS['llama3-8b'],
          quantization_config: { quant_method: 'gptq', bits: 4, group_size: 128 },
        },
        'm/config.json',
      ),
      tensors,
    );
    const { totalBytes, denseBytes, denseParameters } = known(facts.weights);
    const table = 128_256 * 4_096;
    const packed = 512 * 14_336;
    expect(totalBytes.low).toBe(4 * table + 4 * packed + 2 * 32 * 14_336 + 200 + 400);
    expect(denseBytes.low).toBe(2 * table + 4 * packed + 2 * 32 * 14_336);
    // Eight weights of four bits in an integer of 32.
    expect(denseParameters.low).toBe(table + 8 * packed);
  });

  test.each([
    ['nothing', () => new Uint8Array(3), /shorter than its own length field/],
    ['a header longer than the file', () => lengthOnly(2n ** 40n), /a header of 1099511627776 bytes/],
    ['no JSON', () => new Uint8Array([...new Uint8Array(lengthOnly(2n)).subarray(0, 8), 91, 91]), /not JSON/],
  ])('of %s are refused in words', async (_, bytes, problem) => {
    await expect(readSafetensors(memorySource(bytes(), 'x.safetensors'))).rejects.toThrow(problem);
  });
});

const factsOf = (name: string): ModelFacts =>
  configFacts(readModelConfig(CONFIGS[name], `${name}/config.json`));

const known = <T>(value: T): Exclude<T, { readonly kind: 'unknown' }> => {
  if (isKnownValue(value)) return value;
  throw new Error(JSON.stringify(value));
};

const isKnownValue = <T>(value: T): value is Exclude<T, { readonly kind: 'unknown' }> => !isUnknown(value);

const safetensors = (
  tensors: Readonly<Record<string, readonly [type: string, shape: readonly number[]]>>,
): ReturnType<typeof memorySource> => {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let at = 0;
  for (const [name, [dtype, shape]] of Object.entries(tensors)) {
    const bytes = shape.reduce((product, count) => product * count, dtype === 'I32' ? 4 : 2);
    header[name] = { dtype, shape, data_offsets: [at, at + bytes] };
    at += bytes;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(text, 8);
  return memorySource(bytes);
};

const lengthOnly = (length: bigint): Uint8Array => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, length, true);
  return bytes;
};

/** The sizes of published models. */
const CONFIGS: Readonly<Record<string, object>> = {
  'llama3-8b': {
    model_type: 'llama',
    hidden_size: 4_096,
    intermediate_size: 14_336,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    vocab_size: 128_256,
    max_position_embeddings: 131_072,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
  },
  'qwen3-32b': {
    model_type: 'qwen3',
    hidden_size: 5_120,
    intermediate_size: 25_600,
    num_hidden_layers: 64,
    num_attention_heads: 64,
    num_key_value_heads: 8,
    head_dim: 128,
    vocab_size: 151_936,
    tie_word_embeddings: false,
    sliding_window: null,
    use_sliding_window: false,
    torch_dtype: 'bfloat16',
  },
  'qwen3-30b-a3b': {
    model_type: 'qwen3_moe',
    hidden_size: 2_048,
    intermediate_size: 6_144,
    moe_intermediate_size: 768,
    num_hidden_layers: 48,
    num_attention_heads: 32,
    num_key_value_heads: 4,
    head_dim: 128,
    num_experts: 128,
    num_experts_per_tok: 8,
    vocab_size: 151_936,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
  },
  'deepseek-v3': {
    model_type: 'deepseek_v3',
    hidden_size: 7_168,
    intermediate_size: 18_432,
    moe_intermediate_size: 2_048,
    num_hidden_layers: 61,
    num_attention_heads: 128,
    num_key_value_heads: 128,
    n_routed_experts: 256,
    n_shared_experts: 1,
    num_experts_per_tok: 8,
    first_k_dense_replace: 3,
    kv_lora_rank: 512,
    q_lora_rank: 1_536,
    qk_nope_head_dim: 128,
    qk_rope_head_dim: 64,
    v_head_dim: 128,
    vocab_size: 129_280,
    tie_word_embeddings: false,
    quantization_config: { quant_method: 'fp8' },
  },
  'gpt-oss-120b': {
    model_type: 'gpt_oss',
    hidden_size: 2_880,
    intermediate_size: 2_880,
    num_hidden_layers: 36,
    num_attention_heads: 64,
    num_key_value_heads: 8,
    head_dim: 64,
    num_local_experts: 128,
    num_experts_per_tok: 4,
    sliding_window: 128,
    layer_types: Array.from({ length: 36 }, (_, layer) =>
      layer % 2 === 0 ? 'sliding_attention' : 'full_attention',
    ),
    vocab_size: 201_088,
    tie_word_embeddings: false,
    quantization_config: { quant_method: 'mxfp4' },
  },
  'gemma3-27b': {
    model_type: 'gemma3_text',
    hidden_size: 5_376,
    intermediate_size: 21_504,
    num_hidden_layers: 62,
    num_attention_heads: 32,
    num_key_value_heads: 16,
    head_dim: 128,
    sliding_window: 1_024,
    sliding_window_pattern: 6,
    vocab_size: 262_208,
    tie_word_embeddings: true,
  },
};
