// tokenizer.json and tokenizer_config.json of a folder, and texts to count with what was read of them. A tokenizer is refused in words,
// or counts whole tokens; what it does not count is left out, as the thread that counts does.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTokenizer, TokenizerError } from '../../../src/bench/tokenizer/tokenizer-files.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

let folder: TemporaryDirectory | undefined;

const TEXTS = [
  '',
  'Hello, world! 42',
  '  za\u017c\u00f3\u0142\u0107 \u732b\t\u0000\ud83d\ude00\n',
  'a'.repeat(300),
];

/**
 * A tokenizer of the fixtures with a part of its words, so that the text around them is changed as often.
 */
const small = (name: string, more: object = {}): Buffer => {
  const url = new URL(`../../fixtures/tokenizers/${name}/tokenizer.json`, import.meta.url);
  const { model, ...rest } = JSON.parse(readFileSync(url, 'utf8'));
  const { vocab, merges, ...about } = model;
  const words = Array.isArray(vocab)
    ? vocab.slice(0, WORDS)
    : Object.fromEntries(Object.entries(vocab).slice(0, WORDS));
  const pairs = merges === undefined ? {} : { merges: merges.slice(0, 8) };
  const file = { ...rest, ...more, model: { ...about, ...pairs, vocab: words } };
  return Buffer.from(`${JSON.stringify(file)}${BETWEEN}{"tokenizer_class":"PreTrainedTokenizer"}`);
};

const WORDS = 100;
/** The tokenizer, and then its configuration. */
const BETWEEN = '\u0000';
const STEPS = {
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'NFKC' },
      { type: 'Prepend', prepend: '_' },
      { type: 'Replace', pattern: { String: ' ' }, content: '_' },
      { type: 'StripAccents' },
      { type: 'Lowercase' },
    ],
  },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: '\\p{N}{1,3}' }, behavior: 'Isolated', invert: false },
      { type: 'Digits', individual_digits: true },
      { type: 'Punctuation', behavior: 'Isolated' },
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    ],
  },
  added_tokens: [{ id: 0, content: '<s>', single_word: false, lstrip: true, rstrip: false, special: true }],
};

export const target: FuzzTarget = {
  name: 'tokenizers',
  covers: ['src/bench/tokenizer/tokenizer-files.ts'],
  seeds: () => [small('bpe'), small('unigram'), small('wordpiece'), small('bpe', STEPS)],
  isRefusal: error => error instanceof TokenizerError && error.message !== '',
  run: async input => {
    folder ??= temporaryDirectory();
    const end = input.indexOf(0);
    const middle = end < 0 ? input.length : end;
    writeFileSync(join(folder.path, 'tokenizer.json'), input.subarray(0, middle));
    writeFileSync(join(folder.path, 'tokenizer_config.json'), input.subarray(middle + 1));
    const { tokensOf, facts } = await readTokenizer(folder.path);
    for (const text of TEXTS) {
      const count = counted(() => tokensOf(text));
      if (count !== undefined && !(Number.isSafeInteger(count) && count >= 0))
        throw new Error(`it counts ${count} tokens`);
    }
    return facts;
  },
  close: async () => {
    folder?.[Symbol.dispose]();
    folder = undefined;
  },
};

const counted = (count: () => number): number | undefined => {
  try {
    return count();
  } catch {
    return undefined;
  }
};
