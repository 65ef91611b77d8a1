// The memory that a process still needs. Its resident memory has also what V8 reserves for the test files that ran before.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of objects that are still referenced, with what they allocated outside the heap (sockets, TLS, buffers). */
export const retainedBytes = (): number => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
