// The objects of a JSON array of any length, as ShareGPT and others publish data sets: cut by braces and quotation marks
// alone, so that a file of gigabytes is never whole in memory. What stands within one is for JSON.parse to judge.

import type { DatasetEntry } from './dataset-entry.ts';
import { decodedEntry, ENTRY_BYTES_MAX, EntryError } from './dataset-entry.ts';

/** @throws EntryError */
export async function* jsonArrayEntries(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<DatasetEntry, void, void> {
  const cutter = new ArrayCutter();
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  cutter.end();
}

type Place =
  | 'before the list'
  | 'at an entry or the end'
  | 'at an entry'
  | 'after an entry'
  | 'after the list';

class ArrayCutter {
  #place: Place = 'before the list';
  /** Of braces that are open; above 0 within an entry. */
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #line = 1;
  #entryLine = 1;
  #parts: Buffer[] = [];
  #bytes = 0;

  *cut(chunk: Buffer): Generator<DatasetEntry, void, void> {
    let from = 0;
    for (const [at, byte] of chunk.entries()) {
      if (byte === LINE_FEED) this.#line += 1;
      if (this.#depth > 0) {
        this.#within(byte);
        if (this.#depth > 0) continue;
        this.#keep(chunk.subarray(from, at + 1));
        yield this.#entry();
        this.#place = 'after an entry';
      } else if (byte === OPEN_OBJECT && ENTRY_PLACES.has(this.#place)) {
        from = at;
        this.#depth = 1;
        this.#entryLine = this.#line;
      } else if (!SPACES.has(byte)) this.#between(byte);
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(from));
  }

  end(): void {
    if (this.#place === 'after the list') return;
    if (this.#place === 'before the list') throw new EntryError(1, 'the file is empty', ADVICE);
    throw new EntryError(
      this.#depth > 0 ? this.#entryLine : this.#line,
      this.#depth > 0 ? 'the file ends within this entry' : 'the file ends before its list does',
      'Is it whole? Fetch it again.',
    );
  }

  #within(byte: number): void {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
    } else if (byte === QUOTE) this.#isInText = true;
    else if (byte === OPEN_OBJECT) this.#depth += 1;
    else if (byte === CLOSE_OBJECT) this.#depth -= 1;
  }

  #between(byte: number): void {
    if (this.#place === 'before the list' && BYTE_ORDER_MARK.has(byte)) return;
    const next = NEXT_PLACES[this.#place].get(byte);
    if (next === undefined) throw new EntryError(this.#line, 'this is no list of JSON objects', ADVICE);
    this.#place = next;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > ENTRY_BYTES_MAX)
      throw new EntryError(
        this.#entryLine,
        `this entry is longer than ${ENTRY_BYTES_MAX / 1024 / 1024} MiB`,
        'A shorter prompt is needed.',
      );
    // The buffer that it lies in is used again for the next part of the file.
    this.#parts.push(Buffer.from(part));
  }

  #entry(): DatasetEntry {
    const text = decodedEntry(Buffer.concat(this.#parts), this.#entryLine);
    this.#parts = [];
    this.#bytes = 0;
    return { kind: 'json', line: this.#entryLine, text };
  }
}

const ADVICE = 'A list is [{…}, {…}]; a file with one object on each line needs no brackets around them.';
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, LINE_FEED, 0x0d]);
const BYTE_ORDER_MARK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf]);
const ENTRY_PLACES: ReadonlySet<Place> = new Set<Place>(['at an entry or the end', 'at an entry']);
const NEXT_PLACES: Readonly<Record<Place, ReadonlyMap<number, Place>>> = {
  'before the list': new Map([[OPEN_ARRAY, 'at an entry or the end']]),
  'at an entry or the end': new Map([[CLOSE_ARRAY, 'after the list']]),
  'at an entry': new Map(),
  'after an entry': new Map<number, Place>([
    [COMMA, 'at an entry'],
    [CLOSE_ARRAY, 'after the list'],
  ]),
  'after the list': new Map(),
};
