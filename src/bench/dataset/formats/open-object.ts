// One JSON object that is being read: where it ends, by braces and quotation marks alone, and its pieces until it is
// whole, so that a file of any size is never whole in memory. JSON.parse validates its content.

import type { Sentences } from '../../../core/problem.ts';
import { type DatasetEntry, decodedEntry, EntryError } from './dataset-entry.ts';

interface OpenObjectOptions {
  readonly bytesMax: number;
  /** Error for a longer one. */
  readonly tooLong: Sentences;
}

export class OpenObject {
  readonly #options: OpenObjectOptions;
  /** Number of open braces. */
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #line = 1;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(options: OpenObjectOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** Line on which it began. */
  get line(): number {
    return this.#line;
  }

  begin(line: number): void {
    this.#depth = 1;
    this.#line = line;
  }

  /** For each byte within it. @returns whether the object ends with it */
  closes(byte: number): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
    } else if (byte === QUOTE) this.#isInText = true;
    else if (byte === OPEN_OBJECT) this.#depth += 1;
    else if (byte === CLOSE_OBJECT) this.#depth -= 1;
    return this.#depth === 0;
  }

  /** @throws EntryError if it is too long */
  keep(part: Buffer): void {
    this.#bytes += part.length;
    const { bytesMax, tooLong } = this.#options;
    if (this.#bytes > bytesMax) throw new EntryError(this.#line, tooLong.problem, tooLong.advice);
    // Copied: the buffer is reused for the next part of the file.
    this.#parts.push(Buffer.from(part));
  }

  /** @throws EntryError if it is not UTF-8 */
  whole(): DatasetEntry {
    const text = decodedEntry(Buffer.concat(this.#parts), this.#line);
    this.#parts = [];
    this.#bytes = 0;
    return { kind: 'json', line: this.#line, text };
  }
}

export const OPEN_OBJECT = 0x7b;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE_OBJECT = 0x7d;
