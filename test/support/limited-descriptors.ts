// Takes this process the right to open more files for a while.

import { closeSync, openSync } from 'node:fs';
import { loadKoffi } from '../../src/native/load-koffi.ts';

/** undefined if the system does not allow it. Dispose of it before anything else needs a file. */
export const limitedDescriptors = async (): Promise<Disposable | undefined> => {
  const load = await loadKoffi();
  if (process.platform !== 'linux' || load.kind === 'missing') return undefined;
  const libc = load.koffi.load(null);
  const getLimit = libc.func('int getrlimit(int resource, void *limits)');
  const setLimit = libc.func('int setrlimit(int resource, const void *limits)');
  const limits = Buffer.alloc(16);
  if (getLimit(OPEN_FILES, limits) !== 0) return undefined;
  // The lowest free number: the next file would get it.
  const next = openSync('/dev/null', 'r');
  closeSync(next);
  const fewer = Buffer.from(limits);
  fewer.writeBigUInt64LE(BigInt(next), 0);
  if (setLimit(OPEN_FILES, fewer) !== 0) return undefined;
  return { [Symbol.dispose]: () => setLimit(OPEN_FILES, limits) };
};

/** RLIMIT_NOFILE. */
const OPEN_FILES = 7;
