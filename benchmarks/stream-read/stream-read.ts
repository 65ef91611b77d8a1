// Builds the reading loop in C and runs it.

import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface StreamReadOptions {
  readonly threads: number;
  readonly mebibytesPerThread: number;
  readonly rounds: number;
  readonly durationMs: number;
}

/** Bytes a second of each round. */
type StreamRead = (options: StreamReadOptions) => Promise<readonly number[]>;

/** @throws Error where no C compiler is. */
export const buildStreamRead = (folder: string): StreamRead => {
  const source = fileURLToPath(new URL('./stream-read.c', import.meta.url));
  const program = join(folder, 'stream-read');
  const compiler = process.env['CC'] ?? 'cc';
  const build = spawnSync(compiler, ['-O3', '-march=native', '-pthread', '-o', program, source], {
    encoding: 'utf8',
  });
  if (build.status !== 0) {
    throw new Error(`${compiler} cannot build ${source}: ${build.error?.message ?? build.stderr}`);
  }
  return async ({ threads, mebibytesPerThread, rounds, durationMs }) => {
    const { stdout } = await promisify(execFile)(program, [
      String(threads),
      String(mebibytesPerThread),
      String(rounds),
      String(durationMs),
    ]);
    return stdout.trim().split('\n').map(Number);
  };
};
