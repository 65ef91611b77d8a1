import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FileLine, fileLines } from '../../src/metrics/file-lines.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const linesOf = async (content: string, lineBytesMax: number): Promise<readonly FileLine[]> => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'lines');
  await writeFile(path, content);
  return await Array.fromAsync(fileLines(path, { lineBytesMax }));
};

describe('the lines of a file', () => {
  test('are those that were written, of any length and wherever a read ends', async () => {
    const length = fc.oneof(fc.nat({ max: 50 }), fc.constantFrom(1_048_575, 1_048_576, 1_048_577, 2_500_000));
    await fc.assert(
      fc.asyncProperty(fc.array(length, { maxLength: 5 }), fc.nat({ max: 9 }), async (lengths, rest) => {
        const texts = lengths.map((count, index) => String(index % 10).repeat(count));
        const content = texts.map(text => `${text}\n`).join('') + 'r'.repeat(rest);
        const expected = [
          ...texts.map(text => ({ kind: 'line', text })),
          ...(rest > 0 ? [{ kind: 'unfinished', text: 'r'.repeat(rest) }] : []),
        ];
        expect(await linesOf(content, 3_000_000)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  test('that are too long are skipped and reported, and those after them are read', async () => {
    const long = 'x'.repeat(3_000_000);
    expect(await linesOf(`a\n${long}\nb\n${long}`, 1_000)).toEqual([
      { kind: 'line', text: 'a' },
      { kind: 'too-long' },
      { kind: 'line', text: 'b' },
      { kind: 'too-long' },
    ]);
  });

  test('of an empty file are none', async () => {
    expect(await linesOf('', 10)).toEqual([]);
  });
});
