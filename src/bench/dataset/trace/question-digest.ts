// A digest of a trace's requests: their lengths and blocks in order. Equal digests mean equal prompts.

import { createHash } from 'node:crypto';
import type { TraceRequest } from './trace.ts';

export class QuestionDigest {
  readonly #hash = createHash('sha256');

  add({ inputTokens, outputTokens, blocks, blockSizes }: TraceRequest): void {
    const sizes = blockSizes === undefined ? '' : ` ${blockSizes.join(',')}`;
    this.#hash.update(`${inputTokens} ${outputTokens} ${blocks.join(',')}${sizes}\n`);
  }

  /** The digest in hex; the last call. */
  result(): string {
    return this.#hash.digest('hex');
  }
}
