// The matrix product of the processors, by the best method of this machine: a BLAS library, else our own WebAssembly.
// Single precision: few processors multiply half precision faster, and no library here supports that.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { maximumOf } from '../../../core/extremes.ts';
import { counted } from '../../../core/figure/figure.ts';
import { type Blas, openBlas } from '../../../native/blas.ts';
import { loadKoffi } from '../../../native/load-koffi.ts';
import type { Env } from '../../../process/child.ts';
import { entryUrl } from '../../../process/entry.ts';
import { SharedRounds } from '../../shared-rounds.ts';
import {
  type FromGemmWorker,
  type GemmRound,
  type GemmWorkerData,
  matrixEntry,
  productDefect,
} from './matrix-entries.ts';
import { WASM_GEMM_SIZE } from './wasm-gemm.ts';

interface CpuProduct {
  readonly flopsPerSecond: number;
  readonly method: string;
}

interface CpuProductOptions {
  readonly platform: string;
  readonly env: Env;
  readonly threads: number;
  readonly rounds: number;
  readonly durationMs: number;
  /** false: WebAssembly, even if a BLAS library is installed. */
  readonly usesBlas: boolean;
}

/** @throws if a product is wrong or a thread fails. */
export const measureCpuProduct = async (options: CpuProductOptions): Promise<CpuProduct> => {
  const { platform, env, threads, usesBlas } = options;
  if (!usesBlas) return await wasmProduct(options, '');
  const koffi = await loadKoffi(env);
  if (koffi.kind === 'missing') return await wasmProduct(options, koffi.reason);
  const search = openBlas(koffi.koffi, { platform, env, threads });
  if (search.kind === 'missing') return await wasmProduct(options, search.reason);
  return blasProduct(search.blas, options);
};

const blasProduct = (blas: Blas, { rounds, durationMs, threads }: CpuProductOptions): CpuProduct => {
  const size = BLAS_SIZE;
  const a = Float32Array.from({ length: size * size }, (_, at) =>
    matrixEntry('a', Math.floor(at / size), at % size),
  );
  const b = Float32Array.from({ length: size * size }, (_, at) =>
    matrixEntry('b', Math.floor(at / size), at % size),
  );
  const c = new Float32Array(size * size);
  blas.sgemm(size, a, b, c); // starts its threads
  const defect = productDefect(size, (row, column) => c[row * size + column] ?? Number.NaN);
  if (defect !== undefined) throw new Error(`${blas.name}: ${defect}`);
  const rates = Array.from({ length: rounds }, () => {
    const startedMs = performance.now();
    let products = 0;
    let elapsedMs = 0;
    do {
      blas.sgemm(size, a, b, c);
      products += 1;
      elapsedMs = performance.now() - startedMs;
    } while (elapsedMs < durationMs);
    return (products * 2 * size ** 3 * 1_000) / elapsedMs;
  });
  return {
    flopsPerSecond: maximumOf(rates),
    method: `sgemm of ${blas.name}, ${size}×${size}, ${counted(threads, 'thread')}, best of ${rounds}`,
  };
};

const wasmProduct = async (
  { threads, rounds, durationMs }: CpuProductOptions,
  reason: string,
): Promise<CpuProduct> => {
  const board = new SharedRounds(threads);
  const workerData: GemmWorkerData = { board: board.memory, threads };
  const workers = Array.from(
    { length: threads },
    (_, index) =>
      new Worker(entryUrl(import.meta.url, './gemm-worker.ts'), {
        workerData,
        name: `plimsoll gemm ${index}`,
      }),
  );
  try {
    const ready = await Promise.all(workers.map(answerOf));
    const rates: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const answers = workers.map(answerOf);
      const message: GemmRound = { round, durationMs };
      for (const worker of workers) worker.postMessage(message);
      rates.push((await Promise.all(answers)).reduce((sum, answer) => sum + rateOf(answer), 0));
    }
    const isFused = ready.every(answer => answer.kind === 'ready' && answer.isFused);
    const why = reason === '' ? '' : ` (${reason})`;
    return {
      flopsPerSecond: maximumOf(rates),
      method: `FP32 product by 128-bit WebAssembly vectors${isFused ? '' : ' without fused multiply-add'}, ${WASM_GEMM_SIZE}×${WASM_GEMM_SIZE} in each of ${counted(threads, 'thread')}, best of ${rounds}${why}`,
    };
  } finally {
    await Promise.all(workers.map(worker => worker.terminate()));
  }
};

const answerOf = async (worker: Worker): Promise<FromGemmWorker> => {
  const [answer]: FromGemmWorker[] = await once(worker, 'message');
  if (answer === undefined) throw new Error('a thread of the matrix multiplication did not respond');
  return answer;
};

const rateOf = (answer: FromGemmWorker): number =>
  answer.kind === 'measured' && answer.elapsedMs > 0
    ? (answer.products * 2 * WASM_GEMM_SIZE ** 3 * 1_000) / answer.elapsedMs
    : 0;

const BLAS_SIZE = 2_048;
