// Where Python and Conda environments keep libraries. They are found by the environment variables and by the bin folders on
// PATH; nothing is run to find them.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type EnvVariables = Readonly<Record<string, string | undefined>>;

/** Folders that hold bin, lib and the like; the environment a person works in first. */
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

/** Empty where there is no such folder, as for most of the places on most machines. */
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

const PREFIXES_MAX = 64;
const NAMES_MAX = 32;
