// JSON objects one behind the other, in a list or not, each on one line or on many: cut by braces and quotation marks alone, so
// that a file of any size is never whole in memory. What stands within one is for JSON.parse to judge.

import type { DatasetEntry } from './dataset-entry.ts';
import { decodedEntry, EntryError } from './dataset-entry.ts';

/** @throws EntryError */
export async function* jsonObjectEntries(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { bytesMax }: { readonly bytesMax: number },
): AsyncGenerator<DatasetEntry, void, void> {
  const cutter = new ObjectCutter(bytesMax);
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  cutter.end();
}

class ObjectCutter {
  readonly #bytesMax: number;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #line = 1;
  #objectLine = 1;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  *cut(chunk: Buffer): Generator<DatasetEntry, void, void> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) this.#line += 1;
      if (this.#depth > 0) {
        if (!this.#closes(byte)) continue;
        this.#keep(chunk.subarray(from, at + 1));
        yield this.#entry();
      } else if (byte === OPEN_OBJECT) {
        from = at;
        this.#depth = 1;
        this.#objectLine = this.#line;
      } else if (!BETWEEN.has(byte))
        throw new EntryError(
          this.#line,
          'what stands between two JSON objects is neither a comma nor a space',
          'Is the file whole? Fetch it again.',
        );
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(from));
  }

  end(): void {
    if (this.#depth > 0)
      throw new EntryError(
        this.#objectLine,
        'the file ends within this object',
        'Is it whole? Fetch it again.',
      );
  }

  #closes(byte: number): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
    } else if (byte === QUOTE) this.#isInText = true;
    else if (byte === OPEN_OBJECT) this.#depth += 1;
    else if (byte === CLOSE_OBJECT) this.#depth -= 1;
    return this.#depth === 0;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax)
      throw new EntryError(
        this.#objectLine,
        `this object is longer than ${this.#bytesMax / 1024 / 1024} MiB`,
        'Is a brace missing? Otherwise use shorter ones.',
      );
    // The buffer that it lies in is used again for the next part of the file.
    this.#parts.push(Buffer.from(part));
  }

  #entry(): DatasetEntry {
    const text = decodedEntry(Buffer.concat(this.#parts), this.#objectLine);
    this.#parts = [];
    this.#bytes = 0;
    return { kind: 'json', line: this.#objectLine, text };
  }
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Space, tab, line breaks, comma, brackets, and the bytes of a byte order mark. */
const BETWEEN: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x5b, 0x5d, 0xef, 0xbb, 0xbf]);
