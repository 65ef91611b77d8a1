// The kernel's log as /dev/kmsg hands it out: a record a read, from the oldest that it still holds, and "try again" at its end.

import fs from 'node:fs';
import { pushAll } from '../../core/push-all.ts';

export class KernelLog implements Disposable {
  readonly #descriptor: number;
  readonly #buffer: Buffer = Buffer.alloc(RECORD_BYTES_MAX);

  /** @throws the system's error where it may not be opened. */
  constructor(path: string) {
    this.#descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  }

  /** What was logged since the last call; of very many the rest with the next one. */
  readNow(): readonly string[] {
    const records: string[] = [];
    for (let reads = 0; reads < READS_MAX; reads += 1) {
      try {
        const length = fs.readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, null);
        if (length === 0) break;
        pushAll(records, this.#buffer.toString('utf8', 0, length).split('\n'));
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        // Overwritten before it was read: the next read begins with the oldest that is left.
        if (code === 'EPIPE') continue;
        if (code === 'EAGAIN') break;
        throw error;
      }
    }
    return records;
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#descriptor);
  }
}

/** The kernel's own bound of a record is 8 KiB with its continuation lines (PRINTK_MESSAGE_MAX 2 KiB, escaped). */
const RECORD_BYTES_MAX = 16 * 1024;
const READS_MAX = 20_000;
