// A path on a machine, with what reads it. Off the calling thread, because a driver whose device hangs can block the reader. A port:
// the tree is this machine's, a fixture, or what another machine has sent.

import fs from 'node:fs/promises';
import { join } from 'node:path';

export interface MachinePath {
  readonly tree: MachineTree;
  readonly path: string;
}

/** Each throws the system's error, with its code. */
export interface MachineTree {
  /** From the start of a file, at most so many. */
  bytes(path: string, bytesMax: number): Promise<Uint8Array>;
  names(path: string): Promise<readonly string[]>;
  /** The text of a symbolic link. */
  link(path: string): Promise<string>;
  /** Without symbolic links. */
  realPath(path: string): Promise<string>;
  /** 'other' also for a file that is not readable: it is there. */
  kind(path: string): Promise<'file' | 'other'>;
}

export const below = ({ tree, path }: MachinePath, ...names: readonly string[]): MachinePath => ({
  tree,
  path: join(path, ...names),
});

export const OWN_TREE: MachineTree = {
  bytes: async (path, bytesMax) => {
    await using file = await fs.open(path, 'r');
    const bytes = new Uint8Array(bytesMax);
    const { bytesRead } = await file.read(bytes, 0, bytesMax, 0);
    return bytes.subarray(0, bytesRead);
  },
  names: path => fs.readdir(path),
  link: path => fs.readlink(path),
  realPath: path => fs.realpath(path),
  kind: async path => {
    if (!(await fs.stat(path)).isFile()) return 'other';
    return await fs.access(path, fs.constants.R_OK).then(
      () => 'file',
      () => 'other',
    );
  },
};
