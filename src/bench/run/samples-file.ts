// samples.jsonl, appended during the run by the process that sends the load. Adding lines never waits: they queue up
// to a limit; beyond it, or when the disk fails, they are dropped and counted, and the run is incomplete.

import { open } from 'node:fs/promises';
import { untilAborted } from '../../clock/clock.ts';
import { diskReason } from '../../process/disk-reason.ts';

export interface SamplesFile extends AsyncDisposable {
  /** Whole lines. */
  append(lines: Uint8Array): void;
  /**
   * Resolves when all queued lines are written, or cannot be: for sources that are faster than a disk. Never rejects.
   */
  settled(): Promise<void>;
  readonly problem: string | undefined;
  /** Writes the queue, at most until `signal` aborts, flushes and closes. Idempotent. */
  close(signal: AbortSignal): Promise<void>;
}

/** The operations on the file; a simulation has its own disk. */
export interface AppendedFile {
  /** May write a part. */
  write(bytes: Uint8Array): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** @throws the system's error when the file cannot be created. */
export const openSamplesFile = async (
  path: string,
  bytesMax?: number,
  file?: AppendedFile,
): Promise<SamplesFile> => new QueuedFile(file ?? (await open(path, 'wx', 0o600)), path, bytesMax);

class QueuedFile implements SamplesFile {
  readonly #file: AppendedFile;
  readonly #path: string;
  /** Remaining bytes of the file; lines beyond are dropped. */
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
    // Written together with everything else of this turn.
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
