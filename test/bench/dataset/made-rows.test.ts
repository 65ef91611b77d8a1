import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDatasetFile } from '../../../src/bench/dataset/dataset-file.ts';
import type { ChosenLengths } from '../../../src/bench/dataset/length-choice.ts';
import { type GeneratedRowOptions, type MadeRow, madeRows } from '../../../src/bench/dataset/made-rows.ts';
import { writeRows } from '../../../src/bench/dataset/write-rows.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const fixed = (value: number): ChosenLengths => ({
  distribution: { kind: 'fixed', value },
  text: String(value),
});

const REQUEST: GeneratedRowOptions = {
  seed: 3,
  count: 40,
  input: fixed(60),
  output: fixed(7),
  prefixes: { count: 4, tokens: 100, isShuffled: true },
};

const rows = (change: Partial<GeneratedRowOptions> = {}): readonly MadeRow[] => [
  ...madeRows({ ...REQUEST, ...change }),
];

describe('a data set that is made up', () => {
  test('has each prefix as often as the others, with as many words as were asked for', () => {
    const made = rows();
    const starts = made.map(({ prompt }) => prompt.split(' ').slice(0, 100).join(' '));
    const counts = Map.groupBy(starts, start => start);
    expect([...counts.values()].map(({ length }) => length)).toEqual([10, 10, 10, 10]);
    expect(starts.slice(0, 4)).not.toEqual([...counts.keys()]);
    expect(new Set(made.map(({ prompt }) => prompt.split(' ').length))).toEqual(new Set([160]));
    expect(new Set(made.map(({ prompt }) => prompt)).size).toBe(40);
    expect(made.every(({ max_tokens }) => max_tokens === 7)).toBe(true);
  });

  test('is the same for a seed, and the beginning of a longer one', () => {
    const plain = { prefixes: undefined, input: fixed(30) };
    expect(rows(plain)).toEqual(rows({ ...plain, count: 80 }).slice(0, 40));
    expect(rows(plain)).not.toEqual(rows({ ...plain, seed: 4 }));
  });

  test('is written whole or not at all, never over another file, and read as it was made', async () => {
    using directory = temporaryDirectory();
    const signal = new AbortController().signal;
    const path = join(directory.path, 'made.jsonl');
    const location = { path, shownPath: 'made.jsonl', signal };
    const written = await writeRows(rows(), location);
    const { prompts, file } = await readDatasetFile({ ...location, column: undefined });
    expect(file).toEqual({ bytes: written.bytes, sha256: written.sha256 });
    expect(prompts.map(({ messages, maxTokens }) => [messages[0]?.content, maxTokens])).toEqual(
      rows().map(({ prompt, max_tokens }) => [prompt, max_tokens]),
    );
    writeFileSync(path, 'kept');
    await expect(writeRows(rows(), location)).rejects.toThrow('made.jsonl is there already');
    expect(readFileSync(path, 'utf8')).toBe('kept');
    const stopped = AbortSignal.abort(new Error('stopped'));
    const other = join(directory.path, 'other.jsonl');
    await expect(writeRows(rows(), { ...location, path: other, signal: stopped })).rejects.toThrow();
    expect([existsSync(other), existsSync(`${other}.part`)]).toEqual([false, false]);
    const nowhere = { ...location, path: join(directory.path, 'no', 'made.jsonl') };
    await expect(writeRows(rows(), nowhere)).rejects.toThrow('its folder does not exist');
  });
});
