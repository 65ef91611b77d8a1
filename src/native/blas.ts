// The matrix product of a BLAS library, if this machine has a fast one. The plain reference BLAS is not asked: it is
// slower than our own kernel, and its figure would say nothing about the machine.

import type { Koffi } from './load-koffi.ts';
import { firstLine } from './load-koffi.ts';

export interface Blas {
  /** "OpenBLAS 0.3.21", "Accelerate". */
  readonly name: string;
  /** C = A × B, square matrices of `size`, row by row. Blocks this thread until it is done. */
  sgemm(size: number, a: Float32Array, b: Float32Array, c: Float32Array): void;
}

export type BlasSearch =
  | { readonly kind: 'opened'; readonly blas: Blas }
  | { readonly kind: 'missing'; readonly reason: string };

export const openBlas = (koffi: Koffi, platform: string, threads: number): BlasSearch => {
  const tried: string[] = [];
  for (const candidate of CANDIDATES[platform] ?? []) {
    try {
      const library = koffi.load(candidate.library);
      const sgemm = library.func(SGEMM);
      const note = candidate.prepare((definition: string) => library.func(definition), threads);
      return {
        kind: 'opened',
        blas: {
          name: note === '' ? candidate.name : `${candidate.name} ${note}`,
          sgemm: (size, a, b, c) =>
            void sgemm(
              ROW_MAJOR,
              NOT_TRANSPOSED,
              NOT_TRANSPOSED,
              size,
              size,
              size,
              1,
              a,
              size,
              b,
              size,
              0,
              c,
              size,
            ),
        },
      };
    } catch (error) {
      const reason = firstLine(error);
      tried.push(
        reason.startsWith('Failed to load') ? candidate.library : `${candidate.library} (${reason})`,
      );
    }
  }
  return {
    kind: 'missing',
    reason: tried.length === 0 ? `none is known on ${platform}` : `no ${tried.join(' and no ')} here`,
  };
};

interface Candidate {
  readonly library: string;
  readonly name: string;
  /** Sets the number of threads; says the version, '' where the library does not. */
  prepare(
    declare: (definition: string) => (...values: readonly unknown[]) => unknown,
    threads: number,
  ): string;
}

const SGEMM =
  'void cblas_sgemm(int order, int transposeA, int transposeB, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)';
const ROW_MAJOR = 101;
const NOT_TRANSPOSED = 111;

const openBlasCandidate = (library: string): Candidate => ({
  library,
  name: 'OpenBLAS',
  prepare: (declare, threads) => {
    declare('void openblas_set_num_threads(int threads)')(threads);
    const config = declare('const char *openblas_get_config()')();
    return typeof config === 'string' ? (/\d+\.\d+\.\d+/.exec(config)?.[0] ?? '') : '';
  },
});

const CANDIDATES: Readonly<Record<string, readonly Candidate[]>> = {
  linux: [
    openBlasCandidate('libopenblas.so.0'),
    {
      library: 'libmkl_rt.so.2',
      name: 'MKL',
      prepare: (declare, threads) => {
        declare('void MKL_Set_Num_Threads(int threads)')(threads);
        return '';
      },
    },
  ],
  // It chooses its threads itself, and uses the matrix units, which no WebAssembly reaches.
  darwin: [
    {
      library: '/System/Library/Frameworks/Accelerate.framework/Accelerate',
      name: 'Accelerate',
      prepare: () => '',
    },
  ],
};
