// Nonces cut from blocks of random bytes: asking the system for each one costs more than the check itself.

import { randomFillSync } from 'node:crypto';
import { NONCE_BYTES } from './check-message.ts';

export class NoncePool {
  readonly #block = new Uint8Array(NONCES_OF_A_BLOCK * NONCE_BYTES);
  #at: number = this.#block.length;

  /** Never the same bytes twice. */
  next(): Uint8Array {
    if (this.#at >= this.#block.length) {
      randomFillSync(this.#block);
      this.#at = 0;
    }
    const nonce = this.#block.slice(this.#at, this.#at + NONCE_BYTES);
    this.#at += NONCE_BYTES;
    return nonce;
  }
}

const NONCES_OF_A_BLOCK = 256;
