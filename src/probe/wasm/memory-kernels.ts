// The two loops of the memory probe: a sum that reads every byte once, and a copy. Both run inside one WebAssembly
// memory, so the engine checks the bounds of every address.

import {
  assembleModule,
  code,
  i32Add,
  i32Const,
  i32LessUnsigned,
  i64Add,
  i64x2Add,
  i64x2Lane,
  localGet,
  localSet,
  localTee,
  loopWhile,
  memoryCopy,
  times,
  v128Load,
} from './assembler.ts';
import { type WasmMemory, wasmFunctions } from './engine.ts';

/** The sum reads this many streams at a time, this far apart: one alone keeps too few reads in flight. */
export const READ_STREAMS = 4;
export const READ_STREAM_BYTES: number = 1024 ** 2;
/** Step of the sum's loop in each stream. */
export const READ_STEP_BYTES = 512;

interface MemoryKernels {
  /**
   * The sum of 64-bit words, modulo 2^64, of `bytes` at `offset` and at each READ_STREAM_BYTES after it,
   * READ_STREAMS times. Reads each byte once. `bytes` is a multiple of READ_STEP_BYTES, at least one, at most
   * READ_STREAM_BYTES.
   */
  sum(offset: number, bytes: number): bigint;
  /** The engine's memmove, which is the C library's. */
  copy(sink: number, source: number, bytes: number): void;
}

export const memoryKernels = (memory: WasmMemory): MemoryKernels => {
  const functionNamed = wasmFunctions(MODULE, memory);
  const sum = functionNamed('sum');
  const copy = functionNamed('copy');
  return {
    sum: (offset, bytes) => BigInt.asUintN(64, BigInt(sum(offset, bytes) ?? 0)),
    copy: (sink, source, bytes) => void copy(sink, source, bytes),
  };
};

/** Independent sums: one would make every addition wait for the one before it. */
const ACCUMULATORS = 8;
const LINE_BYTES = 64;

/** The first vector of every line before all second ones: the later ones find their line already loading. */
const LOADS: readonly number[] = Array.from({ length: LINE_BYTES / 16 }, (_, vector) =>
  Array.from({ length: READ_STEP_BYTES / LINE_BYTES }, (__, line) =>
    Array.from(
      { length: READ_STREAMS },
      (___, stream) => stream * READ_STREAM_BYTES + line * LINE_BYTES + vector * 16,
    ),
  ).flat(),
).flat();

const OFFSET = 0;
const BYTES = 1;
const END = 2;
const FIRST_SUM = 3;

const MODULE: Uint8Array<ArrayBuffer> = assembleModule([
  {
    name: 'sum',
    parameters: ['i32', 'i32'],
    result: 'i64',
    locals: ['i32', ...new Array<'v128'>(ACCUMULATORS).fill('v128')],
    body: code(
      localGet(OFFSET),
      localGet(BYTES),
      i32Add,
      localSet(END),
      loopWhile(
        code(
          ...LOADS.map((at, index) => {
            const sum = FIRST_SUM + (index % ACCUMULATORS);
            return code(localGet(sum), localGet(OFFSET), v128Load(at), i64x2Add, localSet(sum));
          }),
          localGet(OFFSET),
          i32Const(READ_STEP_BYTES),
          i32Add,
          localTee(OFFSET),
          localGet(END),
          i32LessUnsigned,
        ),
      ),
      localGet(FIRST_SUM),
      times(ACCUMULATORS - 1, index => code(localGet(FIRST_SUM + 1 + index), i64x2Add)),
      localTee(FIRST_SUM),
      i64x2Lane(0),
      localGet(FIRST_SUM),
      i64x2Lane(1),
      i64Add,
    ),
  },
  {
    name: 'copy',
    parameters: ['i32', 'i32', 'i32'],
    result: 'none',
    locals: [],
    body: code(localGet(0), localGet(1), localGet(2), memoryCopy),
  },
]);
