// A folder that one process works in for a long time: created, or reopened after the process that wrote it has ended.
// No other process may work in it, and interrupted parts are put aside, never overwritten and never counted.

import { readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../core/problem.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { isDiskFull, lockFile } from '../../process/file-lock.ts';
import { BenchError } from '../bench-error.ts';
import { makeEmptyFolder } from './run-directory.ts';

interface LockedFolder extends Disposable {
  /** For work that never began: removes what was created here, and these files. */
  discard(files: readonly string[]): Promise<void>;
}

/** Name for people, and part of the lock's name. */
type FolderWork = 'sweep' | 'comparison';

/** @throws BenchError `run-directory` unless it is new or empty. */
export const openLockedFolder = async (path: string, work: FolderWork): Promise<LockedFolder> => {
  const isNew = await makeEmptyFolder(path);
  const remove = async (files: readonly string[] = []): Promise<void> => {
    for (const name of [...files, lockName(work)]) await unlink(join(path, name)).catch(unlessOurs);
    if (isNew) await rmdir(path).catch(unlessOurs);
  };
  try {
    const lock = lockFolder(path, work);
    return {
      discard: async files => {
        lock[Symbol.dispose]();
        await remove(files);
      },
      [Symbol.dispose]: () => lock[Symbol.dispose](),
    };
  } catch (error) {
    // A lock that another process holds is not ours to remove.
    if (isNew) await remove();
    throw error;
  }
};

/** Locks an existing folder. @throws BenchError `run-directory` while another process works in it. */
export const lockFolder = (path: string, work: FolderWork): Disposable => {
  const lock = lockIn(path, work);
  if (lock === undefined)
    throw cannotGoOn(path, work, {
      why: `another plimsoll ${COMMANDS[work]} is at work in it`,
      advice: 'Wait for it, or stop it.',
    });
  let isHeld = true;
  return {
    [Symbol.dispose]: () => {
      if (isHeld) lock[Symbol.dispose]();
      isHeld = false;
    },
  };
};

/** Moves folders of parts that do not count. @returns their new names. @throws BenchError `run-directory` */
export const putAside = async (
  path: string,
  work: FolderWork,
  isToGo: (name: string) => boolean,
): Promise<readonly string[]> => {
  const aside: string[] = [];
  try {
    const names = await readdir(path);
    for (const name of names.filter(isToGo).sort()) {
      const put = asideName(name, names);
      await rename(join(path, name), join(path, put));
      names.push(put);
      aside.push(put);
    }
    return aside;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotGoOn(path, work, {
      why: errorMessage(error),
      advice: 'Is it yours, and on a disk that can be written?',
      cause: error,
    });
  }
};

export const cannotGoOn = (
  path: string,
  work: FolderWork,
  { why, advice, cause }: { readonly why: string; readonly advice: string; readonly cause?: unknown },
): BenchError =>
  new BenchError(
    { code: 'run-directory', problem: `the ${work} in ${path} cannot be resumed: ${why}`, advice },
    { cause },
  );

const lockIn = (path: string, work: FolderWork): Disposable | undefined => {
  try {
    return lockFile(join(path, lockName(work)));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw cannotGoOn(path, work, {
      why: isDiskFull(error) ? 'no space left on the disk' : diskReason(error),
      advice: 'Make room there, or choose a folder that you can write to with --out DIR',
      cause: error,
    });
  }
};

const unlessOurs = (error: unknown): void => {
  if (errorCode(error) === undefined) throw error;
};

const asideName = (name: string, taken: readonly string[]): string => {
  let at = 1;
  while (taken.includes(`${name}.cut-off-${at}`)) at += 1;
  return `${name}.cut-off-${at}`;
};

const lockName = (work: FolderWork): string => `${work}.lock`;
const COMMANDS: Readonly<Record<FolderWork, string>> = { sweep: 'sweep', comparison: 'compare' };
