// Where libraries are looked for, and which may be loaded: loading one runs it. It may only come from where
// no other user could have put it: nothing on its path may be writable by any user, except folders like /tmp,
// whose entries must belong to us or to root. Python and Conda environments are found by their variables and
// by the bin folders on PATH; nothing is run to find them.

import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Why the path cannot be trusted; undefined when it can. Symbolic links are followed first. */
export const distrustOf = (path: string, userId: number | undefined): string | undefined => {
  if (!isAbsolute(path)) return 'is not an absolute path';
  // Windows has other permissions, which Node does not report.
  if (userId === undefined) return undefined;
  try {
    let inner = realpathSync(path);
    if (isWritableForAll(inner) && !lstatSync(inner).isDirectory()) return 'can be written by any user';
    if (isWritableForAll(inner)) return 'is a folder that any user can write to';
    for (let folder = dirname(inner); ; folder = dirname(inner)) {
      const { mode } = lstatSync(folder);
      if ((mode & OTHERS_WRITE) !== 0) {
        if ((mode & STICKY) === 0) return `is inside ${folder}, which any user can write to`;
        const owner = lstatSync(inner).uid;
        if (owner !== userId && owner !== 0) return `is inside ${folder} and belongs to another user`;
      }
      if (folder === inner) return undefined;
      inner = folder;
    }
  } catch (error) {
    return `cannot be inspected (${error instanceof Error && 'code' in error ? error.code : 'unknown error'})`;
  }
};

/** User id of this process; undefined on Windows, which has none. */
export const ownUserId = (): number | undefined => {
  try {
    const { uid } = userInfo();
    return uid === -1 ? undefined : uid;
  } catch {
    return Number.NaN; // a number without a name, as in some containers: then only root's files are trusted
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

export type EnvVariables = Readonly<Record<string, string | undefined>>;

/** Folders that contain bin, lib and similar; the active environment first. */
export const environmentPrefixes = (env: EnvVariables): readonly string[] => {
  const prefixes = absolutePaths([
    env['VIRTUAL_ENV'],
    env['CONDA_PREFIX'],
    // A bin folder on PATH belongs to an environment: a venv, Conda, pyenv, /usr and /usr/local.
    ...(env['PATH'] ?? '')
      .split(':')
      .filter(folder => folder.endsWith('/bin'))
      .map(folder => dirname(folder)),
    env['HOME'] === undefined ? undefined : join(env['HOME'], '.local'),
  ]);
  return [...new Set(prefixes)].slice(0, PREFIXES_MAX);
};

/** The folders of Python packages under a prefix, newest Python first. */
export const packageFolders = (prefix: string): readonly string[] =>
  namesMatching(join(prefix, 'lib'), /^python3(\.\d+)?$/).flatMap(name => [
    join(prefix, 'lib', name, 'site-packages'),
    join(prefix, 'lib', name, 'dist-packages'),
  ]);

export const absolutePaths = (paths: readonly (string | undefined)[]): readonly string[] =>
  paths.flatMap(path => (path?.startsWith('/') === true ? [path] : []));

/** Empty if there is no such folder, as for most paths on most machines. */
export const namesMatching = (folder: string, pattern: RegExp): readonly string[] => {
  try {
    return readdirSync(folder)
      .filter(name => pattern.test(name))
      .toSorted()
      .reverse()
      .slice(0, NAMES_MAX);
  } catch {
    return [];
  }
};

const isWritableForAll = (path: string): boolean => (lstatSync(path).mode & OTHERS_WRITE) !== 0;

const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const PREFIXES_MAX = 64;
const NAMES_MAX = 32;
