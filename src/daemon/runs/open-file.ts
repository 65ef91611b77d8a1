// Opens a file of a run or a sweep only if it is a plain file: the daemon reads paths that other processes report.

import type { FileHandle } from 'node:fs/promises';
import { InputFileError, openInputFile } from '../../process/input-file.ts';

/** undefined for what is not a plain file: a folder, a pipe or a device. @throws the system's error */
export const openPlainFile = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await openInputFile(path, 'runFile');
  } catch (error) {
    if (error instanceof InputFileError) return undefined;
    throw error;
  }
};
