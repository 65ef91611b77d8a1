// The system's error for a file or folder that cannot be written, or read, as text.

import { errorCode, errorMessage } from '../core/problem.ts';
import { InputFileError } from './input-file.ts';

/** Part of a sentence: "no space left on the disk". */
export const diskReason = (error: unknown): string => {
  const code = errorCode(error);
  return DISK_REASONS.get(code ?? '') ?? code ?? errorMessage(error);
};

/** For a file that cannot be read: "there is no such file". */
export const fileReason = (error: unknown): string =>
  error instanceof InputFileError
    ? error.message
    : (READ_REASONS.get(errorCode(error) ?? '') ?? diskReason(error));

const DISK_REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'no space left on the disk'],
  ['EDQUOT', 'the quota of this user is used up'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOENT', 'its folder does not exist, or accepts no new files'],
  ['ENOTDIR', 'part of its path is a file'],
  ['EISDIR', 'a folder is in its place'],
  ['EEXIST', 'a file is in its place'],
  ['EIO', 'the disk failed'],
]);
const READ_REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['ENXIO', 'it is a socket or a device, not a regular file'],
]);
