// The mock's log on disk, one line of JSON per request. It never blocks the server: lines wait for the disk in a
// bounded queue, and what does not fit is counted.

import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { errorMessage } from '../core/problem.ts';
import { MockError } from './mock-settings.ts';

export class LogFile implements AsyncDisposable {
  readonly #stream: WriteStream;
  #batch: string[] = [];
  #batchCharacters = 0;
  #dropped = 0;
  #hasFailed = false;

  private constructor(stream: WriteStream) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#hasFailed = true; // disk full: the server continues, and reports how many lines are missing
    });
  }

  /** Appends. @throws MockError when the file cannot be opened. */
  static async open(path: string): Promise<LogFile> {
    const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
    try {
      await once(stream, 'open');
    } catch (error) {
      const why = errorMessage(error);
      throw new MockError('log-unusable', `the log ${path} cannot be written: ${why}`, { cause: error });
    }
    return new LogFile(stream);
  }

  get linesDropped(): number {
    return this.#dropped;
  }

  readonly add = (line: string): void => {
    if (this.#hasFailed || this.#stream.writableLength > QUEUED_BYTES_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#batch.push(line);
    this.#batchCharacters += line.length;
    if (this.#batchCharacters >= BATCH_CHARACTERS) this.flush();
  };

  flush(): void {
    if (this.#batch.length === 0) return;
    if (!this.#hasFailed) this.#stream.write(this.#batch.join(''));
    else this.#dropped += this.#batch.length;
    this.#batch = [];
    this.#batchCharacters = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.flush();
    if (this.#hasFailed || this.#stream.closed) return;
    await new Promise<void>(resolve => {
      this.#stream.once('close', resolve);
      this.#stream.end();
    });
  }
}

const BATCH_CHARACTERS = 65_536;
const QUEUED_BYTES_MAX = 16_777_216;
