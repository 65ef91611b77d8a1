// The files of a capture: lines are appended, a file that is full is followed by the next, and the oldest are removed
// above the total. What cannot be written is counted, and the next write tries again.

import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { diskReason } from '../../process/disk-reason.ts';

interface CaptureFile {
  readonly path: string;
  bytes: number;
  requests: number;
}

interface CaptureFilesOptions {
  readonly folder: string;
  readonly fileBytesMax: number;
  readonly totalBytesMax: number;
}

export class CaptureFiles implements Disposable {
  readonly #options: CaptureFilesOptions;
  /** At most half of the total, so that what is removed is never everything that was captured. */
  readonly #fileBytesMax: number;
  readonly #files: CaptureFile[] = [];
  #descriptor: number | undefined;
  #opened = 0;
  #removed = 0;
  #problem: string | undefined;

  constructor(options: CaptureFilesOptions) {
    this.#options = options;
    this.#fileBytesMax = Math.min(options.fileBytesMax, options.totalBytesMax / 2);
    this.#tried(() => this.#openNext());
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get figures(): {
    readonly file: string;
    readonly fileBytes: number;
    readonly bytes: number;
    readonly files: number;
    readonly removed: number;
  } {
    const last = this.#files.at(-1);
    return {
      file: last?.path ?? '',
      fileBytes: last?.bytes ?? 0,
      bytes: this.#bytes,
      files: this.#files.length,
      removed: this.#removed,
    };
  }

  /** @param text whole lines. @returns whether they are in a file. */
  append(text: string, requests: number): boolean {
    const bytes = Buffer.from(text, 'utf8');
    const isWritten = this.#tried(() => {
      const last = this.#files.at(-1);
      if (
        this.#descriptor === undefined ||
        (last !== undefined && last.bytes > 0 && last.bytes + bytes.length > this.#fileBytesMax)
      )
        this.#openNext();
      this.#write(bytes, requests);
    });
    if (isWritten) this.#removeOldest();
    return isWritten;
  }

  /** A last file that has nothing is removed. */
  [Symbol.dispose](): void {
    this.#close();
    const last = this.#files.at(-1);
    if (last?.bytes === 0 && this.#tried(() => rmSync(last.path, { force: true }))) this.#files.pop();
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  get #bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #write(bytes: Buffer, requests: number): void {
    const file = this.#files.at(-1);
    const descriptor = this.#descriptor;
    if (file === undefined || descriptor === undefined) return;
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(descriptor, bytes, written, bytes.length - written, file.bytes + written);
    } catch (error) {
      // A part of a line would be in the way of the next one.
      ftruncateSync(descriptor, file.bytes);
      throw error;
    }
    file.bytes += bytes.length;
    file.requests += requests;
  }

  #openNext(): void {
    const path = join(this.#options.folder, `${String(this.#opened + 1).padStart(6, '0')}.jsonl`);
    const descriptor = openSync(path, 'wx', 0o600);
    this.#close();
    this.#descriptor = descriptor;
    this.#opened += 1;
    this.#files.push({ path, bytes: 0, requests: 0 });
  }

  #removeOldest(): void {
    while (this.#files.length > 1 && this.#bytes > this.#options.totalBytesMax) {
      const [oldest] = this.#files;
      // A person may have moved it away already.
      if (oldest === undefined || !this.#tried(() => rmSync(oldest.path, { force: true }))) return;
      this.#files.shift();
      this.#removed += oldest.requests;
    }
  }

  #tried(work: () => void): boolean {
    try {
      work();
      this.#problem = undefined;
      return true;
    } catch (error) {
      this.#problem = diskReason(error);
      return false;
    }
  }
}
