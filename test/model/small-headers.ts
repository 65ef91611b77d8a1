// Headers of a few hundred bytes that have everything a reader looks at, for mutations: a small one is damaged at a new offset
// each time, a large one mostly among its tensors.

/** Values of every type, and tensors of a dense model and of one with experts. */
export const smallGgufs = (): readonly Uint8Array[] => [
  gguf(
    [
      ['general.architecture', text('llama')],
      ['general.name', text('small')],
      ['general.alignment', [4, u32(32)]],
      ['llama.block_count', [4, u32(2)]],
      ['llama.embedding_length', [4, u32(64)]],
      ['llama.context_length', [10, u64(8192)]],
      ['llama.attention.head_count', [4, u32(4)]],
      ['llama.attention.head_count_kv', list(5, [u32(2), u32(1)])],
      ['llama.attention.sliding_window', [4, u32(512)]],
      ['llama.rope.freq_base', [6, new Uint8Array(Float32Array.of(1e6).buffer)]],
      [
        'tokenizer.ggml.tokens',
        list(
          8,
          ['<s>', 'a', 'b'].map(word => text(word)[1]),
        ),
      ],
      ['tokenizer.ggml.add_bos_token', [7, Uint8Array.of(1)]],
    ],
    [
      tensor('token_embd.weight', [256, 128], 12),
      tensor('output.weight', [256, 128], 14),
      tensor('blk.0.attn_q.weight', [256, 64], 12),
      tensor('blk.0.ffn_up.weight', [256, 256], 12),
      tensor('blk.1.attn_q.weight', [64, 64], 0),
    ],
  ),
  gguf(
    [
      ['general.architecture', text('deepseek2')],
      ['deepseek2.block_count', [4, u32(3)]],
      ['deepseek2.embedding_length', [4, u32(256)]],
      ['deepseek2.attention.head_count', [4, u32(8)]],
      ['deepseek2.attention.kv_lora_rank', [4, u32(64)]],
      ['deepseek2.rope.dimension_count', [4, u32(16)]],
      ['deepseek2.expert_count', [4, u32(8)]],
      ['deepseek2.expert_used_count', [4, u32(2)]],
      ['deepseek2.expert_shared_count', [4, u32(1)]],
      ['deepseek2.leading_dense_block_count', [4, u32(1)]],
    ],
    [
      tensor('token_embd.weight', [256, 64], 1),
      tensor('blk.1.ffn_gate_exps.weight', [256, 64, 8], 8),
      tensor('blk.1.ffn_up_shexp.weight', [256, 64], 8),
      tensor('blk.2.attn_kv_a_mqa.weight', [256, 80], 39),
    ],
  ),
];

export const smallSafetensors = (): readonly Uint8Array[] =>
  [
    { dtype: 'BF16', shape: [64, 32], data_offsets: [0, 4096] },
    { dtype: 'I32', shape: [8, 32], data_offsets: [0, 1024] },
  ].map(first => {
    const header = JSON.stringify({
      'model.embed_tokens.weight': first,
      'model.layers.0.self_attn.q_proj.weight': {
        dtype: 'F8_E4M3',
        shape: [16, 16],
        data_offsets: [4096, 4352],
      },
      'model.layers.0.mlp.experts.0.up_proj.weight': { dtype: 'F16', shape: [4], data_offsets: [4352, 4360] },
      __metadata__: { format: 'pt' },
    });
    const bytes = new TextEncoder().encode(header);
    return joined([u64(bytes.length), bytes, new Uint8Array(64)]);
  });

export const smallConfigs: readonly string[] = [
  {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 128,
    vocab_size: 256,
    max_position_embeddings: 4096,
    tie_word_embeddings: true,
    torch_dtype: 'bfloat16',
    quantization_config: { quant_method: 'gptq', bits: 4, group_size: 128 },
  },
  {
    model_type: 'gemma3',
    text_config: {
      model_type: 'gemma3_text',
      hidden_size: 64,
      num_hidden_layers: 6,
      num_attention_heads: 4,
      head_dim: 16,
      layer_types: ['sliding_attention', 'full_attention', 'linear_attention'],
      sliding_window: 512,
      vocab_size: 256,
      intermediate_size: 128,
    },
    quantization: { bits: 4, group_size: 64, 'model.layers.0.mlp': { bits: 8, group_size: 32 } },
  },
  {
    model_type: 'deepseek_v3',
    hidden_size: 128,
    num_hidden_layers: 3,
    num_attention_heads: 8,
    kv_lora_rank: 32,
    qk_rope_head_dim: 8,
    qk_nope_head_dim: 16,
    v_head_dim: 16,
    n_routed_experts: 8,
    num_experts_per_tok: 2,
    n_shared_experts: 1,
    first_k_dense_replace: 1,
    moe_intermediate_size: 32,
    intermediate_size: 256,
    vocab_size: 512,
    quantization_config: { quant_method: 'fp8', weight_block_size: [128, 128] },
  },
].map(config => JSON.stringify(config));

type Value = readonly [type: number, bytes: Uint8Array];

const gguf = (entries: readonly (readonly [string, Value])[], tensors: readonly Uint8Array[]): Uint8Array =>
  joined([
    new TextEncoder().encode('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(entries.length),
    ...entries.flatMap(([key, [type, bytes]]) => [text(key)[1], u32(type), bytes]),
    ...tensors,
    new Uint8Array(64),
  ]);

const tensor = (name: string, shape: readonly number[], type: number): Uint8Array =>
  joined([text(name)[1], u32(shape.length), ...shape.map(u64), u32(type), u64(0)]);

const text = (content: string): Value => {
  const bytes = new TextEncoder().encode(content);
  return [8, joined([u64(bytes.length), bytes])];
};

const list = (type: number, items: readonly Uint8Array[]): Value => [
  9,
  joined([u32(type), u64(items.length), ...items]),
];

const u32 = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);
const u64 = (value: number): Uint8Array => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
