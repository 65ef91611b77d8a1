// The versions of Node on a machine other than the one that runs the tests.

import { spawnSync } from 'node:child_process';

/** The major version; undefined where there is no such program. */
export const versionOf = (program: string): number | undefined => {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? Number(/^v(\d+)/.exec(stdout)?.[1]) : undefined;
};
