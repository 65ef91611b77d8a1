// The targets by name: a file of `targets/` each, loaded only when it is attacked.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FuzzTarget } from './fuzz-target.ts';

export const targetNames = (): readonly string[] =>
  readdirSync(fileURLToPath(new URL('targets/', import.meta.url)))
    .map(file => file.replace(/\.ts$/, ''))
    .toSorted();

export const loadTarget = async (name: string): Promise<FuzzTarget> => {
  const { target }: { readonly target: FuzzTarget } = await import(`./targets/${name}.ts`);
  return target;
};
