// cuBLASLt, NVIDIA's matrix products in the precisions that engines use. Sizes and values as in the headers of 13.1. Needs a CUDA context that is current on this thread, and uses that one.

import type { CudaHandle } from './cuda-driver.ts';
import type { Koffi } from './load-koffi.ts';

export type ProductPrecision = 'fp16' | 'int8' | 'fp8';

export interface Product {
  /** How many algorithms the library offers, best guess first. */
  readonly ways: number;
  /** Puts one product on stream 0. @throws CublasError */
  enqueue(way: number): void;
}

interface ProductOptions {
  readonly precision: ProductPrecision;
  /** D = Aᵀ × B of rows × columns, all column by column: A is stored depth × rows, B depth × columns. */
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
  readonly a: CudaHandle;
  readonly b: CudaHandle;
  readonly d: CudaHandle;
  readonly workspace: CudaHandle;
  readonly workspaceBytes: number;
}

export interface CublasLt {
  /** 130101 for 13.1.1. */
  readonly version: number;
  /** @throws CublasError where it does not offer the precision on this device. */
  product(options: ProductOptions): Product;
}

export class CublasError extends Error {
  override readonly name = 'CublasError';
  /** cublasStatus_t */
  readonly code: number;

  constructor(code: number, call: string) {
    super(`${call}: ${MEANINGS.get(code) ?? 'cuBLAS failed'} (status ${code})`);
    this.code = code;
  }
}

/** @throws Error when the library cannot be loaded, CublasError when it refuses. */
export const openCublasLt = (koffi: Koffi, library: string): CublasLt => {
  const loaded = koffi.load(library);
  const call = (name: string, parameters: string): ((...values: readonly unknown[]) => void) => {
    const raw = loaded.func(`int ${name}(${parameters})`);
    return (...values) => {
      const code = Number(raw(...values));
      if (code !== 0) throw new CublasError(code, name);
    };
  };
  const makeDescription = call(
    'cublasLtMatmulDescCreate',
    '_Out_ uintptr_t *description, int32_t compute, int32_t scale',
  );
  const describe = call(
    'cublasLtMatmulDescSetAttribute',
    'uintptr_t description, int32_t attribute, const void *value, size_t bytes',
  );
  const makeLayout = call(
    'cublasLtMatrixLayoutCreate',
    '_Out_ uintptr_t *layout, int32_t type, uint64_t rows, uint64_t columns, int64_t leading',
  );
  const makePreference = call('cublasLtMatmulPreferenceCreate', '_Out_ uintptr_t *preference');
  const prefer = call(
    'cublasLtMatmulPreferenceSetAttribute',
    'uintptr_t preference, int32_t attribute, const void *value, size_t bytes',
  );
  const heuristic = call(
    'cublasLtMatmulAlgoGetHeuristic',
    'uintptr_t handle, uintptr_t description, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t preference, int32_t wanted, _Out_ uint8_t *results, _Out_ int32_t *got',
  );
  const multiply = call(
    'cublasLtMatmul',
    'uintptr_t handle, uintptr_t description, const void *alpha, uint64_t a, uintptr_t layoutA, uint64_t b, uintptr_t layoutB, const void *beta, uint64_t c, uintptr_t layoutC, uint64_t d, uintptr_t layoutD, const void *algorithm, uint64_t workspace, size_t workspaceBytes, uintptr_t stream',
  );
  const handle: unknown[] = [0];
  call('cublasLtCreate', '_Out_ uintptr_t *handle')(handle);
  return {
    version: Number(loaded.func('size_t cublasLtGetVersion()')()),
    product: ({ precision, rows, columns, depth, a, b, d, workspace, workspaceBytes }) => {
      const { input, output, compute, scale, one, zero } = PRECISIONS[precision];
      const description: unknown[] = [0];
      makeDescription(description, compute, scale);
      describe(description[0], TRANSPOSE_A, Int32Array.of(TRANSPOSED), 4);
      const layout = (type: number, height: number, width: number): unknown => {
        const made: unknown[] = [0];
        makeLayout(made, type, height, width, height);
        return made[0];
      };
      const layoutA = layout(input, depth, rows);
      const layoutB = layout(input, depth, columns);
      const layoutD = layout(output, rows, columns);
      const preference: unknown[] = [0];
      makePreference(preference);
      prefer(preference[0], WORKSPACE_BYTES_MAX, BigUint64Array.of(BigInt(workspaceBytes)), 8);
      const results = Buffer.alloc(WAYS_MAX * RESULT_BYTES);
      const got = [0];
      heuristic(
        handle[0],
        description[0],
        layoutA,
        layoutB,
        layoutD,
        layoutD,
        preference[0],
        WAYS_MAX,
        results,
        got,
      );
      const algorithms = Array.from({ length: Math.min(got[0] ?? 0, WAYS_MAX) }, (_, index) =>
        results.subarray(index * RESULT_BYTES, (index + 1) * RESULT_BYTES),
      )
        .filter(result => result.readInt32LE(RESULT_STATE_AT) === 0)
        .map(result => result.subarray(0, ALGORITHM_BYTES));
      return {
        ways: algorithms.length,
        enqueue: way =>
          multiply(
            handle[0],
            description[0],
            one,
            a,
            layoutA,
            b,
            layoutB,
            zero,
            d,
            layoutD,
            d,
            layoutD,
            algorithms[way],
            workspace,
            workspaceBytes,
            0,
          ),
      };
    },
  };
};

/** cudaDataType_t and cublasComputeType_t; `one` and `zero` are of the type of the scale. */
const PRECISIONS: Readonly<
  Record<
    ProductPrecision,
    {
      readonly input: number;
      readonly output: number;
      readonly compute: number;
      readonly scale: number;
      readonly one: Float32Array | Int32Array;
      readonly zero: Float32Array | Int32Array;
    }
  >
> = {
  // CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F
  fp16: { input: 2, output: 2, compute: 68, scale: 0, one: Float32Array.of(1), zero: Float32Array.of(0) },
  // CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I
  int8: { input: 3, output: 10, compute: 72, scale: 10, one: Int32Array.of(1), zero: Int32Array.of(0) },
  // CUDA_R_8F_E4M3 to CUDA_R_16F
  fp8: { input: 28, output: 2, compute: 68, scale: 0, one: Float32Array.of(1), zero: Float32Array.of(0) },
};
const TRANSPOSE_A = 3;
const TRANSPOSED = 1;
const WORKSPACE_BYTES_MAX = 1;
/** cublasLtMatmulHeuristicResult_t */
const RESULT_BYTES = 96;
const RESULT_STATE_AT = 72;
const ALGORITHM_BYTES = 64;
const WAYS_MAX = 8;

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [1, 'cuBLAS could not start: no device it can use, or too little device memory'],
  [3, 'too little memory is free'],
  [7, 'cuBLAS refused an argument'],
  [8, 'this cuBLAS does not support the device'],
  [13, 'the multiplication failed on the device'],
  [14, 'cuBLAS failed inside'],
  [15, 'this cuBLAS does not support the product'],
]);
