// Why a disk refused, in words.

import { errorCode, errorMessage } from '../../core/problem.ts';

/** A sentence for a person: "no space left on the disk". */
export const diskReason = (error: unknown): string => {
  const code = errorCode(error);
  return DISK_REASONS.get(code ?? '') ?? code ?? errorMessage(error);
};

const DISK_REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'no space left on the disk'],
  ['EDQUOT', 'the quota of this user is used up'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOTDIR', 'part of its path is a file'],
  ['EEXIST', 'a file is in its place'],
  ['EIO', 'the disk failed'],
]);
