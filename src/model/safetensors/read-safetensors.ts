// The header of a safetensors file: eight bytes of length, then JSON with the type, shape and offsets of each tensor.

import type { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { INPUT_LIMITS } from '../../core/input/input-limits.ts';
import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import { type ByteSource, headerBudget, ModelError } from '../byte-source.ts';

export interface SafeTensor {
  readonly name: string;
  /** "BF16", "F8_E4M3", "I32". */
  readonly typeName: string;
  readonly shape: readonly number[];
  readonly weights: number;
  readonly bytes: number;
}

/**
 * @param budget shared by all files of the model
 * @throws ModelError
 */
export const readSafetensors = async (
  source: ByteSource,
  budget: ExpansionBudget = headerBudget('safetensors', source.location),
): Promise<readonly SafeTensor[]> => {
  const head = await source.read(0, LENGTH_BYTES);
  if (head.byteLength < LENGTH_BYTES) throw damaged(source, 'it is shorter than its own length field');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const length = view.getBigUint64(0, true);
  const room = source.byteCount - LENGTH_BYTES;
  if (length > BigInt(INPUT_LIMITS.safetensors.bytesMax) || length > BigInt(Math.max(0, room)))
    throw damaged(source, `it states a header of ${length} bytes in a file of ${source.byteCount}`);
  const bytes = await source.read(LENGTH_BYTES, Number(length));
  const text = new TextDecoder().decode(bytes);
  budget.addJson(text);
  const header = parseAnyJson(text);
  if (bytes.byteLength < Number(length) || !isJsonObject(header))
    throw damaged(source, 'its header is not JSON');
  return Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => tensorOf(source, name, value));
};

const tensorOf = (source: ByteSource, name: string, value: unknown): SafeTensor => {
  if (!isJsonObject(value)) throw damaged(source, `tensor ${quoted(name)} is not described`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets) || offsets.length !== 2)
    throw damaged(source, `tensor ${quoted(name)} has no type, shape and offsets`);
  const [start = 0, end = 0] = offsets;
  const weights = shape.reduce((product, count) => product * count, 1);
  if (end < start || !Number.isSafeInteger(weights))
    throw damaged(source, `tensor ${quoted(name)} has an impossible offset or size`);
  return { name, typeName: dtype, shape, weights, bytes: end - start };
};

const isCounts = (value: unknown): value is readonly number[] =>
  Array.isArray(value) &&
  value.length <= 16 &&
  value.every(count => Number.isSafeInteger(count) && count >= 0);

const quoted = (name: string): string => JSON.stringify(name.slice(0, 100));

const damaged = ({ location }: ByteSource, what: string): ModelError =>
  new ModelError({
    code: 'damaged',
    problem: `${location}: ${what}`,
    advice: 'The file is damaged, or is not what its name says: download it again.',
  });

const LENGTH_BYTES = 8;
