// A file on this machine, read by range.

import { fileReason } from '../process/disk-reason.ts';
import { openInputFile } from '../process/input-file.ts';
import type { ByteSource } from './byte-source.ts';
import { ModelError } from './model-error.ts';

/** @throws ModelError `missing` for what cannot be opened or is not a file. */
export const openFileSource = async (path: string): Promise<ByteSource> => {
  const file = await openInputFile(path, 'gguf').catch((error: unknown) => {
    throw new ModelError(
      {
        code: 'missing',
        problem: `${path} cannot be read: ${fileReason(error)}`,
        advice: 'Name a file or folder of a model that this user may read.',
      },
      { cause: error },
    );
  });
  const { size } = await file.stat();
  return {
    place: path,
    byteCount: size,
    read: async (offset, length) => {
      const wanted = Math.max(0, Math.min(length, size - offset));
      const bytes = new Uint8Array(wanted);
      const { bytesRead } = await file.read(bytes, 0, wanted, offset);
      return bytes.subarray(0, bytesRead);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
};
