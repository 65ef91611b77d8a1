// Opens what another program named: a plain file or nothing, and never waits for a pipe that nobody writes.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Undefined for what is no plain file. @throws what the system says. */
export const openPlainFile = async (path: string): Promise<FileHandle | undefined> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const isPlain = await file.stat().then(
    stat => stat.isFile(),
    () => false,
  );
  if (isPlain) return file;
  await file.close();
  return undefined;
};
