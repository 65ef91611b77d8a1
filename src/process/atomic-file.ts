// Files that are complete or absent, even if the process or the machine is killed: written to a temporary
// file, flushed, renamed, and the folder flushed too.

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../core/problem.ts';

export interface AtomicFileOptions {
  /** Default 0600: no other user of the machine may read the home's files. */
  readonly mode?: number;
}

/** In parts, if it need not be in memory all at once. */
type FileContent = string | Uint8Array | AsyncIterable<string>;

/** Replaces the file, or creates it. */
export const writeFileAtomic = async (
  path: string,
  content: FileContent,
  { mode = PRIVATE_FILE_MODE }: AtomicFileOptions = {},
): Promise<void> => {
  const temporary = await writeTemporary(path, content, mode);
  try {
    await rename(temporary, path);
  } catch (error) {
    await removeQuietly(temporary);
    throw error;
  }
  await flushFolder(dirname(path));
};

/** Creates the file unless the name exists; of several concurrent calls exactly one gets true. */
export const createFileAtomic = async (
  path: string,
  content: string | Uint8Array,
  { mode = PRIVATE_FILE_MODE }: AtomicFileOptions = {},
): Promise<boolean> => {
  const temporary = await writeTemporary(path, content, mode);
  try {
    await link(temporary, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await removeQuietly(temporary);
  }
  await flushFolder(dirname(path));
  return true;
};

/** Removes from a folder what a killed process had not finished writing. Nothing may be writing there. */
export const removeUnfinished = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (isUnfinishedFile(name)) await removeQuietly(join(folder, name));
  }
};

/** Whether a file of this name was left unfinished by a killed process. */
export const isUnfinishedFile = (name: string): boolean => UNFINISHED.test(name);

const writeTemporary = async (path: string, content: FileContent, mode: number): Promise<string> => {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  // 'wx' never follows or replaces an existing file or link.
  const file = await open(temporary, 'wx', mode);
  try {
    await file.chmod(mode); // regardless of the umask
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await file.close();
    await removeQuietly(temporary);
    throw error;
  }
  await file.close();
  return temporary;
};

const removeQuietly = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    // A leftover temporary file is harmless; the first error is the one to report.
    if (errorCode(error) === undefined) throw error;
  }
};

/** A rename is only on disk once its folder is. Some file systems cannot flush a folder; they need not. */
const flushFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (!FOLDER_CANNOT_SYNC.has(errorCode(error) ?? '')) throw error;
  } finally {
    await folder.close();
  }
};

/** As `writeTemporary` names them. */
const UNFINISHED = /^\..+\.[0-9a-f]{12}\.tmp$/;
const PRIVATE_FILE_MODE = 0o600;
const FOLDER_CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'EPERM', 'EISDIR', 'EBADF', 'ENOTSUP']);

// Creates a folder and its missing parents, one level at a time, and reports the system's error if one cannot
// be created.

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

export const removeIfThere = async (path: string): Promise<void> => {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
};
