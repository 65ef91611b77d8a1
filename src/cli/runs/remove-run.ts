// Removing a run from disk, with care: only a directory that is one of a run or of stages, only files that a run writes, and
// config.json last, so that a removal that was cut short can be taken up again. Nothing is followed out of the directory.

import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../core/problem.ts';
import { isUnfinishedFile } from '../../process/atomic-file.ts';
import { type FoundRun, RUN_FOLDER } from './found-runs.ts';

export type Removal =
  | { readonly kind: 'removable'; readonly found: FoundRun; readonly bytes: number; remove(): Promise<void> }
  | { readonly kind: 'refused'; readonly directory: string; readonly reason: string };

export const planRemoval = async (found: FoundRun): Promise<Removal> => {
  const { directory, link, row } = found;
  const refused = (reason: string): Removal => ({ kind: 'refused', directory, reason });
  if (found.state === 'running') return refused('it is running');
  const plan: Plan = { files: [], folders: [], bytes: 0 };
  try {
    const problem = await addFolder(directory, row, plan);
    if (problem !== undefined) return refused(problem);
  } catch (error) {
    return refused(errorMessage(error));
  }
  return {
    kind: 'removable',
    found,
    bytes: plan.bytes,
    remove: async () => {
      for (const file of plan.files) await unlink(file);
      for (const folder of plan.folders) await rmdir(folder);
      if (link !== undefined) await unlink(link);
    },
  };
};

interface Plan {
  /** In the order in which they go. */
  readonly files: string[];
  readonly folders: string[];
  bytes: number;
}

/** @returns why it is not to be removed, where it is not. */
const addFolder = async (folder: string, row: FoundRun['row'], plan: Plan): Promise<string | undefined> => {
  if (!(await lstat(folder)).isDirectory()) return `${folder} is not a directory of its own`;
  const isHead = (name: string): number => Number(row.heads.includes(name));
  // The file that marks the folder as a run is removed last.
  const names = (await readdir(folder)).toSorted((a, b) => isHead(a) - isHead(b));
  for (const name of names) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (found.isDirectory() && row.part?.test(name) === true) {
      const problem = await addFolder(path, RUN_FOLDER, plan);
      if (problem !== undefined) return problem;
    } else if (found.isFile() && (row.files.includes(name) || isUnfinishedFile(name))) {
      plan.files.push(path);
      plan.bytes += found.size;
    } else return `it holds ${JSON.stringify(name.slice(0, 80))}, which no run wrote`;
  }
  plan.folders.push(folder);
  return undefined;
};
