// Bytes in memory that are read by range.

import type { ByteSource } from '../../src/model/byte-source.ts';

export const memorySource = (bytes: Uint8Array, location = 'memory'): ByteSource => ({
  location,
  byteCount: bytes.byteLength,
  read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
