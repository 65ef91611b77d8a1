import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { openBlas } from '../../src/native/blas.ts';
import { loadKoffi } from '../../src/native/load-koffi.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

/** Names and whole numbers as in the OpenBLAS that NumPy brings; the product itself is the plainest there is. */
const STAND_IN = `
#include <stdint.h>
void scipy_openblas_set_num_threads64_(int threads) { (void)threads; }
const char *scipy_openblas_get_config64_(void) { return "OpenBLAS 9.8.7 USE64BITINT"; }
void scipy_cblas_sgemm64_(int order, int ta, int tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                          int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc) {
  if (order != 101 || ta != 111 || tb != 111 || alpha != 1 || beta != 0) return;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      float sum = 0;
      for (int64_t l = 0; l < k; l++) sum += a[i * lda + l] * b[l * ldb + j];
      c[i * ldc + j] = sum;
    }
}
`;

const numpyFolder = (folder: TemporaryDirectory): string =>
  join(folder.path, 'venv/lib/python3.12/site-packages/numpy.libs');

const environment = (context: TestContext, folder: TemporaryDirectory): string => {
  const libraries = numpyFolder(folder);
  mkdirSync(libraries, { recursive: true });
  writeFileSync(join(folder.path, 'blas.c'), STAND_IN);
  const library = join(libraries, 'libscipy_openblas64_-4b78795a.so');
  const build = spawnSync('cc', ['-shared', '-fPIC', '-o', library, join(folder.path, 'blas.c')]);
  if (build.error !== undefined) context.skip('there is no C compiler (cc) to build a stand-in library with');
  expect(build.status).toBe(0);
  return join(folder.path, 'venv');
};

const search = async (context: TestContext, env: Readonly<Record<string, string>>) => {
  if (process.platform !== 'linux') context.skip('environments are searched on Linux only');
  const koffi = await loadKoffi();
  if (koffi.kind === 'missing') return context.skip(koffi.reason);
  return openBlas(koffi.koffi, { platform: 'linux', env, threads: 2 });
};

describe('a BLAS library', () => {
  test("is NumPy's where the system has none, called with numbers of its size", async context => {
    using folder = temporaryDirectory();
    const found = await search(context, { VIRTUAL_ENV: environment(context, folder) });
    if (found.kind === 'missing') throw new Error(found.reason);
    if (found.blas.name !== 'OpenBLAS 9.8.7') context.skip('this machine has a BLAS library of its own');
    const c = new Float32Array(4);
    found.blas.sgemm(2, Float32Array.of(1, 2, 3, 4), Float32Array.of(5, 6, 7, 8), c);
    expect([...c]).toEqual([19, 22, 43, 50]);
  });

  test('that everybody could have put there is not loaded', async context => {
    using folder = temporaryDirectory();
    const prefix = environment(context, folder);
    chmodSync(numpyFolder(folder), 0o777);
    const found = await search(context, { VIRTUAL_ENV: prefix });
    expect(found.kind === 'opened' ? found.blas.name : 'none').not.toBe('OpenBLAS 9.8.7');
  });

  test('that is on no machine is missing with the names that were looked for', async context => {
    const found = await search(context, {});
    if (found.kind === 'opened') context.skip('this machine has a BLAS library of its own');
    if (found.kind === 'missing') expect(found.reason).toBe('no libopenblas.so.0 and no libmkl_rt.so.2 here');
  });
});
