// A matrix times a vector in single precision, as decoding reads weights: every entry once, the vector from the cache. Four
// rows at a time, far apart, because one alone keeps too few reads in flight.

import {
  assembleModule,
  type Code,
  code,
  f32x4Add,
  f32x4Multiply,
  f32x4RelaxedMultiplyAdd,
  i32Add,
  i32Const,
  i32LessUnsigned,
  localGet,
  localSet,
  localTee,
  loopWhile,
  times,
  v128Load,
  v128Store,
} from './assembler.ts';
import { isWasmValid, type WasmMemory, wasmFunctions } from './engine.ts';
import { READ_STEP_BYTES, READ_STREAM_BYTES, READ_STREAMS } from './memory-kernels.ts';

/** Result of one call: as many rows as streams. */
export const GEMV_RESULT_BYTES: number = 16 * READ_STREAMS;

interface GemvKernel {
  /**
   * The products of READ_STREAMS rows, READ_STREAM_BYTES apart, with a vector. Each leaves four partial sums, 16 bytes a row, at
   * `result`. Addresses in bytes, multiples of 16; `rowBytes` a multiple of READ_STEP_BYTES.
   */
  multiplyRows(matrix: number, vector: number, result: number, rowBytes: number): void;
}

export const gemvKernel = (memory: WasmMemory): GemvKernel => {
  const fused = moduleOf(true);
  const multiplyRows = wasmFunctions(isWasmValid(fused) ? fused : moduleOf(false), memory)('multiplyRows');
  return {
    multiplyRows: (matrix, vector, result, rowBytes) =>
      void multiplyRows(matrix, vector, result, matrix + rowBytes),
  };
};

const MATRIX = 0;
const VECTOR = 1;
const RESULT = 2;
const END = 3;
const PART = 4;
const FIRST_SUM = 5;
/** Sums for each row: with one, every addition would wait for the previous one. */
const SUMS = 2;
const LINE_BYTES = 64;
const LINES: number = READ_STEP_BYTES / LINE_BYTES;

const sumOf = (row: number, turn: number): number => FIRST_SUM + row * SUMS + (turn % SUMS);

const moduleOf = (isFused: boolean): Uint8Array<ArrayBuffer> =>
  assembleModule([
    {
      name: 'multiplyRows',
      parameters: ['i32', 'i32', 'i32', 'i32'],
      result: 'none',
      locals: new Array<'v128'>(1 + READ_STREAMS * SUMS).fill('v128'),
      body: code(
        loopWhile(
          code(
            // The first vector of every line before all second ones: the later ones find their line already loading.
            times(LINE_BYTES / 16, vector =>
              times(LINES, line => multiplied(line * LINE_BYTES + vector * 16, line, isFused)),
            ),
            advance(VECTOR),
            localSet(VECTOR),
            advance(MATRIX),
            localTee(MATRIX),
            localGet(END),
            i32LessUnsigned,
          ),
        ),
        times(READ_STREAMS, row =>
          code(
            localGet(RESULT),
            localGet(sumOf(row, 0)),
            localGet(sumOf(row, 1)),
            f32x4Add,
            v128Store(16 * row),
          ),
        ),
      ),
    },
  ]);

const multiplied = (at: number, turn: number, isFused: boolean): Code =>
  code(
    localGet(VECTOR),
    v128Load(at),
    localSet(PART),
    times(READ_STREAMS, row => {
      const sum = sumOf(row, turn);
      const entry = code(localGet(MATRIX), v128Load(row * READ_STREAM_BYTES + at));
      return isFused
        ? code(entry, localGet(PART), localGet(sum), f32x4RelaxedMultiplyAdd, localSet(sum))
        : code(localGet(sum), entry, localGet(PART), f32x4Multiply, f32x4Add, localSet(sum));
    }),
  );

const advance = (local: number): Code => code(localGet(local), i32Const(READ_STEP_BYTES), i32Add);
