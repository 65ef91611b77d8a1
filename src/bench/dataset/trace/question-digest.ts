// What a trace asks, in one figure: lengths and blocks of its requests in their order. Equal ones ask equal questions.

import { createHash } from 'node:crypto';
import type { TraceRequest } from './trace.ts';

export class QuestionDigest {
  readonly #hash = createHash('sha256');

  add({ inputTokens, outputTokens, blocks }: TraceRequest): void {
    this.#hash.update(`${inputTokens} ${outputTokens} ${blocks.join(',')}\n`);
  }

  /** Hex; the last call. */
  reported(): string {
    return this.#hash.digest('hex');
  }
}
