// How the command is typed where it runs. Installed, it is `plimsoll`; in a checkout, where `npm start` runs it, a person types
// ./plimsoll. run-command.ts writes it so
// wherever a person reads it.

import { isAbsolute, join, relative, sep } from 'node:path';
import { shellCommand } from '../core/text/shell-words.ts';

interface ProgramLocation {
  /** Of the package, absolute. */
  readonly root: string;
  /** It has what only the repository has. */
  readonly isCheckout: boolean;
  /** As it was started: a link in a folder of programs, or a file of the package. */
  readonly script: string;
  readonly cwd: string;
}

export const programName = ({ root, isCheckout, script, cwd }: ProgramLocation): string => {
  if (!isCheckout || !isInside(root, script)) return INSTALLED;
  const program = join(root, INSTALLED);
  const path = isInside(cwd, program) ? `.${sep}${relative(cwd, program)}` : program;
  return shellCommand`${path}`;
};

const isInside = (folder: string, path: string): boolean => {
  const inner = relative(folder, path);
  return inner !== '' && !inner.startsWith('..') && !isAbsolute(inner);
};

export const INSTALLED = 'plimsoll';
