// Bytes of small WebAssembly modules, assembled from named instructions. The measuring kernels need vector instructions
// that JavaScript lacks, and a toolchain would be larger than the six loops. Encoding:
// https://webassembly.github.io/spec/core/binary/ (SIMD and relaxed SIMD included, WebAssembly 3.0).

type ValueType = 'i32' | 'i64' | 'f32' | 'v128';

/** Instructions as bytes; sequences are concatenated by `code`. */
export type Code = readonly number[];

interface WasmFunction {
  /** Exported by this name. */
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly result: ValueType | 'none';
  /** Numbered after the parameters. */
  readonly locals: readonly ValueType[];
  readonly body: Code;
}

/** A module that imports its one memory as `plimsoll.memory` and exports every function. */
export const assembleModule = (functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> => {
  const types = functions.map(({ parameters, result }) => [
    0x60,
    ...vector(parameters.map(type => [TYPES[type]])),
    ...(result === 'none' ? [0x00] : [0x01, TYPES[result]]),
  ]);
  const bodies = functions.map(({ locals, body }) => {
    const content = [...vector(locals.map(type => [0x01, TYPES[type]])), ...body, 0x0b];
    return [...unsigned(content.length), ...content];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types)),
    // A memory of at least one page; its real size is the importer's.
    ...section(2, vector([[...text('plimsoll'), ...text('memory'), 0x02, 0x00, 0x01]])),
    ...section(3, vector(functions.map((_, index) => unsigned(index)))),
    ...section(7, vector(functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]))),
    ...section(10, vector(bodies)),
  ]);
};

export const code = (...parts: readonly Code[]): Code => parts.flat();

/** Repeats a part; the index lets unrolled parts differ. */
export const times = (count: number, part: (index: number) => Code): Code =>
  Array.from({ length: count }, (_, index) => part(index)).flat();

export const localGet = (index: number): Code => [0x20, ...unsigned(index)];
export const localSet = (index: number): Code => [0x21, ...unsigned(index)];
export const localTee = (index: number): Code => [0x22, ...unsigned(index)];
export const i32Const = (value: number): Code => [0x41, ...signed(value)];
export const i32Add: Code = [0x6a];
export const i32Sub: Code = [0x6b];
export const i32LessUnsigned: Code = [0x49];
export const i64Add: Code = [0x7c];

/** Runs the body again as long as it leaves a value that is not zero on the stack. */
export const loopWhile = (body: Code): Code => [0x03, 0x40, ...body, 0x0d, 0x00, 0x0b];

/** Destination, source and length in bytes are on the stack. */
export const memoryCopy: Code = [0xfc, 0x0a, 0x00, 0x00];

/** The address is on the stack; `offset` in bytes. */
export const v128Load = (offset: number): Code => [...vectorOp(0x00), 0x04, ...unsigned(offset)];
/** One float at the address, in all four lanes. */
export const v128LoadFloatSplat = (offset: number): Code => [...vectorOp(0x09), 0x02, ...unsigned(offset)];
/** Address and value are on the stack. */
export const v128Store = (offset: number): Code => [...vectorOp(0x0b), 0x04, ...unsigned(offset)];
export const i64x2Add: Code = [0xfd, 0xce, 0x01];
export const i64x2Lane = (lane: 0 | 1): Code => [...vectorOp(0x1d), lane];
export const f32x4Add: Code = [0xfd, 0xe4, 0x01];
export const f32x4Multiply: Code = [0xfd, 0xe6, 0x01];
/** a × b + c, rounded once or twice depending on the machine. */
export const f32x4RelaxedMultiplyAdd: Code = [0xfd, 0x85, 0x02];

const vectorOp = (opcode: number): Code => [0xfd, ...unsigned(opcode)];

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];

const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];

const text = (value: string): Code => {
  const bytes = new TextEncoder().encode(value);
  return [...unsigned(bytes.length), ...bytes];
};

/** LEB128 */
const unsigned = (value: number): Code => {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest === 0 ? low : low + 128);
  } while (rest > 0);
  return bytes;
};

/** LEB128 of a 32-bit integer. */
const signed = (value: number): Code => {
  const bytes: number[] = [];
  let rest = value | 0;
  while (true) {
    const low = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
};

const TYPES: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, v128: 0x7b };
