// The objects of a JSON array of any length, as ShareGPT and others publish data sets: split by braces and quotation
// marks alone, so that a file of gigabytes is never whole in memory. JSON.parse validates each object.

import { type DatasetEntry, ENTRY_BYTES_MAX, EntryError } from './dataset-entry.ts';
import { OPEN_OBJECT, OpenObject } from './open-object.ts';

/** @throws EntryError */
export async function* jsonArrayEntries(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<DatasetEntry, void, void> {
  const cutter = new ArrayCutter();
  for await (const chunk of chunks) yield* cutter.cut(chunk);
  cutter.end();
}

type ParserState =
  | 'before the list'
  | 'at an entry or the end'
  | 'at an entry'
  | 'after an entry'
  | 'after the list';

class ArrayCutter {
  readonly #entry = new OpenObject({
    bytesMax: ENTRY_BYTES_MAX,
    tooLong: {
      problem: `this entry is longer than ${ENTRY_BYTES_MAX / 1024 / 1024} MiB`,
      advice: 'A shorter prompt is needed.',
    },
  });
  #state: ParserState = 'before the list';
  #line = 1;

  *cut(chunk: Buffer): Generator<DatasetEntry, void, void> {
    const entry = this.#entry;
    let from = 0;
    for (const [at, byte] of chunk.entries()) {
      if (byte === LINE_FEED) this.#line += 1;
      if (entry.isOpen) {
        if (!entry.closes(byte)) continue;
        entry.keep(chunk.subarray(from, at + 1));
        yield entry.whole();
        this.#state = 'after an entry';
      } else if (byte === OPEN_OBJECT && ENTRY_STATES.has(this.#state)) {
        from = at;
        entry.begin(this.#line);
      } else if (!SPACES.has(byte)) this.#between(byte);
    }
    if (entry.isOpen) entry.keep(chunk.subarray(from));
  }

  end(): void {
    if (this.#state === 'after the list') return;
    if (this.#state === 'before the list') throw new EntryError(1, 'the file is empty', ADVICE);
    const { isOpen, line } = this.#entry;
    throw new EntryError(
      isOpen ? line : this.#line,
      isOpen ? 'the file ends within this entry' : 'the file ends before its list does',
      'Is it whole? Fetch it again.',
    );
  }

  #between(byte: number): void {
    if (this.#state === 'before the list' && BYTE_ORDER_MARK.has(byte)) return;
    const next = NEXT_STATES[this.#state].get(byte);
    if (next === undefined) throw new EntryError(this.#line, 'this is not a list of JSON objects', ADVICE);
    this.#state = next;
  }
}

const ADVICE = 'A list is [{…}, {…}]; a file with one object on each line needs no brackets around them.';
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, LINE_FEED, 0x0d]);
const BYTE_ORDER_MARK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf]);
const ENTRY_STATES: ReadonlySet<ParserState> = new Set<ParserState>([
  'at an entry or the end',
  'at an entry',
]);
const NEXT_STATES: Readonly<Record<ParserState, ReadonlyMap<number, ParserState>>> = {
  'before the list': new Map([[OPEN_ARRAY, 'at an entry or the end']]),
  'at an entry or the end': new Map([[CLOSE_ARRAY, 'after the list']]),
  'at an entry': new Map(),
  'after an entry': new Map<number, ParserState>([
    [COMMA, 'at an entry'],
    [CLOSE_ARRAY, 'after the list'],
  ]),
  'after the list': new Map(),
};
