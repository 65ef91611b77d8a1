// The program of a pinned version, unpacked from its tarball beside this checkout's packages: its code to call, and its command
// to start. Needs no registry.

import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PINNED_VERSION, pinnedPath } from './pinned-version.ts';
import { repositoryRoot } from './repository.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface PinnedProgram extends Disposable {
  /** What starts it, before the name of a command. */
  readonly command: readonly [string, string];
  /** A compiled module of it: "wire/event-schema.js". */
  module(name: string): Promise<Readonly<Record<string, unknown>>>;
}

export const pinnedProgram = (): PinnedProgram => {
  const folder = temporaryDirectory();
  execFileSync('tar', ['-xzf', pinnedPath(`plimsoll-${PINNED_VERSION}.tgz`), '-C', folder.path]);
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder.path, 'node_modules'), 'dir');
  const inside = (path: string): string => join(folder.path, 'package', path);
  return {
    command: [process.execPath, inside('bin/plimsoll.js')],
    module: name => import(pathToFileURL(inside(`dist/${name}`)).href),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
};
