import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryError } from '../../../../src/bench/dataset/formats/dataset-entry.ts';
import { jsonArrayEntries } from '../../../../src/bench/dataset/formats/json-array-entries.ts';
import { inParts } from '../../../support/in-parts.ts';

const entries = async (text: string, cuts: readonly number[] = []) => {
  const found = [];
  for await (const entry of jsonArrayEntries(inParts(Buffer.from(text), cuts))) found.push(entry);
  return found;
};

describe('a JSON list of objects', () => {
  test('returns each object unchanged, wherever the file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.array(fc.nat(400), { maxLength: 20 }),
        fc.constantFrom(undefined, 1, 2),
        async (rows, cuts, indent) => {
          const found = await entries(JSON.stringify(rows, undefined, indent), cuts);
          expect(found.map(entry => (entry.kind === 'json' ? JSON.parse(entry.text) : entry))).toEqual(
            JSON.parse(JSON.stringify(rows)),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  test('reports on which line each begins', async () => {
    expect((await entries('\ufeff[\n{"a":1},\n\n  {"b":\n"}]"}]\n')).map(({ line }) => line)).toEqual([2, 4]);
  });

  test.each([
    ['', 1, 'the file is empty'],
    ['{"a":1}', 1, 'not a list of JSON objects'],
    ['[{"a":1}\n{"b":2}]', 2, 'not a list of JSON objects'],
    ['[{"a":1},]', 1, 'not a list of JSON objects'],
    ['[{"a":1}]\n[]', 2, 'not a list of JSON objects'],
    ['[1]', 1, 'not a list of JSON objects'],
    ['[\n{"a":\n1', 2, 'ends within this entry'],
    ['[\n{"a":1}\n', 3, 'ends before its list does'],
    [`[\n{"a":"${'x'.repeat(8 * 1024 * 1024)}"}]`, 2, 'longer than 8 MiB'],
  ])('refuses what is no such file, with the line: %#', async (text, line, problem) => {
    const error: unknown = await entries(text, [3]).catch((caught: unknown) => caught);
    if (!(error instanceof EntryError)) throw new Error('it was taken');
    expect([error.line, error.message]).toEqual([line, expect.stringContaining(problem)]);
  });
});
