// The records of a CSV file under the names of its first one.

import { isUtf8 } from 'node:buffer';
import { counted } from '../../../core/figure/figure.ts';
import { csvRecords } from './csv-records.ts';
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
