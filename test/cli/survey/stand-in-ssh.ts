// An `ssh` on the PATH that runs its command on this machine, in a folder of its own: surveys without a network.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export interface StandInSsh extends Disposable {
  readonly env: Readonly<Record<string, string>>;
}

/** @param before of the command: what the login does. "$@" is `sh -s`. */
export const standInSsh = (before = ''): StandInSsh => {
  const folder = temporaryDirectory();
  const file = join(folder.path, 'ssh');
  writeFileSync(file, `#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\n${before}\nexec "$@"\n`);
  chmodSync(file, 0o755);
  return {
    env: { PATH: `${folder.path}:${process.env['PATH'] ?? ''}` },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
};
