// The records of a CSV file (RFC 4180), at any cut into parts: quoted fields may contain commas, doubled quotation
// marks and line breaks. The first record names the columns.

import { EntryError } from './dataset-entry.ts';

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
  #place: 'start of field' | 'plain' | 'quoted' | 'after quote' = 'start of field';
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
      if (this.#place === 'quoted') {
        if (character === '"') this.#place = 'after quote';
        else this.#field += character;
      } else if (character === ',') this.#endField();
      else if (character === '\n') yield* this.#endRecord();
      else this.#take(character);
    }
  }

  *end(): Generator<CsvRecord, void, void> {
    if (this.#place === 'quoted')
      throw new EntryError(this.#recordLine, 'a quotation mark of this record is never closed', ADVICE);
    yield* this.#endRecord();
  }

  #take(character: string): void {
    if (character === '"' && this.#place === 'start of field') this.#place = 'quoted';
    else if (character === '"' && this.#place === 'after quote') {
      this.#field += '"';
      this.#place = 'quoted';
    } else if (this.#place === 'after quote') {
      if (character === '\r') return;
      throw new EntryError(
        this.#line,
        `${JSON.stringify(character)} stands behind a closing quotation mark`,
        ADVICE,
      );
    } else {
      this.#field += character;
      this.#place = 'plain';
    }
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#place = 'start of field';
  }

  *#endRecord(): Generator<CsvRecord, void, void> {
    if (this.#place !== 'after quote' && this.#field.endsWith('\r')) this.#field = this.#field.slice(0, -1);
    const isEmpty = this.#fields.length === 0 && this.#field === '' && this.#place !== 'after quote';
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
