// A hash of an answer's text, the same at any chunking of a stream: it recognizes whole answers that a server has
// cached. Not cryptographic: forging an answer would only worsen the forger's own results.

import { NO_FIGURE } from '../../../core/run/event-record.ts';
import { AnswerText } from './answer-parts.ts';

export class AnswerHash {
  /** The text itself, everything that the model wrote, if it is kept for a tokenizer. */
  readonly written: AnswerText = new AnswerText();
  #low = 0;
  #high = 0;
  #hasText = false;

  reset(): void {
    this.#hasText = false;
    this.written.reset();
  }

  /** @returns whether there was any text. */
  add(text: string): boolean {
    if (text === '') return false;
    this.written.add(text);
    if (!this.#hasText) {
      this.#hasText = true;
      this.#low = FNV_OFFSET;
      this.#high = 0;
    }
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      this.#low = Math.imul(this.#low ^ unit, FNV_PRIME);
      this.#high = Math.imul(this.#high ^ unit, HIGH_FACTOR);
      this.#high ^= this.#high >>> 15;
    }
    return true;
  }

  /** An integer below 2⁵²: among 65,536 different answers two have the same one once in two million runs. */
  get value(): number {
    return this.#hasText ? (this.#low >>> 0) + (this.#high & HIGH_MASK) * 2 ** 32 : NO_FIGURE;
  }
}

/**
 * FNV-1a, 32 bits (draft-eastlake-fnv); the higher bits by the factor of MurmurHash3, so that both do not collide
 * together.
 */
const FNV_OFFSET = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;
const HIGH_FACTOR = 0x85_eb_ca_6b;
const HIGH_MASK = 0x0f_ff_ff;
