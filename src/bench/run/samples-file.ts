// samples.jsonl, appended while the run goes on by the process that sends the load. Taking lines never waits: they queue up
// to a bound, and past it, or when the disk refuses, they are dropped and counted, and the run is not complete.

import { open } from 'node:fs/promises';
import { untilAborted } from '../../clock/until-aborted.ts';
import { diskReason } from '../../process/disk-reason.ts';

export interface SamplesFile extends AsyncDisposable {
  /** Whole lines. */
  append(lines: Uint8Array): void;
  /** Resolves when all that was taken is written, or cannot be: for whoever has lines faster than a disk. Never rejects. */
  settled(): Promise<void>;
  readonly problem: string | undefined;
  /** Writes what waits, at most until `signal` aborts, flushes and closes. Idempotent. */
  close(signal: AbortSignal): Promise<void>;
}

/** What is done with the file; a simulation has a disk of its own. */
export interface AppendedFile {
  /** Perhaps a part. */
  write(bytes: Uint8Array): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** @throws what the system says when the file cannot be made. */
export const openSamplesFile = async (
  path: string,
  bytesMax?: number,
  file?: AppendedFile,
): Promise<SamplesFile> => new QueuedFile(file ?? (await open(path, 'wx', 0o600)), path, bytesMax);

class QueuedFile implements SamplesFile {
  readonly #file: AppendedFile;
  readonly #path: string;
  /** Of the file; what comes past it is dropped. */
  #bytesLeft: number;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #droppedBytes = 0;
  #diskProblem: string | undefined;

  constructor(file: AppendedFile, path: string, bytesMax = Number.POSITIVE_INFINITY) {
    this.#file = file;
    this.#path = path;
    this.#bytesLeft = bytesMax;
  }

  get problem(): string | undefined {
    if (this.#diskProblem !== undefined) return `${this.#path} could not be written: ${this.#diskProblem}`;
    if (this.#droppedBytes === 0) return undefined;
    return `the disk was too slow for samples.jsonl: ${this.#droppedBytes} bytes are missing`;
  }

  append(lines: Uint8Array): void {
    const isOver = this.#closing !== undefined || lines.length > this.#bytesLeft;
    const isRefused = this.#diskProblem !== undefined || isOver;
    if (isRefused || this.#waitingBytes + lines.length > QUEUE_BYTES_MAX) {
      this.#droppedBytes += lines.length;
      return;
    }
    this.#bytesLeft -= lines.length;
    this.#waiting.push(lines);
    this.#waitingBytes += lines.length;
    this.#writing ??= this.#write();
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  close(signal: AbortSignal): Promise<void> {
    this.#closing ??= this.#close(signal);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(AbortSignal.timeout(DISPOSE_MS));
  }

  async #write(): Promise<void> {
    // Whatever else came in this turn goes with it.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#diskProblem === undefined) await writeAll(this.#file, lines);
      } catch (error) {
        this.#diskProblem = diskReason(error);
      }
      this.#waitingBytes -= lines.reduce((sum, { length }) => sum + length, 0);
    }
    this.#writing = undefined;
  }

  async #close(signal: AbortSignal): Promise<void> {
    const closed = (async () => {
      await this.#writing;
      try {
        await this.#file.datasync();
      } catch (error) {
        this.#diskProblem ??= diskReason(error);
      }
      await this.#file.close();
    })();
    // A disk that hangs must not hang the end of the run.
    await Promise.race([closed, untilAborted(signal).then(() => this.#giveUp(closed))]);
  }

  #giveUp(closed: Promise<void>): void {
    if (this.#waitingBytes > 0) this.#diskProblem ??= 'the disk does not answer';
    closed.catch(() => undefined);
  }
}

/** `writev` may write a part. */
const writeAll = async (file: AppendedFile, lines: readonly Uint8Array[]): Promise<void> => {
  let rest = Buffer.concat(lines);
  while (rest.length > 0) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
};

const DISPOSE_MS = 1_000;
const QUEUE_BYTES_MAX: number = 64 * 1024 * 1024;
