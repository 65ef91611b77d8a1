// A whole matrix product by the WebAssembly kernel, in one thread's own memory: for machines without a BLAS library.

import { wasmMemory } from '../../wasm/engine.ts';
import { gemmKernel, TILE_COLUMNS, TILE_ROWS } from '../../wasm/gemm-kernel.ts';
import { matrixEntry } from './matrix-entries.ts';

/** A multiple of both sides of a tile and of DEPTH. */
export const WASM_GEMM_SIZE = 768;

interface WasmGemm {
  readonly isFused: boolean;
  /** C = A × B, all of WASM_GEMM_SIZE squared. */
  multiply(): void;
  /** An entry of the last product. */
  result(row: number, column: number): number;
}

/** A and B are filled with `matrixEntry`. */
export const wasmGemm = (): WasmGemm => {
  const size = WASM_GEMM_SIZE;
  const matrixBytes = 4 * size * size;
  const memory = wasmMemory(3 * matrixBytes);
  const a = new Float32Array(memory.buffer, 0, size * size);
  const b = new Float32Array(memory.buffer, matrixBytes, size * size);
  const c = new Float32Array(memory.buffer, 2 * matrixBytes, size * size);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      a[packed(row, column, TILE_ROWS)] = matrixEntry('a', row, column);
      b[packed(column, row, TILE_COLUMNS)] = matrixEntry('b', row, column);
    }
  }
  const kernel = gemmKernel(memory);
  return {
    isFused: kernel.isFused,
    multiply: () => {
      c.fill(0);
      for (let step = 0; step < size; step += DEPTH) {
        for (let column = 0; column < size; column += TILE_COLUMNS) {
          const stripe = matrixBytes + 4 * (column * size + step * TILE_COLUMNS);
          for (let row = 0; row < size; row += TILE_ROWS) {
            const tile = 2 * matrixBytes + 4 * (row * size + column);
            kernel.addTile(4 * (row * size + step * TILE_ROWS), stripe, tile, DEPTH, 4 * size);
          }
        }
      }
    },
    result: (row, column) => c[row * size + column] ?? Number.NaN,
  };
};

/** Rows of A, or columns of B, in bundles of a tile's side: within one, all of step 0, then all of step 1. */
const packed = (line: number, step: number, side: number): number =>
  (line - (line % side)) * WASM_GEMM_SIZE + step * side + (line % side);

/** Steps of one stripe: 12 KiB of B stay in the L1 cache while A streams past. */
const DEPTH = 256;
