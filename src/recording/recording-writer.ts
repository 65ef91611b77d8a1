// Writes a recording: lines are collected into blocks, one every few seconds, so a recording cut off at any moment
// lacks only its last ones. It never overwrites a file.

import { type FileHandle, open } from 'node:fs/promises';
import { encodeBlock, type RecordingLine } from './recording-line.ts';

/** Of one recording on disk. */
const RECORDING_BYTES_MAX: number = 256 * 1024 * 1024;
/** Of the lines that wait for their block. */
const WAITING_TEXT_MAX: number = 1024 * 1024;
const BLOCK_MS = 5_000;

export class RecordingWriter implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #bytesMax: number;
  #waiting: string[] = [];
  #waitingLength = 0;
  #waitingSinceMs: number | undefined;
  #bytes = 0;
  #isFull = false;

  private constructor(file: FileHandle, bytesMax: number) {
    this.#file = file;
    this.#bytesMax = bytesMax;
  }

  /** @throws the system's error, EEXIST if the file already exists. */
  static async create(path: string, bytesMax: number = RECORDING_BYTES_MAX): Promise<RecordingWriter> {
    return new RecordingWriter(await open(path, 'wx', 0o600), bytesMax);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** No more lines are accepted: the file has reached its limit, or could not be written. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** @param atMs since the recording started. */
  async write(line: RecordingLine, atMs: number): Promise<void> {
    if (this.#isFull) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    this.#waitingSinceMs ??= atMs;
    if (this.#waitingLength >= WAITING_TEXT_MAX || atMs - this.#waitingSinceMs >= BLOCK_MS)
      await this.flush();
  }

  /** Waiting lines become a block, which is on disk when this resolves. */
  async flush(): Promise<void> {
    if (this.#waitingLength === 0 || this.#isFull) return;
    const block = encodeBlock(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#waitingSinceMs = undefined;
    if (this.#bytes + block.length > this.#bytesMax) {
      this.#isFull = true;
      return;
    }
    try {
      await this.#file.writeFile(block);
    } catch (error) {
      // The file stays a recording of complete blocks, and nothing more is tried.
      this.#isFull = true;
      await this.#file.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
    this.#bytes += block.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.flush();
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }
}
