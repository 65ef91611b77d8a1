import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../../src/bench/bench-error.ts';
import { readDatasetFile } from '../../../../src/bench/dataset/dataset-file.ts';
import { parquetBatches } from '../../../../src/bench/dataset/formats/parquet-batches.ts';
import type { Dataset } from '../../../../src/bench/dataset/prompt.ts';
import { seededRandom } from '../../../../src/core/random.ts';
import { longCount } from '../../../support/counts.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const signal = new AbortController().signal;

/** Written by pyarrow 26.0.1: nine rows in groups of four. */
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/parquet/${name}.parquet`, import.meta.url));

const read = (path: string, column?: string): Promise<Dataset> =>
  readDatasetFile({ path, shownPath: 'a.parquet', column, signal });

const refusal = async (path: string, column?: string): Promise<string> => {
  const error: unknown = await read(path, column).catch((caught: unknown) => caught);
  if (!(error instanceof BenchError)) throw new Error(`it was taken: ${String(error)}`);
  expect(error.problem).toMatchObject({ code: 'input', advice: expect.stringMatching(/./) });
  return error.message;
};

describe('a Parquet data set', () => {
  test.each(['none', 'snappy', 'zstd', 'gzip', 'brotli'])('is read, compressed with %s', async codec => {
    const { prompts, file } = await read(fixture(codec));
    expect(prompts).toEqual(
      Array.from({ length: 9 }, (_, index) => ({
        messages: [{ role: 'user', content: `Question ${index}: why is the sky blue über ${index}?` }],
        maxTokens: index === 4 ? undefined : 16 + index,
      })),
    );
    expect(file?.bytes).toBe(readFileSync(fixture(codec)).length);
  });

  test('has messages and conversations in lists of structures', async () => {
    const messages = await read(fixture('messages'));
    expect(messages.prompts).toHaveLength(5);
    expect(messages.prompts[4]).toEqual({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Number 4?' },
      ],
      maxTokens: 8,
    });
    expect((await read(fixture('sharegpt'))).prompts[1]?.messages).toEqual([
      { role: 'user', content: 'Hello 1' },
    ]);
  });

  test('gives a column that is asked for, and reports which there are otherwise', async () => {
    expect((await read(fixture('none'), 'note').catch(String)).toString()).toContain(
      'a.parquet, row 1: "note" is empty',
    );
    expect(await refusal(fixture('none'), 'promt')).toContain('Did you mean --prompt-column prompt?');
  });

  test('is refused in words where its compression is not known', async () => {
    expect(await refusal(fixture('lz4'))).toBe(
      'a.parquet, row 1: row group 1 is compressed with LZ4_RAW, which cannot be read here. Write it with one of UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD.',
    );
  });

  test('is refused with its row where its reader ends over it', async () => {
    // Found by fuzzing: one of two columns that the library reads at once fails when nobody waits for it any more.
    expect(await refusal(fixture('ends-its-reader'))).toContain(
      'a.parquet, row 1: what follows cannot be read: parquet dictionary page header is undefined',
    );
  });

  test('is refused with its row where a column of a row group has no name', async () => {
    // Found by fuzzing.
    const batches = parquetBatches({ path: fixture('unnamed-column'), columnsOf: async names => names });
    await expect(Array.fromAsync(batches)).rejects.toThrow('row group 2 does not say what its columns are');
  });

  test(
    'is read or refused with its row, however it is damaged',
    async () => {
      using directory = temporaryDirectory();
      const random = seededRandom(11);
      const path = join(directory.path, 'damaged.parquet');
      for (const name of ['none', 'snappy', 'zstd', 'messages']) {
        const good = readFileSync(fixture(name));
        for (let round = 0; round < longCount(6, 400); round += 1) {
          const bytes = Buffer.from(good);
          const at = random.below(bytes.length);
          bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
          writeFileSync(path, round % 5 === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes);
          const outcome = await read(path).catch((error: unknown) => error);
          if (outcome instanceof Error) {
            if (!(outcome instanceof BenchError)) throw outcome;
            expect(outcome.message).toMatch(/^a\.parquet(, row \d+: |:\d+: | has no prompt)/);
          }
        }
      }
      // One of the long run asks for endless values, until the reader's minute is over.
    },
    longCount(60_000, 900_000),
  );
});
