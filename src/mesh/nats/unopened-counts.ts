// How much of what each publisher left on a server does not open under the cluster key. A few are from before
// the key was rotated; above a limit it is published without the key to fill the server, and the rest of that
// publisher is not read.

import type { NodeId } from '../../core/ids.ts';

export class UnopenedCounts {
  readonly #skipped: (node: NodeId) => void;
  readonly #counts = new Map<NodeId, { messages: number; bytes: number }>();

  /** `skipped`: a publisher is above the limit; once for each. */
  constructor(skipped: (node: NodeId) => void) {
    this.#skipped = skipped;
  }

  /** No more of it is opened; nor of further publishers, if there are as many as a fleet can have. */
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
/** Limit of publishers with something that does not open. */
const PUBLISHERS_MAX = 4_096;
