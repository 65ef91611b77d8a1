// Reads samples.jsonl from where it stopped the last time, a bounded part at a time. Of a file that grows faster than it
// may be read, the newest part counts.

import { errorCode } from '../../core/problem.ts';
import { openInputFile } from '../../process/input-file.ts';
import { TextLines } from '../../process/text-lines.ts';
import { decodeSampleTimes, type SampleTimes } from '../../wire/sample-times.ts';

/** Read of a live run each second: about 3,000 samples. */
export const LIVE_BYTES_MAX: number = 2 * 1024 * 1024;
/** Read of a finished run. */
export const FINISHED_BYTES_MAX: number = 256 * 1024 * 1024;
/** A longer line is none of ours. */
export const LINE_LENGTH_MAX: number = 4 * 1024 * 1024;

interface SamplesRead {
  /** Bytes that were left out in between. */
  readonly skippedBytes: number;
  /** Bytes that are there and were not read. */
  readonly restBytes: number;
}

export class SamplesReader {
  readonly #path: string;
  #offset = 0;
  readonly #lines = new TextLines(LINE_LENGTH_MAX);

  constructor(path: string) {
    this.#path = path;
  }

  /** Undefined where there is no file that could be read. */
  async read(
    take: (sample: SampleTimes) => void,
    { bytesMax, skipsAhead }: { readonly bytesMax: number; readonly skipsAhead: boolean },
  ): Promise<SamplesRead | undefined> {
    try {
      const file = await openInputFile(this.#path, 'runFile');
      try {
        const { size } = await file.stat();
        const skippedBytes = skipsAhead ? this.#skipTo(size - bytesMax) : 0;
        const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
        let readBytes = 0;
        while (readBytes < bytesMax) {
          const length = Math.min(CHUNK_BYTES, bytesMax - readBytes);
          const { bytesRead } = await file.read(buffer, 0, length, this.#offset);
          if (bytesRead === 0) break;
          readBytes += bytesRead;
          this.#offset += bytesRead;
          this.#take(buffer.subarray(0, bytesRead), take);
        }
        return { skippedBytes, restBytes: Math.max(0, size - this.#offset) };
      } finally {
        await file.close();
      }
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #skipTo(offset: number): number {
    const skipped = offset - this.#offset;
    if (skipped <= 0) return 0;
    this.#offset = offset;
    this.#lines.skipToNext();
    return skipped;
  }

  #take(chunk: Buffer, take: (sample: SampleTimes) => void): void {
    for (const line of this.#lines.add(chunk)) {
      const sample = decodeSampleTimes(line);
      if (sample !== undefined) take(sample);
    }
  }
}

const CHUNK_BYTES = 256 * 1024;
