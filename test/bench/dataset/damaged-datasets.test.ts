// Data sets and files of settings that are damaged: each is read, or refused with the line that is wrong and what to do, and the
// person's own file is left as it was.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BenchError } from '../../../src/bench/bench-error.ts';
import { readDatasetFile } from '../../../src/bench/dataset/dataset-file.ts';
import { readHistogramFile } from '../../../src/bench/dataset/length-choice.ts';
import { readLoadStages } from '../../../src/cli/bench/load-stages.ts';
import { CommandError, terminalText } from '../../../src/cli/command-error.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { longCount } from '../../support/counts.ts';
import { damagedBytes } from '../../support/damaged-bytes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ROWS = Array.from({ length: 12 }, (_, index) => index);
const lines = (row: (index: number) => unknown): string =>
  ROWS.map(index => `${JSON.stringify(row(index))}\n`).join('');

const conversation = (index: number): object => ({
  id: `c${index}`,
  conversations: [
    { from: 'human', value: `What is ${index}?` },
    { from: 'gpt', value: 'A number — "odd" or even.' },
    { from: 'human', value: 'Which one?' },
  ],
});

interface Format {
  readonly name: string;
  readonly file: string;
  readonly good: string;
  readonly isWhole?: boolean;
  /** What a refusal begins with, behind the file's name. */
  readonly location: RegExp;
  /** Whether damage can be seen in it at all: a text is a text. */
  readonly isText?: boolean;
}

const BY_LINE = /^(:\d+: | has no prompt)/;

const FORMATS: readonly Format[] = [
  {
    name: 'prompts',
    file: 'a.jsonl',
    good: lines(index => ({ prompt: `why ${index}?`, max_tokens: 9 })),
    location: BY_LINE,
  },
  {
    name: 'messages',
    file: 'a.jsonl',
    good: lines(index => ({ messages: [{ role: 'user', content: `why ${index}?` }] })),
    location: BY_LINE,
  },
  {
    name: "OpenAI's batch",
    file: 'a.jsonl',
    good: lines(index => ({
      custom_id: `r${index}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'm', messages: [{ role: 'user', content: `why ${index}?` }], max_tokens: 9 },
    })),
    location: BY_LINE,
  },
  {
    name: 'ShareGPT',
    file: 'a.json',
    good: JSON.stringify(ROWS.map(conversation), undefined, 1),
    isWhole: true,
    location: BY_LINE,
  },
  { name: 'ShareGPT by line', file: 'a.jsonl', good: lines(conversation), isWhole: true, location: BY_LINE },
  {
    name: 'a JSON list',
    file: 'a.json',
    good: JSON.stringify(ROWS.map(index => ({ question: `why ${index}?` }))),
    location: BY_LINE,
  },
  {
    name: 'CSV',
    file: 'a.csv',
    good: `id,prompt\n${ROWS.map(index => `${index},"why, ${index}?\nsay"\n`).join('')}`,
    location: BY_LINE,
    isText: true,
  },
];

const PROBLEM = { code: 'input', advice: expect.stringMatching(/./) };
const ROUNDS = longCount(6, 102);

test.each(FORMATS)(
  'of damaged files of $name each is read or refused with its line',
  async format => {
    using directory = temporaryDirectory();
    const path = join(directory.path, format.file);
    const read = async (): Promise<number> => {
      const { prompts } = await readDatasetFile({
        path,
        shownPath: format.file,
        column: undefined,
        signal: new AbortController().signal,
        ...(format.isWhole === true ? { isWhole: true } : {}),
      });
      return prompts.length;
    };
    const good = Buffer.from(format.good);
    writeFileSync(path, good);
    expect(await read()).toBe(ROWS.length);
    const random = seededRandom(23);
    let refused = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = damagedBytes(good, round, random);
      writeFileSync(path, bytes);
      const outcome = await read().catch((error: unknown) => error);
      expect(readFileSync(path).equals(bytes)).toBe(true);
      if (typeof outcome === 'number') continue;
      if (!(outcome instanceof BenchError)) throw outcome;
      refused += 1;
      expect(outcome.problem).toMatchObject(PROBLEM);
      expect(outcome.message.slice(0, format.file.length)).toBe(format.file);
      expect(outcome.message.slice(format.file.length)).toMatch(format.location);
      expect(outcome.message.length).toBeLessThan(600);
      // Nothing of a broken file may steer a terminal.
      expect(terminalText(outcome.problem)).not.toContain('\0');
    }
    expect(refused).toBeGreaterThan(format.isText === true ? 0 : ROUNDS / 4);
  },
  longCount(30_000, 300_000),
);

test('of a folder of damaged texts each is read or refused by its name', async () => {
  using directory = temporaryDirectory();
  const folder = join(directory.path, 'texts');
  mkdirSync(folder);
  const random = seededRandom(29);
  const good = Buffer.from('Why is the sky blue? é\nSay it in 9 words.\n');
  const read = () =>
    readDatasetFile({
      path: folder,
      shownPath: 'texts',
      column: undefined,
      signal: new AbortController().signal,
    });
  writeFileSync(join(folder, 'a.txt'), good);
  for (let round = 0; round < ROUNDS; round += 1) {
    writeFileSync(join(folder, 'b.txt'), damagedBytes(good, round, random));
    const outcome = await read().catch((error: unknown) => error);
    if (!(outcome instanceof Error)) continue;
    if (!(outcome instanceof BenchError)) throw outcome;
    expect(outcome.problem).toMatchObject(PROBLEM);
    expect(outcome.message).toMatch(/^texts\/b\.txt/);
  }
});

test('of damaged histograms of lengths, and files of stages, each is read or refused by its name', async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'f');
  const random = seededRandom(31);
  const histogram = Buffer.from(JSON.stringify(ROWS.map(index => [index * 10, index * 10 + 10, 5])));
  const stages = Buffer.from(
    '[[stage]]\nrate = 5\nduration = "30s"\n\n[[stage]]\nrate = 20\nduration = "1m"\nmove = "linear"\n',
  );
  writeFileSync(path, stages);
  expect((await readLoadStages('f', directory.path)).steps).toHaveLength(2);
  for (let round = 0; round < ROUNDS; round += 1) {
    writeFileSync(path, damagedBytes(histogram, round, random));
    const lengths = await readHistogramFile({ path, shownPath: 'f' }).catch((error: unknown) => error);
    if (lengths instanceof Error) {
      if (!(lengths instanceof BenchError)) throw lengths;
      expect(lengths.problem).toMatchObject(PROBLEM);
      expect(lengths.message).toMatch(/^(--stages )?f: ./);
    }
    writeFileSync(path, damagedBytes(stages, round, random));
    const course = await readLoadStages('f', directory.path).catch((error: unknown) => error);
    if (!(course instanceof Error)) continue;
    if (!(course instanceof CommandError)) throw course;
    expect(course.code).toBe('benchInput');
    expect(course.message).toMatch(/^(--stages )?f: ./);
  }
});
