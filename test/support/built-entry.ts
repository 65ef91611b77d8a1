// In place of src/process/entry.ts for modules of src, when `npm test` has just built (vitest.config.ts): child processes and
// threads then run the packed program, which is what users run, and start for half of what the sources cost.

import { fileURLToPath, pathToFileURL } from 'node:url';
import { repositoryRoot } from './repository-root.ts';

export const entryUrl = (moduleUrl: string, relativePath: `${'./' | '../'}${string}.ts`): URL => {
  const source = fileURLToPath(new URL(relativePath, moduleUrl));
  const packed = source.replace(`${repositoryRoot}src/`, `${repositoryRoot}dist/packed/`);
  return pathToFileURL(packed.replace(/\.ts$/, '.js'));
};
