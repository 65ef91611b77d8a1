// Where cuBLASLt may be: the loader's own folders, the toolkit, Python and Conda environments, and serving programs
// that bundle it. Nothing is downloaded (it is 0.4 GB) and nothing is run to find it.

import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  absolutePaths,
  distrustOf,
  type EnvVariables,
  environmentPrefixes,
  namesMatching,
  packageFolders,
} from './library-search.ts';

interface CublasCandidate {
  /** Argument of `openCublasLt`: a name for the loader, or a full path. */
  readonly library: string;
}

export interface CublasSearchOptions {
  readonly env: EnvVariables;
  readonly userId: number | undefined;
  /** 13000 for a driver of CUDA 13.0. */
  readonly driverVersion: number;
  /** "/" on a real machine. */
  readonly root: string;
}

interface CublasSearch {
  /** In the order in which to try them. */
  readonly candidates: readonly CublasCandidate[];
  /** Found but not trusted: each with its reason. */
  readonly refused: readonly string[];
}

export const findCublasLt = (options: CublasSearchOptions): CublasSearch => {
  const names = sonames(options.driverVersion);
  const candidates: CublasCandidate[] = names.map(library => ({ library }));
  const refused: string[] = [];
  for (const name of names) {
    for (const folder of new Set(foldersOf(options))) {
      const path = join(folder, name);
      if (!existsSync(path)) continue;
      const distrust = distrustOf(path, options.userId);
      if (distrust === undefined)
        candidates.push({ library: realpathSync(path) }); // a link could be redirected meanwhile
      else refused.push(`${path} ${distrust}`);
    }
  }
  return { candidates, refused };
};

/** How to install one. */
export const cublasAdvice = (driverVersion: number): string =>
  `install cuBLAS: pip install ${driverVersion >= 13_000 ? 'nvidia-cublas' : 'nvidia-cublas-cu12'} in the Python on PATH, or the CUDA toolkit`;

/** The newest that the driver supports first: 13 needs a driver of CUDA 13. */
const sonames = (driverVersion: number): readonly string[] =>
  (driverVersion >= 13_000 ? [13, 12, 11] : [12, 11]).map(major => `libcublasLt.so.${major}`);

const foldersOf = ({ env, root }: CublasSearchOptions): readonly string[] => {
  const at = (path: string): string => join(root, path);
  const toolkits = absolutePaths([
    env['CUDA_HOME'],
    env['CUDA_PATH'],
    ...namesMatching(at('usr/local'), /^cuda(-[\d.]+)?$/).map(name => at(join('usr/local', name))),
  ]);
  return [
    ...toolkits.flatMap(toolkit => [
      join(toolkit, 'lib64'),
      join(toolkit, 'targets/x86_64-linux/lib'),
      join(toolkit, 'targets/sbsa-linux/lib'),
    ]),
    at('usr/lib/x86_64-linux-gnu'),
    at('usr/lib/aarch64-linux-gnu'),
    ...environmentPrefixes(env).flatMap(prefix => [
      join(prefix, 'lib'),
      ...packageFolders(prefix).flatMap(folder => [
        ...namesMatching(join(folder, 'nvidia'), /^cu\d+$/).map(name => join(folder, 'nvidia', name, 'lib')),
        join(folder, 'nvidia/cublas/lib'),
      ]),
    ]),
    ...SERVING_FOLDERS.map(at),
  ];
};

/** Ollama's own copies. */
const SERVING_FOLDERS: readonly string[] = [
  'usr/lib/ollama/cuda_v13',
  'usr/lib/ollama/cuda_v12',
  'usr/local/lib/ollama/cuda_v13',
  'usr/local/lib/ollama/cuda_v12',
];
