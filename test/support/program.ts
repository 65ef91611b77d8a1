// What a test starts as `plimsoll` in a process of its own: the built program after a build by `npm test`, otherwise the sources.

import { join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

/** scripts/run-tests.js sets it after its build. */
export const isBuilt: boolean = process.env['PLIMSOLL_TEST_BUILT'] === '1';

/** The first argument of Node. */
export const PROGRAM: string = join(repositoryRoot, isBuilt ? 'bin/plimsoll.js' : 'src/cli/main.ts');
