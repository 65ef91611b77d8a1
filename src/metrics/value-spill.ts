// Raw values on disk, if a run has more than should be in memory: blocks of 8 bytes a value in one file that is
// unlinked once it is open, so that nothing of it remains after any end of the process.

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockStore } from '../core/statistics/raw-values.ts';

export interface ValueSpillOptions {
  /** The first so many bytes stay in memory. */
  readonly keptBytesMax?: number;
  /** Left free on the disk, for the run's own files. */
  readonly spareBytes?: number;
}

export class ValueSpill implements BlockStore, Disposable {
  readonly #folder: string;
  readonly #keptBytesMax: number;
  readonly #spareBytes: number;
  #keptBytes = 0;
  #writtenBytes = 0;
  #file: number | undefined;
  /** The disk is full: further values stay in memory, as in every shorter run. */
  #isFull = false;

  /** @param folder may not be writable */
  constructor(
    folder: string,
    { keptBytesMax = VALUE_BYTES_KEPT_MAX, spareBytes = SPARE_BYTES }: ValueSpillOptions = {},
  ) {
    this.#folder = folder;
    this.#keptBytesMax = keptBytesMax;
    this.#spareBytes = spareBytes;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  put(block: Float64Array): ((into: Float64Array) => void) | undefined {
    const bytes = bytesOf(block);
    if (this.#isFull || this.#keptBytes + bytes.length <= this.#keptBytesMax) {
      this.#keptBytes += bytes.length;
      return undefined;
    }
    const position = this.#writtenBytes;
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      if (bavail * bsize < this.#spareBytes + bytes.length) throw new Error('too little room');
      this.#file ??= openNameless(join(this.#folder, `.values-${randomUUID()}`));
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#file, bytes, at, bytes.length - at, position + at);
    } catch {
      this.#isFull = true;
      return undefined;
    }
    const file = this.#file;
    this.#writtenBytes += bytes.length;
    return into => readWhole(file, bytesOf(into), position);
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#isFull = true;
  }
}

const openNameless = (path: string): number => {
  const file = openSync(path, 'wx+', 0o600);
  rmSync(path);
  return file;
};

/**
 * @throws the system's error, or a sentence if the file is shorter: figures from missing values would be invented.
 */
const readWhole = (file: number, bytes: Uint8Array, position: number): void => {
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, at, bytes.length - at, position + at);
    if (read === 0) throw new Error('values that were written to the disk cannot be read again');
    at += read;
  }
};

const bytesOf = (block: Float64Array): Uint8Array =>
  new Uint8Array(block.buffer, block.byteOffset, block.byteLength);

/** Of 33 million values: a run of 1.5 million streamed requests. */
const VALUE_BYTES_KEPT_MAX: number = 256 * 1024 * 1024;
/** Ten minutes of a run's own files at 3,000 requests a second. */
const SPARE_BYTES = 2 * 1024 ** 3;
