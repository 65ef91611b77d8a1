// The bytes of a data set's file, in bounded parts, and the digest that distinguishes two files of one name.

import { createHash } from 'node:crypto';
import { INPUT_LIMITS } from '../../core/input/input-limits.ts';
import { errorCode } from '../../core/problem.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { openInputFile } from '../../process/input-file.ts';
import { BenchError } from '../bench-error.ts';

export interface DatasetLocation {
  /** Absolute. */
  readonly path: string;
  /** As the person wrote it: the form for messages. */
  readonly shownPath: string;
  readonly signal: AbortSignal;
  /** Default: the limit of a data set that stays in memory. */
  readonly bytesMax?: number;
}

/** Digest of all bytes that were read for a data set, and their number. */
export class DatasetDigest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  result(): { readonly sha256: string; readonly bytes: number } {
    return { sha256: this.#hash.copy().digest('hex'), bytes: this.#bytes };
  }
}

/** Each part is valid until the next one is requested. @throws BenchError `input` */
export async function* datasetChunks(
  { path, shownPath, signal, bytesMax = INPUT_LIMITS.dataset.bytesMax }: DatasetLocation,
  digest: DatasetDigest,
): AsyncGenerator<Buffer, void, void> {
  try {
    const file = await openInputFile(path, 'dataset');
    const stream = file.createReadStream({ highWaterMark: READ_BYTES, signal });
    for await (const read of stream) {
      const chunk: Buffer = read;
      digest.add(chunk);
      if (digest.bytes > bytesMax)
        throw wrongFile(`${shownPath} is larger than ${bytesMax / MEBIBYTE} MiB`, 'Use a part of it.');
      yield chunk;
    }
  } catch (error) {
    if (error instanceof BenchError || signal.aborted || errorCode(error) === undefined) throw error;
    throw unreadableDataset(shownPath, error);
  }
}

export const wrongFile = (problem: string, advice: string): BenchError =>
  new BenchError({ code: 'input', problem, advice });

export const unreadableDataset = (shownPath: string, cause: unknown): BenchError => {
  const code = errorCode(cause);
  const advice =
    code === 'ENOENT'
      ? 'Check the path; it is relative to the current folder.'
      : code === 'EACCES'
        ? 'Change its permissions so that you can read it.'
        : 'Give a file, or a folder of texts, with --dataset.';
  const reason = fileReason(cause);
  return new BenchError(
    { code: 'input', problem: `${shownPath} cannot be read: ${reason}`, advice },
    { cause },
  );
};

const MEBIBYTE = 1024 * 1024;
const READ_BYTES = 256 * 1024;
