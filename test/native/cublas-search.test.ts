import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CublasSearchOptions, cublasAdvice, findCublasLt } from '../../src/native/cublas-search.ts';
import { ownUserId } from '../../src/native/library-search.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const put = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
};

const pathsOf = (options: Partial<CublasSearchOptions> & Pick<CublasSearchOptions, 'root'>) =>
  findCublasLt({ env: {}, userId: ownUserId(), driverVersion: 13_000, ...options })
    .candidates.map(({ library }) => library)
    .filter(library => library.includes('/'));

describe('the search for cuBLAS', () => {
  test('asks the loader first, for the newest that the driver serves', () => {
    using folder = temporaryDirectory();
    const names = (driverVersion: number) =>
      findCublasLt({ env: {}, userId: ownUserId(), driverVersion, root: folder.path }).candidates.map(
        ({ library }) => library,
      );
    expect(names(13_000)).toEqual(['libcublasLt.so.13', 'libcublasLt.so.12', 'libcublasLt.so.11']);
    expect(names(12_080)).toEqual(['libcublasLt.so.12', 'libcublasLt.so.11']);
  });

  test('finds it in toolkit, Python and Conda environments, and next to serving programs', () => {
    using folder = temporaryDirectory();
    const at = (path: string) => join(folder.path, path);
    const expected = [
      put(at('venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcublasLt.so.13')),
      put(at('usr/local/cuda-12.8/lib64/libcublasLt.so.12')),
      put(at('tools/lib/python3.11/site-packages/nvidia/cublas/lib/libcublasLt.so.12')),
      put(at('conda/lib/libcublasLt.so.12')),
      put(at('usr/local/lib/ollama/cuda_v12/libcublasLt.so.12')),
    ];
    const env = {
      VIRTUAL_ENV: at('venv'),
      CONDA_PREFIX: at('conda'),
      PATH: `${at('tools/bin')}:/nowhere/sbin`,
    };
    expect(pathsOf({ root: folder.path, env }).toSorted()).toEqual(expected.toSorted());
  });

  test('refuses one that everybody could have put there, and reports where it is', () => {
    using folder = temporaryDirectory();
    const open = join(folder.path, 'open');
    const library = put(join(open, 'lib/libcublasLt.so.13'));
    chmodSync(open, 0o777);
    const search = findCublasLt({
      env: { CONDA_PREFIX: open },
      userId: ownUserId(),
      driverVersion: 13_000,
      root: folder.path,
    });
    expect(search.candidates.some(candidate => candidate.library === library)).toBe(false);
    expect(search.refused).toEqual([`${library} is inside ${open}, which any user can write to`]);
  });

  test('leaves relative folders of the environment alone', () => {
    using folder = temporaryDirectory();
    expect(pathsOf({ root: folder.path, env: { VIRTUAL_ENV: '.', PATH: 'bin:./bin', HOME: '' } })).toEqual(
      [],
    );
  });

  test('names the package that fits the driver', () => {
    expect(cublasAdvice(13_000)).toContain('pip install nvidia-cublas in');
    expect(cublasAdvice(12_080)).toContain('pip install nvidia-cublas-cu12 in');
  });
});
