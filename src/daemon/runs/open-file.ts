// Opens a run's or a sweep's file where it is a plain one: a daemon reads them of whoever says that they are there.

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
