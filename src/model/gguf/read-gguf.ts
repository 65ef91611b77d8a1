// The header of a GGUF file: its metadata, and the name, shape and type of each tensor. The data after it is not
// read. Format: docs/gguf.md of ggml; versions 2 and 3, little-endian.

import type { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { type ByteSource, headerBudget, ModelError } from '../byte-source.ts';
import { HeaderCursor } from './header-cursor.ts';
import { tensorType } from './tensor-types.ts';

export interface GgufHeader {
  readonly location: string;
  /**
   * Texts, numbers and booleans; lists of up to 4,096 numbers. For longer ones, and for lists of texts, only the
   * length.
   */
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
  /** Where the data begins. */
  readonly dataOffset: number;
  /** How many bytes of its tensors the file lacks; all of them if it is only a header. */
  readonly missingBytes: number;
}

export type GgufValue =
  | string
  | number
  | boolean
  | readonly number[]
  | { readonly kind: 'skipped'; readonly count: number };

export interface GgufTensor {
  readonly name: string;
  /** "Q4_K"; "type 77" for one that is not known here. */
  readonly typeName: string;
  readonly shape: readonly number[];
  readonly weights: number;
  /** Size in the file; for an unknown type the distance to the next tensor, padding included. */
  readonly bytes: number;
  readonly isKnownType: boolean;
}

/**
 * @param budget shared by all parts of the model
 * @throws ModelError
 */
export const readGguf = async (
  source: ByteSource,
  budget: ExpansionBudget = headerBudget('gguf', source.location),
): Promise<GgufHeader> => {
  const cursor = new HeaderCursor(source, budget);
  if (source.byteCount < FIXED_BYTES) throw cursor.endsEarly(FIXED_BYTES);
  await cursor.fill(FIXED_BYTES);
  if (cursor.u32() !== MAGIC) throw cursor.damaged('it does not begin with GGUF');
  const version = cursor.u32();
  if (version !== 2 && version !== 3) throw notSupported(source.location, version);
  const tensorCount = bounded(cursor, cursor.u64(), 'tensors');
  const entryCount = bounded(cursor, cursor.u64(), 'entries');
  const metadata = new Map<string, GgufValue>();
  for (let entry = 0; entry < entryCount; entry += 1) {
    const key = await text(cursor, KEY_BYTES_MAX);
    if (!cursor.has(4)) await cursor.fill(4);
    const value = await readValue(cursor, cursor.u32());
    budget.add(ENTRY_BYTES + 2 * key.length + valueBytes(value));
    metadata.set(key, value);
  }
  const infos: TensorInfo[] = [];
  for (let index = 0; index < tensorCount; index += 1) {
    const info = await readTensor(cursor);
    budget.add(TENSOR_BYTES + 2 * info.name.length);
    infos.push(info);
  }
  const alignment = alignmentOf(cursor, metadata);
  const dataOffset = Math.ceil(cursor.offset / alignment) * alignment;
  const tensors = sized(infos, { cursor, room: Math.max(0, source.byteCount - dataOffset) });
  const end = infos.reduce(
    (last, { offset }, index) => Math.max(last, offset + (tensors[index]?.bytes ?? 0)),
    0,
  );
  return {
    location: source.location,
    metadata,
    tensors,
    dataOffset,
    missingBytes: Math.max(0, dataOffset + end - source.byteCount),
  };
};

interface TensorInfo {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  readonly offset: number;
}

const readTensor = async (cursor: HeaderCursor): Promise<TensorInfo> => {
  const name = await text(cursor, KEY_BYTES_MAX);
  if (!cursor.has(4)) await cursor.fill(4);
  const dimensions = cursor.u32();
  if (dimensions > DIMENSIONS_MAX) throw cursor.damaged(`a tensor has ${dimensions} dimensions`);
  const rest = dimensions * 8 + 12;
  if (!cursor.has(rest)) await cursor.fill(rest);
  const shape: number[] = [];
  for (let dimension = 0; dimension < dimensions; dimension += 1) shape.push(cursor.u64());
  return { name, shape, type: cursor.u32(), offset: cursor.u64() };
};

const sized = (
  infos: readonly TensorInfo[],
  { cursor, room }: { readonly cursor: HeaderCursor; readonly room: number },
): readonly GgufTensor[] => {
  const offsets = infos.map(({ offset }) => offset).sort((a, b) => a - b);
  const following = new Map(offsets.map((offset, index) => [offset, offsets[index + 1] ?? room]));
  return infos.map(({ name, shape, type, offset }) => {
    const weights = shape.reduce((product, count) => product * count, 1);
    if (!Number.isSafeInteger(weights)) throw cursor.damaged(`tensor ${JSON.stringify(name)} is beyond 2^53`);
    const known = tensorType(type);
    if (known === undefined) {
      const bytes = Math.max(0, (following.get(offset) ?? room) - offset);
      return { name, shape, weights, bytes, typeName: `type ${type}`, isKnownType: false };
    }
    const { blockWeights, blockBytes } = known;
    // Rows are whole blocks.
    if ((shape[0] ?? blockWeights) % blockWeights !== 0) {
      throw cursor.damaged(
        `tensor ${JSON.stringify(name)} has rows of ${shape[0]}, which ${known.name} cannot part`,
      );
    }
    const bytes = (weights / blockWeights) * blockBytes;
    return { name, shape, weights, bytes, typeName: known.name, isKnownType: true };
  });
};

const readValue = async (cursor: HeaderCursor, type: number): Promise<GgufValue> => {
  if (type === STRING) {
    if (!cursor.has(8)) await cursor.fill(8);
    const length = cursor.u64();
    if (length > STRING_BYTES_MAX) throw cursor.damaged(`a text has ${length} bytes`);
    if (length > KEPT_BYTES_MAX) {
      cursor.skip(length);
      return { kind: 'skipped', count: length };
    }
    if (!cursor.has(length)) await cursor.fill(length);
    return cursor.text(length);
  }
  if (type === ARRAY) return await readList(cursor);
  const scalar = SCALARS[type];
  if (scalar === undefined) throw cursor.damaged(`a value has the unknown type ${type}`);
  if (!cursor.has(scalar.bytes)) await cursor.fill(scalar.bytes);
  return scalar.take(cursor);
};

const readList = async (cursor: HeaderCursor): Promise<GgufValue> => {
  if (!cursor.has(12)) await cursor.fill(12);
  const type = cursor.u32();
  const count = cursor.u64();
  const scalar = SCALARS[type];
  if (scalar !== undefined) {
    if (count > LIST_NUMBERS_MAX) {
      cursor.skip(count * scalar.bytes);
      return { kind: 'skipped', count };
    }
    if (!cursor.has(count * scalar.bytes)) await cursor.fill(count * scalar.bytes);
    const numbers: number[] = [];
    for (let index = 0; index < count; index += 1) numbers.push(Number(scalar.take(cursor)));
    return numbers;
  }
  if (type !== STRING) throw cursor.damaged(`a list of the type ${type} is not read`);
  bounded(cursor, count, 'texts in a list');
  for (let index = 0; index < count; index += 1) {
    if (!cursor.has(8)) await cursor.fill(8);
    cursor.skip(cursor.u64());
  }
  return { kind: 'skipped', count };
};

const text = async (cursor: HeaderCursor, bytesMax: number): Promise<string> => {
  if (!cursor.has(8)) await cursor.fill(8);
  const length = cursor.u64();
  if (length > bytesMax) throw cursor.damaged(`a name has ${length} bytes`);
  if (!cursor.has(length)) await cursor.fill(length);
  return cursor.text(length);
};

const bounded = (cursor: HeaderCursor, count: number, what: string): number => {
  if (count > ENTRIES_MAX) throw cursor.damaged(`it counts ${count} ${what}`);
  return count;
};

const alignmentOf = (cursor: HeaderCursor, metadata: ReadonlyMap<string, GgufValue>): number => {
  const reported = metadata.get('general.alignment') ?? ALIGNMENT;
  if (
    typeof reported === 'number' &&
    Number.isInteger(reported) &&
    reported >= 1 &&
    reported <= ALIGNMENT_MAX
  )
    return reported;
  throw cursor.damaged('general.alignment is not a number of bytes');
};

const notSupported = (location: string, version: number): ModelError =>
  new ModelError({
    code: 'unsupported',
    problem:
      version === 0x02_00_00_00 || version === 0x03_00_00_00
        ? `${location} is a big-endian GGUF file`
        : `${location} is a GGUF file of version ${version}`,
    advice: 'Versions 2 and 3, little-endian, are read. Convert it with a current llama.cpp.',
  });

/** gguf_type: 0 to 12; 8 is a text, 9 a list. */
const SCALARS: Readonly<
  Record<number, { readonly bytes: number; readonly take: (cursor: HeaderCursor) => number | boolean }>
> = {
  0: { bytes: 1, take: cursor => cursor.u8() },
  1: { bytes: 1, take: cursor => cursor.i8() },
  2: { bytes: 2, take: cursor => cursor.u16() },
  3: { bytes: 2, take: cursor => cursor.i16() },
  4: { bytes: 4, take: cursor => cursor.u32() },
  5: { bytes: 4, take: cursor => cursor.i32() },
  6: { bytes: 4, take: cursor => cursor.f32() },
  7: { bytes: 1, take: cursor => cursor.u8() !== 0 },
  10: { bytes: 8, take: cursor => cursor.u64() },
  11: { bytes: 8, take: cursor => cursor.i64() },
  12: { bytes: 8, take: cursor => cursor.f64() },
};
/** In memory. */
const valueBytes = (value: GgufValue): number =>
  typeof value === 'string'
    ? 2 * value.length
    : typeof value === 'object' && 'length' in value
      ? 8 * value.length
      : 0;

/** In memory: of a map's entry, and of a tensor with what is made of it. */
const ENTRY_BYTES = 128;
const TENSOR_BYTES = 512;
const STRING = 8;
const ARRAY = 9;
/** "GGUF", little-endian. */
const MAGIC = 0x46_55_47_47;
const FIXED_BYTES = 24;
const ALIGNMENT = 32;
const ALIGNMENT_MAX = 2 ** 20;
const DIMENSIONS_MAX = 8;
const ENTRIES_MAX = 1_000_000;
const STRING_BYTES_MAX = 16 * 2 ** 20;
/** Chat templates are longer than any other text that a model has, and are not needed. */
const KEPT_BYTES_MAX = 4_096;
const KEY_BYTES_MAX = 65_536;
/** One a layer: heads, windows. */
const LIST_NUMBERS_MAX = 4_096;
