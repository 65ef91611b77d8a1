// For tests that run the built program: a build older than its sources would test an old program.

import { sources } from './scripts.ts';

/** @throws Error when dist/ is missing or older than the sources. `npm test` builds before it runs anything. */
export const requireBuild = (): void => {
  if (sources.isBuilt(sources.sourcesHash())) return;
  throw new Error('dist/ is missing or older than its sources: run `npm run build`');
};
