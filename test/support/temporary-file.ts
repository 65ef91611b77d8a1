// A file of its own for a test.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.ts';

export const temporaryFile = (
  name: string,
  content: string | Uint8Array,
): Disposable & { readonly path: string } => {
  const directory = temporaryDirectory();
  const path = join(directory.path, name);
  writeFileSync(path, content);
  return { path, [Symbol.dispose]: () => directory[Symbol.dispose]() };
};
