// Appends the server's own metrics to server.csv, one line a second. A disk that is full, slow or gone costs the rest
// of the file and never the run: the report contains the aggregated figures.

import { appendFile } from 'node:fs/promises';
import type { ServerReading } from '../../core/run/server-reading.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { encodeMissedLine, encodeServerLine, SERVER_HEADER } from '../../wire/server-line.ts';

export class ServerFile {
  readonly #path: string;
  #waiting = '';
  #lines = 0;
  #writing: Promise<void> | undefined;
  #problem: string | undefined;

  /** The file is created with the first reading: a server without metrics leaves no file. */
  constructor(path: string) {
    this.#path = path;
  }

  append(reading: ServerReading): void {
    this.#append(encodeServerLine(reading));
  }

  /** Appends a line without figures, so that a chart has a gap there. */
  appendMissed(atNs: number): void {
    this.#append(encodeMissedLine(atNs));
  }

  #append(line: string): void {
    if (this.#problem !== undefined) return;
    if (this.#lines >= LINES_MAX || this.#waiting.length > WAITING_LENGTH_MAX) {
      this.#problem = this.#lines >= LINES_MAX ? 'it has reached its length' : 'the disk is too slow';
      return;
    }
    if (this.#lines === 0) this.#waiting += SERVER_HEADER;
    this.#waiting += line;
    this.#lines += 1;
    this.#writing ??= this.#write();
  }

  /** Resolves when all is written, or cannot be: with one sentence if readings are missing. */
  async close(patienceMs: number): Promise<readonly string[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#problem ??= 'the disk does not answer';
      resolve();
    }, patienceMs);
    await Promise.race([this.#writing, promise]);
    clearTimeout(timer);
    return this.#problem === undefined ? [] : [`server.csv ends before the run did: ${this.#problem}`];
  }

  async #write(): Promise<void> {
    while (this.#waiting !== '') {
      const lines = this.#waiting;
      this.#waiting = '';
      try {
        await appendFile(this.#path, lines, { mode: 0o600 });
      } catch (error) {
        this.#problem = diskReason(error);
      }
    }
    this.#writing = undefined;
  }
}

/** A day, once a second. */
const LINES_MAX = 86_400;
const WAITING_LENGTH_MAX = 65_536;
