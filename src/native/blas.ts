// The matrix product of a BLAS library, if this machine has a fast one: the system's, or one from a Python or
// Conda environment. The plain reference BLAS is not used: it is slower than our own kernel, and its figure
// would not describe the machine.

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../core/problem.ts';
import { firstLine } from '../core/text/single-line.ts';
import {
  distrustOf,
  type EnvVariables,
  environmentPrefixes,
  namesMatching,
  ownUserId,
  packageFolders,
} from './library-search.ts';
import type { Koffi } from './load-koffi.ts';

export interface Blas {
  /** "OpenBLAS 0.3.21", "Accelerate". */
  readonly name: string;
  /** C = A × B, square matrices of `size`, row by row. Blocks this thread until it is done. */
  sgemm(size: number, a: Float32Array, b: Float32Array, c: Float32Array): void;
}

type BlasSearch =
  | { readonly kind: 'opened'; readonly blas: Blas }
  | { readonly kind: 'missing'; readonly reason: string };

interface BlasSearchOptions {
  readonly platform: string;
  readonly env: EnvVariables;
  readonly threads: number;
}

export const openBlas = (koffi: Koffi, options: BlasSearchOptions): BlasSearch => {
  const tried: string[] = [];
  for (const candidate of candidatesOf(options)) {
    try {
      return { kind: 'opened', blas: opened(koffi, candidate, options.threads) };
    } catch (error) {
      const reason = firstLine(errorMessage(error));
      tried.push(
        reason.startsWith('Failed to load') ? candidate.library : `${candidate.library} (${reason})`,
      );
    }
  }
  return {
    kind: 'missing',
    reason: tried.length === 0 ? `none is known on ${options.platform}` : `no ${tried.join(' and no ')} here`,
  };
};

interface Candidate {
  readonly kind: 'OpenBLAS' | 'MKL' | 'Accelerate';
  readonly library: string;
  /** Prefix and suffix of each of its names: NumPy's must not clash with others. */
  readonly prefix: string;
  readonly suffix: string;
  /** Size of its integers, bits. */
  readonly integer: 32 | 64;
}

const opened = (koffi: Koffi, candidate: Candidate, threads: number): Blas => {
  const { kind, prefix, suffix, integer } = candidate;
  const library = koffi.load(candidate.library);
  const int = integer === 64 ? 'int64_t' : 'int';
  const sgemm = library.func(
    `void ${prefix}cblas_sgemm${suffix}(int order, int transposeA, int transposeB, ${int} m, ${int} n, ${int} k, float alpha, const float *a, ${int} lda, const float *b, ${int} ldb, float beta, float *c, ${int} ldc)`,
  );
  let version = '';
  if (kind === 'OpenBLAS') {
    library.func(`void ${prefix}openblas_set_num_threads${suffix}(int threads)`)(threads);
    const config: unknown = library.func(`const char *${prefix}openblas_get_config${suffix}()`)();
    version = typeof config === 'string' ? (/\d+\.\d+\.\d+/.exec(config)?.[0] ?? '') : '';
  }
  // Accelerate chooses its own threads.
  if (kind === 'MKL') library.func('void MKL_Set_Num_Threads(int threads)')(threads);
  return {
    name: version === '' ? kind : `${kind} ${version}`,
    sgemm: (size, a, b, c) =>
      void sgemm(ROW_MAJOR, PLAIN, PLAIN, size, size, size, 1, a, size, b, size, 0, c, size),
  };
};

const candidatesOf = ({ platform, env }: BlasSearchOptions): readonly Candidate[] => {
  switch (platform) {
    case 'linux':
      return [
        plain('OpenBLAS', 'libopenblas.so.0'),
        plain('MKL', 'libmkl_rt.so.2'),
        ...environmentPrefixes(env).flatMap(inEnvironment),
      ];
    case 'darwin':
      // It uses the matrix units, which no WebAssembly reaches.
      return [plain('Accelerate', '/System/Library/Frameworks/Accelerate.framework/Accelerate')];
    default:
      return [];
  }
};

const inEnvironment = (prefix: string): readonly Candidate[] => {
  const lib = join(prefix, 'lib');
  return [
    ...namesMatching(lib, /^libopenblas\.so\.0$/).map(name => plain('OpenBLAS', join(lib, name))),
    ...namesMatching(lib, /^libmkl_rt\.so\.2$/).map(name => plain('MKL', join(lib, name))),
    ...packageFolders(prefix).flatMap(folder => numpys(join(folder, 'numpy.libs'))),
  ].flatMap(candidate =>
    distrustOf(candidate.library, ownUserId()) === undefined
      ? [{ ...candidate, library: realpathSync(candidate.library) }]
      : [],
  );
};

/** NumPy's own OpenBLAS: names of their own since 1.26, numbers of 64 bits. */
const numpys = (folder: string): readonly Candidate[] => [
  ...namesMatching(folder, /^libscipy_openblas64_-.*\.so$/).map(name => ({
    ...plain('OpenBLAS', join(folder, name)),
    prefix: 'scipy_',
    suffix: '64_',
    integer: 64 as const,
  })),
  ...namesMatching(folder, /^libopenblas64_p-.*\.so$/).map(name => ({
    ...plain('OpenBLAS', join(folder, name)),
    suffix: '64_',
    integer: 64 as const,
  })),
];

const plain = (kind: Candidate['kind'], library: string): Candidate => ({
  kind,
  library,
  prefix: '',
  suffix: '',
  integer: 32,
});

/** CblasRowMajor, CblasNoTrans */
const ROW_MAJOR = 101;
const PLAIN = 111;
