// The records of a CSV file under the names of its first one.

import { csvRecords } from './csv-records.ts';
import type { DatasetEntry } from './dataset-entry.ts';
import { ENTRY_BYTES_MAX, EntryError } from './dataset-entry.ts';

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
        `this record has ${fields.length} fields, and the first line names ${names.length}`,
        'A field with a comma or a line break stands in quotation marks.',
      );
    yield {
      kind: 'record',
      line,
      record: Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ''])),
    };
  }
}

async function* textsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const decoded = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new EntryError(line, 'from this line on the file is not UTF-8', 'Save the file as UTF-8.');
    }
  };
  for await (const chunk of chunks) {
    const text = decoded(chunk);
    yield text;
    line += text.split('\n').length - 1;
  }
  yield decoded();
}
