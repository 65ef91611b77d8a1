// The Pythons in which MLX may be installed, best guess first: the active environment, then the places used by Homebrew
// and the installers of Python tools. A daemon started by launchd has none of them on its PATH.

import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { distrustOf, ownUserId } from '../../../native/library-search.ts';
import type { Env } from '../../../process/child.ts';

/** Absolute paths of existing programs that no other user could have put there. */
export const pythonsOf = (env: Env): readonly string[] => {
  const home = env['HOME'] ?? '';
  const folders = [
    ...[env['VIRTUAL_ENV'], env['CONDA_PREFIX']].flatMap(prefix =>
      prefix === undefined || prefix === '' ? [] : [join(prefix, 'bin')],
    ),
    ...(env['PATH'] ?? '').split(':'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
    ...TOOL_FOLDERS.flatMap(folder => toolsIn(join(home, folder))),
  ];
  const found = folders
    .filter(folder => folder.startsWith('/'))
    .map(folder => join(folder, 'python3'))
    .filter(path => isProgram(path) && !isInstallOffer(path) && distrustOf(path, ownUserId()) === undefined);
  return [...new Set(found)].slice(0, PYTHONS_MAX);
};

/** Environments of tools that include MLX: those with "mlx" in their name, and exo. */
const toolsIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
      .filter(name => /mlx|exo/i.test(name))
      .slice(0, TOOLS_MAX)
      .map(name => join(folder, name, 'bin'));
  } catch {
    return []; // no such tools here
  }
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** On a Mac without Apple's developer tools this program is only a dialog that offers to install them. */
const isInstallOffer = (path: string): boolean =>
  path === '/usr/bin/python3' &&
  existsSync('/usr/bin/xcode-select') &&
  !DEVELOPER_TOOLS.some(folder => existsSync(folder));

const DEVELOPER_TOOLS: readonly string[] = ['/Library/Developer/CommandLineTools', '/Applications/Xcode.app'];
/** uv and pipx, under the home. */
const TOOL_FOLDERS: readonly string[] = [
  '.local/share/uv/tools',
  '.local/pipx/venvs',
  '.local/share/pipx/venvs',
];
const PYTHONS_MAX = 8;
const TOOLS_MAX = 4;
