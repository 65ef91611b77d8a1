// Runs in each worker of Vitest before its first test file (vitest.config.ts): how often properties are tried, and from which seed.
// `PLIMSOLL_TEST_SEED=N npm test -- FILE` repeats the values of a property test that failed and printed `seed: N`.

import fc from 'fast-check';
import { longCount } from './counts.ts';

export const seedProperties = (seed: string | undefined): void => {
  if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
};

/** The default for properties. The values differ in each run: many short ones try what a long one does. */
fc.configureGlobal({ numRuns: longCount(40, 100) });
seedProperties(process.env['PLIMSOLL_TEST_SEED']);
