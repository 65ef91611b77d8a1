// What a node's own disk has acknowledged, separate from the product's own book-keeping: the last record of
// each connection in the present epoch. A journal that loses one of them, or a peer that never receives it,
// is found by comparison.

import type { DurableRecord } from '../../src/wire/durable-record.ts';

export class Acknowledged {
  #last: Map<string, string>;

  constructor(last: ReadonlyMap<string, string> = new Map()) {
    this.#last = new Map(last);
  }

  took(records: readonly DurableRecord[]): void {
    for (const { kind, key } of records)
      if (kind === 'connection.opened' || kind === 'connection.closed') this.#last.set(key, kind);
  }

  /** Everything that is current is written again in the new epoch. */
  epochStarted(): void {
    this.#last = new Map();
  }

  /** As a home is copied. */
  copy(): Acknowledged {
    return new Acknowledged(this.#last);
  }

  /** Keys of connections that are open, ascending. */
  get open(): readonly string[] {
    return [...this.#last].flatMap(([key, kind]) => (kind === 'connection.opened' ? [key] : [])).sort();
  }
}
