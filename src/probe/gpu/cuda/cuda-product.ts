// The half-precision matrix product of a device, by the library that runners use themselves: what prefill can reach.

import { errorMessage } from '../../../core/problem.ts';
import type { Reported } from '../../../core/unknown.ts';
import { unknown } from '../../../core/unknown.ts';
import type { CublasLt, HalfProduct } from '../../../native/cublas.ts';
import { CublasError } from '../../../native/cublas.ts';
import type { CudaDriver } from '../../../native/cuda-driver.ts';
import { CudaError, isLost } from '../../../native/cuda-driver.ts';
import { anyHalfValue, halfValue, randomHalves } from '../random-halves.ts';
import type { CudaRequest } from './cuda-request.ts';
import type { DeviceBuffer } from './device-buffer.ts';
import { deviceBuffer, fillDevice } from './device-buffer.ts';
import type { BatchOptions } from './timed-batches.ts';
import { timeBatches } from './timed-batches.ts';

export interface CudaProduct {
  readonly flopsPerSecond: Reported<number>;
  readonly method: string;
}

/** @throws CudaError when the process is lost. */
export const measureCudaProduct = (
  driver: CudaDriver,
  cublas: CublasLt,
  { productSizes, batches }: Pick<CudaRequest, 'productSizes' | 'batches'>,
): CudaProduct => {
  const { freeBytes } = driver.memory();
  const size = productSizes.find(candidate => bytesFor(candidate) <= freeBytes * FREE_SHARE_MAX);
  if (size === undefined) {
    const free = Math.floor(freeBytes / 1024 ** 2);
    return {
      flopsPerSecond: unknown(`only ${free} MiB of device memory are free: too little for a matrix product`),
      method: 'product not measured',
    };
  }
  try {
    return measured(driver, cublas, size, batches);
  } catch (error) {
    if (error instanceof CudaError && isLost(error.code)) throw error;
    const reason = errorMessage(error);
    return { flopsPerSecond: unknown(reason), method: 'product not measured' };
  }
};

const measured = (driver: CudaDriver, cublas: CublasLt, size: number, batches: BatchOptions): CudaProduct => {
  const matrixBytes = 2 * size * size;
  using a = deviceBuffer(driver, matrixBytes);
  using b = deviceBuffer(driver, matrixBytes);
  using d = deviceBuffer(driver, matrixBytes);
  using workspace = deviceBuffer(driver, WORKSPACE_BYTES);
  const patternA = randomHalves(PATTERN_HALVES, 2);
  const patternB = randomHalves(PATTERN_HALVES, 3);
  fillDevice(driver, a, patternA);
  fillDevice(driver, b, patternB);
  const product = cublas.halfProduct({
    size,
    a: a.address,
    b: b.address,
    d: d.address,
    workspace: workspace.address,
    workspaceBytes: WORKSPACE_BYTES,
  });
  const way = fastestWay(driver, product);
  const { bestMs } = timeBatches(driver, () => product.enqueue(way), batches);
  checkProduct({ driver, d, size, patternA, patternB });
  return {
    flopsPerSecond: (2 * size ** 3 * 1_000) / bestMs,
    method: `product: cuBLASLt ${cublas.version}, FP16 with FP32 sums, ${size}×${size}, best of ${batches.batches} batches`,
  };
};

/** The library's own guess is not always its best. */
const fastestWay = (driver: CudaDriver, product: HalfProduct): number => {
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
  readonly size: number;
  readonly patternA: Uint16Array;
  readonly patternB: Uint16Array;
}

const checkProduct = ({ driver, d, size, patternA, patternB }: ProductParts): void => {
  const entry = new Uint16Array(1);
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const row = (sample * 7_919) % size;
    const column = (sample * 104_729 + sample) % size;
    let expected = 0;
    for (let step = 0; step < size; step += 1) {
      // Both are stored by column, A transposed: its row is a column.
      const inA = patternA[(row * size + step) % patternA.length] ?? 0;
      const inB = patternB[(column * size + step) % patternB.length] ?? 0;
      expected += halfValue(inA) * halfValue(inB);
    }
    driver.copyFromDevice(new Uint8Array(entry.buffer), d.address + BigInt(2 * (column * size + row)));
    const found = anyHalfValue(entry[0] ?? 0);
    if (!(Math.abs(found - expected) <= ERROR_MAX + Math.abs(expected) * RELATIVE_ERROR_MAX)) {
      throw new Error(`the result is wrong at ${row}, ${column}: ${found} instead of ${expected.toFixed(3)}`);
    }
  }
};

const bytesFor = (size: number): number => 3 * 2 * size * size + WORKSPACE_BYTES;

/** What Hopper and later need. */
const WORKSPACE_BYTES: number = 32 * 1024 ** 2;
const FREE_SHARE_MAX = 0.75;
/** No divisor of a row's length, so that rows differ. */
const PATTERN_HALVES = 2_097_143;
const TRIAL_TURNS = 3;
const SAMPLES = 16;
/** A result of 16 bits is rounded at 2^-11 of its size. */
const RELATIVE_ERROR_MAX: number = 2 ** -10;
/** Tensor cores truncate where a processor rounds: up to 2^-23 of the largest sum, 8,192 times. Sums are about 50. */
const ERROR_MAX = 0.25;
