// How much of what each publisher left on a server does not open under the cluster key. A few are of before the key was rotated;
// past a limit somebody fills the server without having the key, and what is left of that publisher is not worth reading.

import type { NodeId } from '../../core/ids.ts';

export class UnopenedCounts {
  readonly #skipped: (node: NodeId) => void;
  readonly #counts = new Map<NodeId, { messages: number; bytes: number }>();

  /** `skipped`: a publisher is past the limit; once for each. */
  constructor(skipped: (node: NodeId) => void) {
    this.#skipped = skipped;
  }

  /** Nothing more of it is to be opened; nor of further publishers, when there are as many as a fleet can have. */
  isPast(publisher: NodeId): boolean {
    const count = this.#counts.get(publisher);
    if (count === undefined) return this.#counts.size >= PUBLISHERS_MAX;
    return count.messages > UNOPENED_MAX || count.bytes > UNOPENED_BYTES_MAX;
  }

  add(publisher: NodeId, bytes: number): void {
    if (this.isPast(publisher)) return;
    const count = this.#counts.get(publisher) ?? { messages: 0, bytes: 0 };
    count.messages += 1;
    count.bytes += bytes;
    this.#counts.set(publisher, count);
    if (this.isPast(publisher)) this.#skipped(publisher);
  }
}

const UNOPENED_MAX = 4_096;
const UNOPENED_BYTES_MAX = 4_194_304;
/** Of those of whom something does not open. */
const PUBLISHERS_MAX = 4_096;
