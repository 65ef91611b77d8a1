// What a server with a cache of prefixes holds of prompts that it has read: the newest few, whole.

import type { TokenizerName } from './tokenizers.ts';
import { countTokens } from './tokenizers.ts';

export class KeptPrefixes {
  readonly #prompts: string[] = [];

  /** Tokens at its start that some kept prompt has too; from then on it is kept. */
  take(prompt: string, tokenizer: TokenizerName): number {
    const common = this.#prompts.reduce((most, kept) => Math.max(most, commonLength(kept, prompt)), 0);
    this.#prompts.push(prompt);
    if (this.#prompts.length > PROMPTS_MAX) this.#prompts.shift();
    // A word that is cut in the middle is another one.
    const whole = common === prompt.length ? common : prompt.lastIndexOf(' ', common);
    return whole <= 0 ? 0 : countTokens(prompt.slice(0, whole), tokenizer);
  }
}

const commonLength = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length);
  for (let index = 0; index < most; index += 1)
    if (one.charCodeAt(index) !== other.charCodeAt(index)) return index;
  return most;
};

const PROMPTS_MAX = 16;
