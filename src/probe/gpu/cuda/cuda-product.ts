// The matrix products of a device, by the library that runners use themselves: what prefill can reach in the precision of the
// engine, and what decoding reads weights with.

import { errorMessage } from '../../../core/problem.ts';
import { type Reported, unknown } from '../../../core/unknown.ts';
import { CublasError, type CublasLt, type Product } from '../../../native/cublas.ts';
import { type CudaDriver, CudaError, isLost } from '../../../native/cuda-driver.ts';
import type { CudaRequest } from './cuda-request.ts';
import { FP16, type ProductKind } from './product-kinds.ts';
import {
  type BatchOptions,
  type DeviceBuffer,
  deviceBuffer,
  fillDevice,
  timeBatches,
} from './timed-batches.ts';

export interface CudaProduct {
  /** Operations, or bytes of the matrix. */
  readonly perSecond: Reported<number>;
  /** '' if it was not measured. */
  readonly method: string;
}

interface Shape {
  readonly kind: ProductKind;
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

/**
 * Products of square matrices.
 * @throws CudaError when the process is lost.
 */
export const measureCudaProduct = (
  driver: CudaDriver,
  cublas: CublasLt,
  kind: ProductKind,
  { productSizes, batches }: Pick<CudaRequest, 'productSizes' | 'batches'>,
): CudaProduct => {
  const square = (size: number): Shape => ({ kind, rows: size, columns: size, depth: size });
  const { freeBytes } = driver.memory();
  const size = productSizes.find(candidate => bytesFor(square(candidate)) <= freeBytes * FREE_SHARE_MAX);
  if (size === undefined) return tooLittle(freeBytes);
  return attempted(() => ({
    perSecond: (2 * size ** 3 * 1_000) / timeProduct(driver, cublas, square(size), batches),
    method: `product: cuBLASLt ${cublas.version}, ${kind.text}, ${size}×${size}, best of ${batches.batches} batches`,
  }));
};

/**
 * The product of a matrix far larger than the last-level cache with a vector, in FP16.
 * @throws CudaError when the process is lost.
 */
export const measureCudaGemv = (
  driver: CudaDriver,
  cublas: CublasLt,
  { gemvBytes, batches }: Pick<CudaRequest, 'gemvBytes' | 'batches'>,
): CudaProduct => {
  const { freeBytes } = driver.memory();
  const bytes = Math.min(gemvBytes, freeBytes * GEMV_SHARE);
  const rows = Math.floor(bytes / (FP16.inputBytes * GEMV_DEPTH * ROWS_UNIT)) * ROWS_UNIT;
  const shape: Shape = { kind: FP16, rows, columns: 1, depth: GEMV_DEPTH };
  if (rows === 0 || bytesFor(shape) > freeBytes * FREE_SHARE_MAX) return tooLittle(freeBytes);
  return attempted(() => ({
    perSecond: (FP16.inputBytes * rows * GEMV_DEPTH * 1_000) / timeProduct(driver, cublas, shape, batches),
    method: `GEMV: cuBLASLt, FP16, ${rows}×${GEMV_DEPTH}`,
  }));
};

const tooLittle = (freeBytes: number): CudaProduct => ({
  perSecond: unknown(
    `only ${Math.floor(freeBytes / 1024 ** 2)} MiB of device memory are free: too little for a matrix product`,
  ),
  method: '',
});

const attempted = (measure: () => CudaProduct): CudaProduct => {
  try {
    return measure();
  } catch (error) {
    if (error instanceof CudaError && isLost(error.code)) throw error;
    return { perSecond: unknown(errorMessage(error)), method: '' };
  }
};

/**
 * Ms of one product in the fastest batch.
 * @throws where the library refuses or a result is wrong.
 */
const timeProduct = (driver: CudaDriver, cublas: CublasLt, shape: Shape, batches: BatchOptions): number => {
  const { kind, rows, columns, depth } = shape;
  using a = deviceBuffer(driver, kind.inputBytes * rows * depth);
  using b = deviceBuffer(driver, kind.inputBytes * columns * depth);
  using d = deviceBuffer(driver, kind.outputBytes * rows * columns);
  using workspace = deviceBuffer(driver, WORKSPACE_BYTES);
  const patternA = kind.pattern(PATTERN_COUNT, 2);
  const patternB = kind.pattern(PATTERN_COUNT, 3);
  fillDevice(driver, a, patternA);
  fillDevice(driver, b, patternB);
  const product = cublas.product({
    precision: kind.precision,
    rows,
    columns,
    depth,
    a: a.address,
    b: b.address,
    d: d.address,
    workspace: workspace.address,
    workspaceBytes: WORKSPACE_BYTES,
  });
  const way = fastestWay(driver, product);
  const { bestMs } = timeBatches(driver, () => product.enqueue(way), batches);
  checkProduct({ driver, d, shape, patternA, patternB });
  return bestMs;
};

/** The library's own guess is not always its best. */
const fastestWay = (driver: CudaDriver, product: Product): number => {
  let fastest: { readonly way: number; readonly ms: number } | undefined;
  for (let way = 0; way < product.ways; way += 1) {
    try {
      product.enqueue(way); // the first one loads its kernel
      const ms = driver.elapsedMs(() => {
        for (let turn = 0; turn < TRIAL_TURNS; turn += 1) product.enqueue(way);
      });
      if (fastest === undefined || ms < fastest.ms) fastest = { way, ms };
    } catch (error) {
      // If the device cannot run one that the library offers, the others are still tried.
      if (!(error instanceof CublasError)) throw error;
    }
  }
  if (fastest === undefined)
    throw new Error('cuBLAS has no algorithm to multiply these matrices on this device');
  return fastest.way;
};

interface ProductParts {
  readonly driver: CudaDriver;
  readonly d: DeviceBuffer;
  readonly shape: Shape;
  readonly patternA: Uint8Array | Uint16Array;
  readonly patternB: Uint8Array | Uint16Array;
}

const checkProduct = ({ driver, d, shape, patternA, patternB }: ProductParts): void => {
  const { kind, rows, columns, depth } = shape;
  const entry = new DataView(new ArrayBuffer(kind.outputBytes));
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const row = (sample * 7_919) % rows;
    const column = (sample * 104_729 + sample) % columns;
    let expected = 0;
    for (let step = 0; step < depth; step += 1) {
      // Both are stored by column, A transposed: its row is a column.
      const inA = patternA[(row * depth + step) % patternA.length] ?? 0;
      const inB = patternB[(column * depth + step) % patternB.length] ?? 0;
      expected += kind.inputValue(inA) * kind.inputValue(inB);
    }
    const at = BigInt(kind.outputBytes * (column * rows + row));
    driver.copyFromDevice(new Uint8Array(entry.buffer), d.address + at);
    const found = kind.outputValue(entry);
    if (!(Math.abs(found - expected) <= kind.tolerance(expected))) {
      throw new Error(`the result is wrong at ${row}, ${column}: ${found} instead of ${expected.toFixed(3)}`);
    }
  }
};

const bytesFor = ({ kind, rows, columns, depth }: Shape): number =>
  kind.inputBytes * (rows + columns) * depth + kind.outputBytes * rows * columns + WORKSPACE_BYTES;

/** What Hopper and later need. */
const WORKSPACE_BYTES: number = 32 * 1024 ** 2;
const FREE_SHARE_MAX = 0.75;
/** Share of memory for the matrix of the product with a vector. */
const GEMV_SHARE = 1 / 4;
/** The width of large models. */
const GEMV_DEPTH = 8_192;
const ROWS_UNIT = 64;
/** No divisor of a row's length, so that rows differ. */
const PATTERN_COUNT = 2_097_143;
const TRIAL_TURNS = 3;
const SAMPLES = 16;
