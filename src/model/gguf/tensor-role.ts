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
