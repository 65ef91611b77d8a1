// Loading a library runs it. A library may only come from where no stranger on this machine could have put it: nothing on
// its way may be writable for everybody, but for folders like /tmp, where what lies in them must belong to us or to root.

import { lstatSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute } from 'node:path';

/** Why the path cannot be trusted; undefined when it can. Symbolic links are followed first. */
export const distrustOf = (path: string, userId: number | undefined): string | undefined => {
  if (!isAbsolute(path)) return 'is not an absolute path';
  // Windows has other rights, which Node does not tell.
  if (userId === undefined) return undefined;
  try {
    let inner = realpathSync(path);
    if (isWritableForAll(inner) && !lstatSync(inner).isDirectory()) return 'is writable for everybody';
    if (isWritableForAll(inner)) return 'is a folder writable for everybody';
    for (let folder = dirname(inner); ; folder = dirname(inner)) {
      const { mode } = lstatSync(folder);
      if ((mode & OTHERS_WRITE) !== 0) {
        if ((mode & STICKY) === 0) return `lies under ${folder}, which is writable for everybody`;
        const owner = lstatSync(inner).uid;
        if (owner !== userId && owner !== 0) return `lies under ${folder} and belongs to another user`;
      }
      if (folder === inner) return undefined;
      inner = folder;
    }
  } catch (error) {
    return `cannot be looked at (${error instanceof Error && 'code' in error ? error.code : 'unknown error'})`;
  }
};

/** Of this process; undefined on Windows, which has no such numbers. */
export const ownUserId = (): number | undefined => {
  try {
    const { uid } = userInfo();
    return uid === -1 ? undefined : uid;
  } catch {
    return Number.NaN; // a number without a name, as in some containers: then only what is root's is ours
  }
};

/** A search path for the loader without relative and untrusted folders; undefined when none is left. */
export const trustedSearchPath = (
  value: string | undefined,
  userId: number | undefined,
): string | undefined => {
  const kept = (value ?? '').split(':').filter(folder => distrustOf(folder, userId) === undefined);
  return kept.length === 0 ? undefined : kept.join(':');
};

const isWritableForAll = (path: string): boolean => (lstatSync(path).mode & OTHERS_WRITE) !== 0;

const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
