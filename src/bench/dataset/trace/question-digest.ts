// A digest of a trace's requests: their lengths and blocks in order. Equal digests mean equal prompts.

import { createHash } from 'node:crypto';
import type { TraceRequest } from './trace.ts';

export class QuestionDigest {
  readonly #hash = createHash('sha256');

  add({ inputTokens, outputTokens, blocks }: TraceRequest): void {
    this.#hash.update(`${inputTokens} ${outputTokens} ${blocks.join(',')}\n`);
  }

  /** The digest in hex; the last call. */
  result(): string {
    return this.#hash.digest('hex');
  }
}
