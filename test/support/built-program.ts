// Runs before each test file (vitest.config.ts). When `npm test` has just built, modules of src get built-entry.ts in place of
// src/process/entry.ts: what they start in processes and threads is then the packed program.

import { registerHooks } from 'node:module';
import { isBuilt } from './program.ts';

/** Node evaluates this module once in a worker, so that there is one hook. */
if (isBuilt)
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      /^(\.\.\/)+process\/entry\.ts$/.test(specifier)
        ? nextResolve(new URL('./built-entry.ts', import.meta.url).href, context)
        : nextResolve(specifier, context),
  });
