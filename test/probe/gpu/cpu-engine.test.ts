import { describe, expect, test } from 'vitest';
import { cpuEngine } from '../../../src/probe/gpu/cpu/cpu-engine.ts';
import { matrixEntry, productDefect } from '../../../src/probe/gpu/cpu/matrix-entries.ts';
import { WASM_GEMM_SIZE, wasmGemm } from '../../../src/probe/gpu/cpu/wasm-gemm.ts';
import { CPU_DEVICE } from '../../../src/probe/gpu/probe-device.ts';

const measure = (usesBlas: boolean) =>
  cpuEngine(
    { env: process.env, nodePath: process.execPath },
    {
      memory: { rounds: 1, durationMs: 5, bytesMax: 16 * 1024 ** 2 },
      product: { rounds: 1, durationMs: 5, usesBlas },
    },
  ).measure(CPU_DEVICE, new AbortController().signal);

describe('the processor of a machine without a GPU', () => {
  test.each([
    ['by the best means it has', true],
    ['by WebAssembly', false],
  ])('is measured %s, and marked as a processor and a lower bound', async (_, usesBlas) => {
    const outcome = await measure(usesBlas);
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    expect(outcome.measurement).toMatchObject({
      deviceId: 'cpu',
      deviceKind: 'cpu',
      engine: 'cpu',
      isLowerBound: true,
      fp16FlopsPerSecond: { kind: 'unknown', reason: 'processors are measured in single precision' },
      fp32FlopsPerSecond: expect.any(Number),
    });
    const { fp32FlopsPerSecond: flops, memoryReadBytesPerSecond: read, method } = outcome.measurement;
    expect(flops).toBeGreaterThan(1e8);
    expect(flops).toBeLessThan(1e15);
    expect(read).toBeGreaterThan(1e7);
    if (!usesBlas) expect(method).toContain('WebAssembly vectors');
  });
});

describe('the matrix product by WebAssembly', () => {
  test('is right in every sampled entry, also when it is made again', () => {
    const gemm = wasmGemm();
    gemm.multiply();
    expect(productDefect(WASM_GEMM_SIZE, gemm.result)).toBeUndefined();
    gemm.multiply();
    expect(productDefect(WASM_GEMM_SIZE, gemm.result)).toBeUndefined();
  });
});

describe('the check of a product', () => {
  const size = 64;
  const right = (row: number, column: number): number =>
    Array.from(
      { length: size },
      (_, step) => matrixEntry('a', row, step) * matrixEntry('b', step, column),
    ).reduce((sum, product) => sum + product, 0);

  test('lets a right one pass, and names the place of a wrong one', () => {
    expect(productDefect(size, right)).toBeUndefined();
    expect(productDefect(size, (row, column) => right(column, row))).toMatch(
      /^the result is wrong at \d+, \d+/,
    );
    expect(productDefect(size, () => Number.NaN)).toMatch(/NaN instead of/);
  });

  test('multiplies numbers of either sign between a half and one', () => {
    const entries = Array.from({ length: 10_000 }, (_, at) =>
      matrixEntry('a', at % 100, Math.floor(at / 100)),
    );
    expect(entries.every(entry => Math.abs(entry) >= 0.5 && Math.abs(entry) < 1)).toBe(true);
    expect(entries.filter(entry => entry > 0).length).toBeGreaterThan(4_500);
    expect(entries.filter(entry => entry > 0).length).toBeLessThan(5_500);
    expect(new Set(entries).size).toBeGreaterThan(9_900);
  });
});
