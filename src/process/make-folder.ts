// Creates a folder and its missing parents, one level at a time, and reports the system's error if one cannot
// be created.

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../core/problem.ts';

/**
 * Not mkdir's `recursive`: where a file system refuses new folders with ENOENT, as /proc does, that never
 * returns.
 * @returns true if it was created here, false if something of that name exists.
 */
export const makeMissingFolder = async (path: string): Promise<boolean> => {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || !(await makeMissingFolder(parent))) throw error;
    return await makeMissingFolder(path);
  }
};
