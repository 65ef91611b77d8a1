// How the mock counts the tokens of a prompt: models of tokenizers unknown to the client, so requested lengths can be
// compared with the server's counts. Each splits where a space starts, as real ones do.

import type { MockSettings } from './mock-settings.ts';

export type TokenizerName = MockSettings['tokenizer'];

export const countTokens = (text: string, name: TokenizerName): number => TOKENIZERS[name](text);

/** Runs of anything but ASCII white space. */
const countWords = (text: string): number => {
  let words = 0;
  let isInside = false;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const isSpace = unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
    if (!isSpace && !isInside) words += 1;
    isInside = !isSpace;
  }
  return words;
};

/**
 * Like byte-pair encodings, but by length alone: words with their space in pieces of four letters, digits in threes,
 * every other character by itself.
 */
const countPieces = (text: string): number => {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES))
    tokens += piece.length <= WHOLE_WORD ? 1 : Math.ceil(piece.length / 4);
  return tokens;
};

/** GPT-2's split of a text before its pieces are merged. */
const PIECES = / ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]|\s+/gu;
/** Short words are in any vocabulary. */
const WHOLE_WORD = 6;

const TOKENIZERS: Readonly<Record<TokenizerName, (text: string) => number>> = {
  words: countWords,
  pieces: countPieces,
  bytes: text => Buffer.byteLength(text),
};
