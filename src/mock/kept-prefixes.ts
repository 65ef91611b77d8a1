// The prefix cache of a server: the newest few prompts whole, and of many more their blocks of 64 words, each
// identified together with all words before it.

import { countTokens, type TokenizerName } from './tokenizers.ts';

export class KeptPrefixes {
  readonly #prompts: string[] = [];
  readonly #blocks: Set<number> = new Set();

  /** Tokens at its start that some stored prompt has too; from then on it is stored. */
  take(prompt: string, tokenizer: TokenizerName): number {
    const common = this.#prompts.reduce((most, kept) => Math.max(most, commonLength(kept, prompt)), 0);
    this.#prompts.push(prompt);
    if (this.#prompts.length > PROMPTS_MAX) this.#prompts.shift();
    // A word that is cut in the middle is a different one.
    const whole = common === prompt.length ? common : prompt.lastIndexOf(' ', common);
    const stored = Math.max(whole, this.#takeBlocks(prompt));
    return stored <= 0 ? 0 : countTokens(prompt.slice(0, stored), tokenizer);
  }

  /** End of the last block that is known with all before it; from then on all of them are. */
  #takeBlocks(prompt: string): number {
    let storedEnd = 0;
    let isKnown = true;
    let [low, high] = [0x811c9dc5, 0x9e3779b9];
    let words = 0;
    for (let index = 0; index <= prompt.length; index += 1) {
      const unit = index < prompt.length ? prompt.charCodeAt(index) : SPACE;
      if (unit === SPACE) {
        words += 1;
        if (words % BLOCK_WORDS === 0) {
          const block = (high & 0x1f_ff_ff) * 2 ** 32 + (low >>> 0);
          isKnown &&= this.#blocks.has(block);
          if (isKnown) storedEnd = index;
          else if (this.#blocks.size < BLOCKS_MAX) this.#blocks.add(block);
        }
      }
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca77) + low;
    }
    return storedEnd;
  }
}

const commonLength = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length);
  for (let index = 0; index < most; index += 1)
    if (one.charCodeAt(index) !== other.charCodeAt(index)) return index;
  return most;
};

const PROMPTS_MAX = 16;
const BLOCK_WORDS = 64;
const BLOCKS_MAX = 1_000_000;
const SPACE = 0x20;
