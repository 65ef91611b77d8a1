// The inner loop of a matrix product in single precision: 4 rows by 12 columns of the result stay in registers while the
// products of one stripe are added up. Twelve accumulators keep a processor's multipliers busy; with three vectors of B
// and one of A they fill the 16 vector registers that x86-64 has.

import {
  assembleModule,
  type Code,
  code,
  f32x4Add,
  f32x4Multiply,
  f32x4RelaxedMultiplyAdd,
  i32Add,
  i32Const,
  i32Sub,
  localGet,
  localSet,
  localTee,
  loopWhile,
  times,
  v128Load,
  v128LoadFloatSplat,
  v128Store,
} from './assembler.ts';
import { isWasmValid, type WasmMemory, wasmFunctions } from './engine.ts';

export const TILE_ROWS = 4;
export const TILE_COLUMNS = 12;

interface GemmKernel {
  /** Whether multiply and add are one instruction, rounded once. */
  readonly isFused: boolean;
  /**
   * Adds to a tile of C the product of `depth` columns of A and rows of B. Addresses in bytes, multiples of 16.
   * A: TILE_ROWS floats for each step, one after another; B: TILE_COLUMNS floats for each step; C: rows `strideBytes` apart.
   */
  addTile(a: number, b: number, c: number, depth: number, strideBytes: number): void;
}

export const gemmKernel = (memory: WasmMemory): GemmKernel => {
  const fused = moduleOf(f32x4RelaxedMultiplyAdd);
  const isFused = isWasmValid(fused);
  const bytes = isFused ? fused : moduleOf(code(f32x4Multiply, f32x4Add));
  const addTile = wasmFunctions(bytes, memory)('addTile');
  return {
    isFused,
    addTile: (a, b, c, depth, strideBytes) => void addTile(a, b, c, depth, strideBytes),
  };
};

const A = 0;
const B = 1;
const C = 2;
const DEPTH = 3;
const STRIDE = 4;
const ROW = 5;
const VECTORS: number = TILE_COLUMNS / 4;
const FIRST_SUM = 6;
const FIRST_B: number = FIRST_SUM + TILE_ROWS * VECTORS;
const SPLAT: number = FIRST_B + VECTORS;

const sumOf = (row: number, vector: number): number => FIRST_SUM + row * VECTORS + vector;

/** `multiplyAdd` takes a, b and the sum from the stack; for a product and an addition a and b come last. */
const moduleOf = (multiplyAdd: Code): Uint8Array<ArrayBuffer> =>
  assembleModule([
    {
      name: 'addTile',
      parameters: ['i32', 'i32', 'i32', 'i32', 'i32'],
      result: 'none',
      locals: ['i32', ...new Array<'v128'>(TILE_ROWS * VECTORS + VECTORS + 1).fill('v128')],
      body: code(
        eachRow(row =>
          times(VECTORS, vector => code(localGet(ROW), v128Load(16 * vector), localSet(sumOf(row, vector)))),
        ),
        loopWhile(
          code(
            times(VECTORS, vector => code(localGet(B), v128Load(16 * vector), localSet(FIRST_B + vector))),
            times(TILE_ROWS, row =>
              code(
                localGet(A),
                v128LoadFloatSplat(4 * row),
                localSet(SPLAT),
                times(VECTORS, vector => accumulate(multiplyAdd, sumOf(row, vector), FIRST_B + vector)),
              ),
            ),
            localGet(A),
            i32Const(4 * TILE_ROWS),
            i32Add,
            localSet(A),
            localGet(B),
            i32Const(4 * TILE_COLUMNS),
            i32Add,
            localSet(B),
            localGet(DEPTH),
            i32Const(1),
            i32Sub,
            localTee(DEPTH),
          ),
        ),
        eachRow(row =>
          times(VECTORS, vector => code(localGet(ROW), localGet(sumOf(row, vector)), v128Store(16 * vector))),
        ),
      ),
    },
  ]);

const accumulate = (multiplyAdd: Code, sum: number, vectorOfB: number): Code =>
  multiplyAdd === f32x4RelaxedMultiplyAdd
    ? code(localGet(SPLAT), localGet(vectorOfB), localGet(sum), multiplyAdd, localSet(sum))
    : code(localGet(sum), localGet(SPLAT), localGet(vectorOfB), multiplyAdd, localSet(sum));

/** With ROW at the first row of C's tile, then at each next one. */
const eachRow = (part: (row: number) => Code): Code =>
  code(
    localGet(C),
    localSet(ROW),
    times(TILE_ROWS, row => code(part(row), localGet(ROW), localGet(STRIDE), i32Add, localSet(ROW))),
  );
