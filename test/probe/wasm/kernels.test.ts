import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assembleModule, code, i32Add, i32Const, localGet } from '../../../src/probe/wasm/assembler.ts';
import { wasmFunctions, wasmMemory } from '../../../src/probe/wasm/engine.ts';
import { gemmKernel, TILE_COLUMNS, TILE_ROWS } from '../../../src/probe/wasm/gemm-kernel.ts';
import { GEMV_RESULT_BYTES, gemvKernel } from '../../../src/probe/wasm/gemv-kernel.ts';
import {
  memoryKernels,
  READ_STEP_BYTES,
  READ_STREAM_BYTES,
  READ_STREAMS,
} from '../../../src/probe/wasm/memory-kernels.ts';

const PAGE = 65_536;
/** An odd number without a pattern in its bits. */
const WEYL = 0x9e37_79b9_7f4a_7c15n;

describe('the assembler', () => {
  test('writes every 32-bit constant as the engine reads it', () => {
    const memory = wasmMemory(PAGE);
    fc.assert(
      fc.property(fc.integer(), constant => {
        const module = assembleModule([
          {
            name: 'plus',
            parameters: ['i32'],
            result: 'i32',
            locals: [],
            body: code(localGet(0), i32Const(constant), i32Add),
          },
        ]);
        expect(wasmFunctions(module, memory)('plus')(7)).toBe((constant + 7) | 0);
      }),
    );
  });

  test('makes a module in which a missing function is an error, not a silent nothing', () => {
    const functionNamed = wasmFunctions(assembleModule([]), wasmMemory(PAGE));
    expect(() => functionNamed('sum')).toThrow('exports no function sum');
  });
});

describe('the kernel that reads', () => {
  test('adds up every 64-bit word of its part of each stream and nothing next to it', () => {
    const memory = wasmMemory(READ_STREAMS * READ_STREAM_BYTES);
    const { sum } = memoryKernels(memory);
    const words = new BigUint64Array(memory.buffer);
    for (let at = 0; at < words.length; at += 1) words[at] = BigInt.asUintN(64, WEYL * BigInt(at + 1));
    const sumOf = (offset: number, bytes: number): bigint =>
      words
        .subarray(offset / 8, (offset + bytes) / 8)
        .reduce((total, word) => BigInt.asUintN(64, total + word), 0n);
    fc.assert(
      fc.property(fc.nat({ max: 64 }), fc.integer({ min: 1, max: 64 }), (first, count) => {
        const [offset, bytes] = [first * READ_STEP_BYTES, count * READ_STEP_BYTES];
        const expected = Array.from({ length: READ_STREAMS }, (_, stream) =>
          sumOf(offset + stream * READ_STREAM_BYTES, bytes),
        ).reduce((total, part) => BigInt.asUintN(64, total + part), 0n);
        expect(sum(offset, bytes)).toBe(expected);
      }),
      { numRuns: 50 },
    );
    expect(sum(0, READ_STREAM_BYTES)).toBe(sumOf(0, memory.buffer.byteLength));
  });
});

describe('the kernel that copies', () => {
  test('moves every byte, also where source and sink overlap', () => {
    const memory = wasmMemory(PAGE);
    const { copy } = memoryKernels(memory);
    const bytes = new Uint8Array(memory.buffer);
    fc.assert(
      fc.property(
        fc.nat({ max: 5_000 }),
        fc.nat({ max: 5_000 }),
        fc.nat({ max: 5_000 }),
        (sink, source, length) => {
          for (let at = 0; at < 10_100; at += 1) bytes[at] = (at * 31) % 251;
          const expected = bytes.slice(0, 10_100);
          expected.copyWithin(sink, source, source + length);
          copy(sink, source, length);
          expect(Buffer.compare(Buffer.from(expected), Buffer.from(bytes.slice(0, 10_100)))).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('cannot reach past its memory', () => {
    const { copy, sum } = memoryKernels(wasmMemory(PAGE));
    expect(() => copy(0, PAGE - 8, 16)).toThrow(/out of bounds/);
    expect(() => sum(PAGE, READ_STEP_BYTES)).toThrow(/out of bounds/);
  });
});

describe('the kernel that multiplies a matrix with a vector', () => {
  test('gives the product of each of its four rows, for rows of any length', () => {
    const columnsMax = (4 * READ_STEP_BYTES) / 4;
    const [vectorAt, resultAt] = [READ_STREAMS * READ_STREAM_BYTES, READ_STREAMS * READ_STREAM_BYTES + 8_192];
    const memory = wasmMemory(resultAt + GEMV_RESULT_BYTES);
    const { multiplyRows } = gemvKernel(memory);
    const floats = new Float32Array(memory.buffer);
    fc.assert(
      fc.property(fc.nat({ max: 64 }), fc.integer({ min: 1, max: 4 }), fc.integer(), (first, steps, seed) => {
        // Whole numbers: their products and sums are exact, fused or not.
        const entry = (at: number): number => (Math.imul(seed + at, 0x9e37_79b1) >>> 28) - 8;
        const columns = (steps * READ_STEP_BYTES) / 4;
        const rowAt = (row: number): number => (first * READ_STEP_BYTES + row * READ_STREAM_BYTES) / 4;
        for (let column = 0; column < columnsMax; column += 1) {
          floats[vectorAt / 4 + column] = entry(column);
          for (let row = 0; row < READ_STREAMS; row += 1)
            floats[rowAt(row) + column] = entry(7 * row + 3 * column);
        }
        multiplyRows(first * READ_STEP_BYTES, vectorAt, resultAt, 4 * columns);
        for (let row = 0; row < READ_STREAMS; row += 1) {
          let expected = 0;
          for (let column = 0; column < columns; column += 1)
            expected += entry(column) * entry(7 * row + 3 * column);
          const lanes = floats.subarray(resultAt / 4 + 4 * row, resultAt / 4 + 4 * row + 4);
          expect(lanes.reduce((sum, lane) => sum + lane, 0)).toBe(expected);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('the kernel that multiplies', () => {
  test('adds the product of a stripe to its tile, and leaves what is next to the tile alone', () => {
    const memory = wasmMemory(PAGE);
    const kernel = gemmKernel(memory);
    const floats = new Float32Array(memory.buffer);
    const stride = TILE_COLUMNS + 4;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer(), (depth, seed) => {
        // Whole numbers: their products and sums are exact, fused or not.
        const entry = (at: number): number => (Math.imul(seed + at, 0x9e37_79b1) >>> 28) - 8;
        for (let at = 0; at < floats.length; at += 1) floats[at] = entry(at);
        const [a, b, c] = [0, 1_024, 4_096];
        const expected = floats.slice();
        for (let row = 0; row < TILE_ROWS; row += 1) {
          for (let column = 0; column < TILE_COLUMNS; column += 1) {
            let sum = floats[c + row * stride + column] ?? 0;
            for (let step = 0; step < depth; step += 1) {
              sum +=
                (floats[a + step * TILE_ROWS + row] ?? 0) * (floats[b + step * TILE_COLUMNS + column] ?? 0);
            }
            expected[c + row * stride + column] = sum;
          }
        }
        kernel.addTile(4 * a, 4 * b, 4 * c, depth, 4 * stride);
        expect(floats.every((value, at) => value === expected[at])).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
