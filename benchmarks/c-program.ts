// Builds a program in C, once for each version of its source. Without a compiler it prints so, and measurements that
// need the program are left out.

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ProgramBuild =
  | { readonly kind: 'built'; readonly path: string }
  | { readonly kind: 'skipped'; readonly reason: string };

/** For Linux. */
export const buildCProgram = (sourceUrl: URL): ProgramBuild => {
  const source = fileURLToPath(sourceUrl);
  const name = basename(source, '.c');
  if (process.platform !== 'linux') return skipped(`${name} needs Linux, and this is ${process.platform}`);
  const folder = fileURLToPath(new URL('../.cache/', import.meta.url));
  const path = `${folder}${name}`;
  if (isNewer(path, source)) return { kind: 'built', path };
  mkdirSync(folder, { recursive: true });
  const compiler = process.env['CC'] ?? 'cc';
  const draft = `${path}.${process.pid}`;
  const { error, status, stderr } = spawnSync(compiler, ['-O2', '-std=gnu11', '-o', draft, source], {
    encoding: 'utf8',
  });
  if (error !== undefined) return skipped(`there is no C compiler: ${error.message}`);
  if (status !== 0) return skipped(`${compiler} cannot build ${name}: ${stderr.trim().split('\n')[0] ?? ''}`);
  renameSync(draft, path);
  return { kind: 'built', path };
};

const skipped = (reason: string): ProgramBuild => ({ kind: 'skipped', reason });

const isNewer = (path: string, source: string): boolean => {
  const built = statSync(path, { throwIfNoEntry: false });
  return built !== undefined && built.mtimeMs > statSync(source).mtimeMs;
};
