// Removing a run from disk, with care: only a directory that is one of a run or of stages, only files that a run writes, and
// config.json last, so that a removal that was cut short can be taken up again. Nothing is followed out of the directory.

import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorMessage } from '../../core/problem.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { isUnfinishedFile } from '../../process/atomic-file.ts';
import type { FoundRun } from './found-runs.ts';

export type Removal =
  | { readonly kind: 'removable'; readonly found: FoundRun; readonly bytes: number; remove(): Promise<void> }
  | { readonly kind: 'refused'; readonly directory: string; readonly reason: string };

export const planRemoval = async (found: FoundRun): Promise<Removal> => {
  const { directory } = found;
  const refused = (reason: string): Removal => ({ kind: 'refused', directory, reason });
  if (found.state === 'running') return refused('it is running');
  const plan: Plan = { files: [], folders: [], bytes: 0 };
  try {
    const problem =
      found.kind === 'run'
        ? await addFolder(directory, RUN_FILE, undefined, plan)
        : await addFolder(directory, SWEEP_FILE, STAGE_FOLDER, plan);
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
const addFolder = async (
  folder: string,
  isOurs: (name: string) => boolean,
  isStage: ((name: string) => boolean) | undefined,
  plan: Plan,
): Promise<string | undefined> => {
  if (!(await lstat(folder)).isDirectory()) return `${folder} is not a directory of its own`;
  // The file that marks the folder as a run is removed last.
  const names = (await readdir(folder)).toSorted((a, b) => Number(isHead(a)) - Number(isHead(b)));
  for (const name of names) {
    const path = join(folder, name);
    const found = await lstat(path);
    if (found.isDirectory() && isStage?.(name) === true) {
      const problem = await addFolder(path, RUN_FILE, undefined, plan);
      if (problem !== undefined) return problem;
    } else if (found.isFile() && (isOurs(name) || isUnfinishedFile(name))) {
      plan.files.push(path);
      plan.bytes += found.size;
    } else return `it holds ${JSON.stringify(name.slice(0, 80))}, which no run wrote`;
  }
  plan.folders.push(folder);
  return undefined;
};

const RUN_NAMES: ReadonlySet<string> = new Set(Object.values(runFiles('')).map(path => basename(path)));
const SWEEP_NAMES: ReadonlySet<string> = new Set([
  'sweep.json',
  'sweep.txt',
  'sweep.lock',
  'line.json',
  'line.txt',
]);
const HEAD_NAMES: ReadonlySet<string> = new Set(['config.json', 'sweep.json', 'line.json']);

const RUN_FILE = (name: string): boolean => RUN_NAMES.has(name);
const SWEEP_FILE = (name: string): boolean => SWEEP_NAMES.has(name);
/** Also one that was cut off and put aside when the sweep went on. */
const STAGE_FOLDER = (name: string): boolean => /^stage-\d{2,3}(\.cut-off-\d{1,3})?$/.test(name);
const isHead = (name: string): boolean => HEAD_NAMES.has(name);
