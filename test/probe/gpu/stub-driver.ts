// The stand-in for NVIDIA's libraries, built once for all tests of a file, and the environment in which it is found.

import { spawnSync } from 'node:child_process';
import { linkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Env } from '../../../src/process/child.ts';
import { childEnv } from '../../support/child-env.ts';

export interface StubDriver {
  readonly env: Env;
}

/** Undefined where no C compiler is. With `cublas` false only the driver is there. */
export const buildStubDriver = (folder: string, { cublas = true } = {}): StubDriver | undefined => {
  const source = fileURLToPath(new URL('./stub/cuda-driver.c', import.meta.url));
  const library = join(folder, 'libcuda.so.1');
  const built = spawnSync('cc', ['-O2', '-Wall', '-shared', '-fPIC', '-o', library, source], {
    encoding: 'utf8',
  });
  if (built.error !== undefined) return undefined;
  if (built.status !== 0) throw new Error(`the stub does not build:\n${built.stderr}`);
  // One file under two names would be loaded as two: a link is one library, with one clock.
  if (cublas) linkSync(library, join(folder, 'libcublasLt.so.13'));
  return { env: { ...childEnv, PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: folder } };
};

export const NO_COMPILER = 'there is no C compiler (cc) to build the stand-in driver with';
