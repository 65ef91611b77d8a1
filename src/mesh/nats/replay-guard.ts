// Refuses messages that were received before. Each publisher numbers what it seals, per start of its daemon;
// within one subject tree numbers only increase, because the server keeps the order of a connection. The last
// number of each is remembered over a restart of this node (`floors`), so an old message cannot pass for a
// new one then either.

import type { NodeId } from '../../core/ids.ts';
import type { SealNumber } from './sealed-message.ts';

type Freshness =
  | 'fresh'
  /** Received before, or older than the last one received. */
  | 'repeated'
  /** From another daemon that runs under the same identity: a copied home. */
  | 'twin';

/** The last message received from a publisher. */
export interface SequenceFloor {
  readonly start: number;
  readonly salt: string;
  readonly count: number;
}

export class ReplayGuard {
  readonly #floors: Map<NodeId, SequenceFloor>;
  readonly #publishersMax: number;

  constructor(floors: Iterable<readonly [NodeId, SequenceFloor]>, publishersMax: number) {
    this.#floors = new Map(floors);
    this.#publishersMax = publishersMax;
  }

  check(publisher: NodeId, { start, salt, count }: SealNumber): Freshness {
    const floor = this.#floors.get(publisher);
    if (floor !== undefined) {
      if (start < floor.start) return 'repeated';
      if (start === floor.start && salt !== floor.salt) return 'twin';
      if (start === floor.start && count <= floor.count) return 'repeated';
    }
    // Moves it to the end: the first one is the one that was silent longest.
    this.#floors.delete(publisher);
    this.#floors.set(publisher, { start, salt, count });
    const oldest = this.#floors.keys().next().value;
    if (this.#floors.size > this.#publishersMax && oldest !== undefined) this.#floors.delete(oldest);
    return 'fresh';
  }

  get floors(): ReadonlyMap<NodeId, SequenceFloor> {
    return this.#floors;
  }
}
