// The records of a CSV file under the names of its first one.

import { isUtf8 } from 'node:buffer';
import { counted } from '../../../core/figure/figure.ts';
import { type DatasetEntry, ENTRY_BYTES_MAX, EntryError } from './dataset-entry.ts';

/** @throws EntryError */
export async function* csvEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<DatasetEntry, void, void> {
  let names: readonly string[] | undefined;
  for await (const { line, fields } of csvRecords(textsOf(chunks), { recordLengthMax: ENTRY_BYTES_MAX })) {
    if (names === undefined) {
      names = fields.map(name => name.trim());
      continue;
    }
    if (fields.length !== names.length)
      throw new EntryError(
        line,
        `this record has ${counted(fields.length, 'field')}, and the first line names ${names.length}`,
        'A field with a comma or a line break stands in quotation marks.',
      );
    yield {
      kind: 'record',
      line,
      record: Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ''])),
    };
  }
}

/**
 * Invalid UTF-8 is refused with its line, at any cut of the file: a line feed byte is never part of another
 * character.
 */
async function* textsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = endOfCharacters(bytes);
    rest = bytes.subarray(end);
    for (const text of textsIn(bytes.subarray(0, end), line)) {
      yield text;
      line += text.split('\n').length - 1;
    }
  }
  yield* textsIn(rest, line);
}

function* textsIn(bytes: Buffer, firstLine: number): Generator<string, void, void> {
  if (isUtf8(bytes)) return yield bytes.toString('utf8');
  let line = firstLine;
  for (let at = 0; at < bytes.length; line += 1) {
    const lineFeed = bytes.indexOf(LINE_FEED, at);
    const end = lineFeed === -1 ? bytes.length : lineFeed + 1;
    if (!isUtf8(bytes.subarray(at, end)))
      throw new EntryError(line, 'this line is not UTF-8', 'Save the file as UTF-8.');
    yield bytes.toString('utf8', at, end);
    at = end;
  }
}

/** Excludes a last character that is incomplete. */
const endOfCharacters = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

const LINE_FEED = 0x0a;

// The records of a CSV file (RFC 4180), at any cut into parts: quoted fields may contain commas, doubled quotation
// marks and line breaks. The first record names the columns.
interface CsvRecord {
  /** Line on which it begins, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** Empty lines are passed over. @throws EntryError */
export async function* csvRecords(
  texts: AsyncIterable<string> | Iterable<string>,
  { recordLengthMax }: { readonly recordLengthMax: number },
): AsyncGenerator<CsvRecord, void, void> {
  const cutter = new RecordCutter(recordLengthMax);
  for await (const text of texts) yield* cutter.cut(text);
  yield* cutter.end();
}

class RecordCutter {
  readonly #recordLengthMax: number;
  #fields: string[] = [];
  #field = '';
  #length = 0;
  /** A quotation mark in a quoted field ends it or is the first of two: the next character decides. */
  #state: 'start of field' | 'plain' | 'quoted' | 'after quote' = 'start of field';
  #line = 1;
  #recordLine = 1;
  #isFirst = true;

  constructor(recordLengthMax: number) {
    this.#recordLengthMax = recordLengthMax;
  }

  *cut(text: string): Generator<CsvRecord, void, void> {
    for (const character of this.#isFirst && text.startsWith('\ufeff') ? text.slice(1) : text) {
      this.#isFirst = false;
      this.#length += 1;
      if (this.#length > this.#recordLengthMax)
        throw new EntryError(
          this.#recordLine,
          `this record is longer than ${this.#recordLengthMax} characters`,
          ADVICE,
        );
      if (character === '\n') this.#line += 1;
      if (this.#state === 'quoted') {
        if (character === '"') this.#state = 'after quote';
        else this.#field += character;
      } else if (character === ',') this.#endField();
      else if (character === '\n') yield* this.#endRecord();
      else this.#take(character);
    }
  }

  *end(): Generator<CsvRecord, void, void> {
    if (this.#state === 'quoted')
      throw new EntryError(this.#recordLine, 'a quotation mark of this record is never closed', ADVICE);
    yield* this.#endRecord();
  }

  #take(character: string): void {
    if (character === '"' && this.#state === 'start of field') this.#state = 'quoted';
    else if (character === '"' && this.#state === 'after quote') {
      this.#field += '"';
      this.#state = 'quoted';
    } else if (this.#state === 'after quote') {
      if (character === '\r') return;
      throw new EntryError(
        this.#line,
        `${JSON.stringify(character)} follows a closing quotation mark`,
        ADVICE,
      );
    } else {
      this.#field += character;
      this.#state = 'plain';
    }
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'start of field';
  }

  *#endRecord(): Generator<CsvRecord, void, void> {
    if (this.#state !== 'after quote' && this.#field.endsWith('\r')) this.#field = this.#field.slice(0, -1);
    const isEmpty = this.#fields.length === 0 && this.#field === '' && this.#state !== 'after quote';
    this.#endField();
    const record = { line: this.#recordLine, fields: this.#fields };
    this.#fields = [];
    this.#length = 0;
    this.#recordLine = this.#line;
    if (!isEmpty) yield record;
  }
}

const ADVICE =
  'A field with a comma, a quotation mark or a line break stands in quotation marks, its own ones doubled.';
