import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvEntries, csvRecords } from '../../../../src/bench/dataset/formats/csv-entries.ts';
import { EntryError } from '../../../../src/bench/dataset/formats/dataset-entry.ts';

const records = async (texts: readonly string[], recordLengthMax = 1_000_000) => {
  const found = [];
  for await (const record of csvRecords(texts, { recordLengthMax })) found.push(record);
  return found;
};

const written = (rows: readonly (readonly string[])[], newline: string): string =>
  rows.map(row => row.map(field => `"${field.replaceAll('"', '""')}"`).join(',')).join(newline);

describe('CSV', () => {
  test('gives the fields that were written, wherever the text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'ü') }), { minLength: 1 }),
        ),
        fc.nat(60),
        fc.constantFrom('\n', '\r\n'),
        async (rows, cut, newline) => {
          const text = written(rows, newline);
          const found = await records([text.slice(0, cut), text.slice(cut)]);
          expect(found.map(({ fields }) => fields)).toEqual(rows);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('takes fields without quotation marks, passes over empty lines and a byte order mark, and counts lines', async () => {
    expect(await records(['\ufeffa,b\r\n\r\n1,"x\ny"\n,2'])).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 3, fields: ['1', 'x\ny'] },
      { line: 5, fields: ['', '2'] },
    ]);
  });

  test.each([
    ['a\n"b', 2, 'never closed'],
    ['a\n"b"c', 2, 'follows a closing quotation mark'],
    [`a\n${'x'.repeat(200)}`, 2, 'longer than 100 characters'],
  ])('refuses what is no such file, with the line: %#', async (text, line, problem) => {
    const error: unknown = await records([text], 100).catch((caught: unknown) => caught);
    if (!(error instanceof EntryError)) throw new Error('it was taken');
    expect([error.line, error.message]).toEqual([line, expect.stringContaining(problem)]);
  });
});

test('of a file that is not UTF-8 its own line is named, however the file is cut', async () => {
  const bytes = Buffer.concat([
    Buffer.from('prompt\né€😀\nb\n'),
    Buffer.of(0x63, 0xff, 0x0a),
    Buffer.from('d\n'),
  ]);
  for (let size = 1; size <= bytes.length; size += 1) {
    const read: string[] = [];
    const entries = csvEntries(inChunks(bytes, size));
    await expect(async () => {
      for await (const entry of entries) if (entry.kind === 'record') read.push(entry.record['prompt'] ?? '');
    }).rejects.toMatchObject({ line: 4, message: 'this line is not UTF-8' });
    expect(read).toEqual(['é€😀', 'b']);
  }
});

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
