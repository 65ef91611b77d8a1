// Tokens of answers by a tokenizer of the person's own: counted as Hugging Face's own library counts them, damaged files refused with
// words, and a run completed by the counts.

import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { answerTokensOf } from '../../../src/bench/tokenizer/answer-tokens.ts';
import { readTokenizer } from '../../../src/bench/tokenizer/tokenizer-files.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/tokenizers', import.meta.url));
const BPE = readFileSync(join(FIXTURES, 'bpe/tokenizer.json'), 'utf8');
const NEVER = new AbortController().signal;

interface NativeCounts {
  readonly name: string;
  readonly counts: readonly (readonly [text: string, tokens: number])[];
}

/** What the native library `tokenizers` 0.23.2 counts; make-tokenizers.py wrote them. */
const NATIVE: readonly NativeCounts[] = JSON.parse(readFileSync(join(FIXTURES, 'counts.json'), 'utf8'));

test.each(NATIVE)('$name counts as the native library does', async ({ name, counts }) => {
  const { tokensOf, facts } = await readTokenizer(join(FIXTURES, name));
  for (const [text, tokens] of counts) expect(tokensOf(text), text).toBe(tokens);
  expect(String(facts.model).toLowerCase()).toBe(name);
});

describe('a tokenizer is refused with what is wrong with it', () => {
  test.each([
    ['cut off', BPE.slice(0, 5_000), /not a JSON object: it is cut off/],
    ['a list', '[]', /not a JSON object/],
    ['without a model', '{}', /no "model"/],
    ['of a type that nobody knows', '{"model":{"type":"Magic"}}', /"Magic"; BPE, WordPiece and Unigram/],
    ['of a lying type', BPE.replace('"type":"BPE"', '"type":"Unigram"'), /says Unigram, and its "vocab"/],
    ['with words of no number', BPE.replace(/"!":\d+/, '"!":"one"'), /says BPE, and its "vocab"/],
    ['with merges of no pairs', BPE.replace('"merges":[', '"merges":[5,'), /its "merges" are no list/],
    ['with a step that nobody knows', BPE.replaceAll('"ByteLevel"', '"Nope"'), /Unknown PreTokenizer/],
  ])('that is %s', async (_, text, problem) => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'tokenizer.json'), text);
    await expect(readTokenizer(folder.path)).rejects.toThrow(problem);
  });

  test('whose tokenizer_config.json is cut off', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'tokenizer.json'), BPE);
    writeFileSync(join(folder.path, 'tokenizer_config.json'), '{"tokenizer_class":');
    await expect(readTokenizer(folder.path)).rejects.toThrow('tokenizer_config.json is not a JSON object');
  });

  test('that is missing, a folder, or has 500 MB', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'tokenizer.json');
    await expect(readTokenizer(folder.path)).rejects.toThrow('has no tokenizer.json');
    writeFileSync(file, '');
    truncateSync(file, 500_000_000);
    await expect(readTokenizer(folder.path)).rejects.toThrow(
      'tokenizer.json cannot be read: it is larger than 128 MiB',
    );
    using other = temporaryDirectory();
    mkdirSync(join(other.path, 'tokenizer.json'));
    await expect(readTokenizer(other.path)).rejects.toThrow('tokenizer.json cannot be read: it is a folder');
  });
});

test('lines that are damaged are not counted', async () => {
  using folder = temporaryDirectory();
  const answers = join(folder.path, 'answers');
  writeFileSync(answers, `[1,"Hello, world!"]\n{"a":\n["x"]\n[3,""]\n[4,"cut`);
  const { tokens, facts } = await answerTokensOf({ folder: join(FIXTURES, 'unigram'), answers }, NEVER);
  expect([...tokens]).toEqual([
    [1, 12],
    [3, 0],
  ]);
  expect(facts.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('a run whose server reports no usage has the tokens of its answers, in a rebuilt report too, and keeps no text', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 1, outputTokens: 6, usage: 'never' });
  const { report } = await runBench(
    requestHere(mock.url, { samplesMax: 6, tokenizer: { kind: 'folder', path: join(FIXTURES, 'bpe') } }),
    partsHere(folder.path),
  );
  if (report.tokenizer === undefined || isUnknown(report.tokenizer)) throw new Error('not counted');
  const { tokens } = report.tokenizer;
  expect(report.tokenizer).toMatchObject({ model: 'BPE', answers: 6, uncounted: 0, filled: 6 });
  expect(report.series['outputTokens']).toMatchObject({ count: 6, total: String(tokens) });
  expect(report.series['tpotNs']).toMatchObject({ count: 6 });
  expect(isUnknown(report.outputTokensPerSecond)).toBe(false);
  expect(isUnknown(report.inputTokensPerSecond)).toBe(true);
  expect(report.notices.join('\n')).toContain('output tokens of 6 answers are counted by the tokenizer bpe');
  const [run = ''] = readdirSync(folder.path).map(name => join(folder.path, name));
  expect(readdirSync(run)).not.toContain('answers.tmp');
  const rebuilt = await rebuildReport(run);
  expect(rebuilt.tokenizer).toEqual(report.tokenizer);
  expect(rebuilt.outputTokensPerSecond).toBe(report.outputTokensPerSecond);
});

test('reported usage stays, and a difference is noted', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 6 });
  const { report } = await runBench(
    requestHere(mock.url, { samplesMax: 6, tokenizer: { kind: 'folder', path: join(FIXTURES, 'bpe') } }),
    partsHere(folder.path),
  );
  expect(report.tokenizer).toMatchObject({ filled: 0, compared: { answers: 6, reportedTokens: 36 } });
  expect(report.series['outputTokens']).toMatchObject({ total: '36' });
  expect(report.notices.join('\n')).toMatch(/the server's usage and the tokenizer differ: \d+ tokens/);
});

test('a run with a tokenizer that cannot be used is refused before it loads anybody', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({});
  const running = runBench(
    requestHere(mock.url, { samplesMax: 1, tokenizer: { kind: 'folder', path: folder.path } }),
    partsHere(folder.path),
  );
  await expect(running).rejects.toThrow(/cannot be used: .* has no tokenizer.json/);
});
