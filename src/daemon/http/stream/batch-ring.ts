// The last batches of events, for streams that were cut and come back. Bounded in batches and in bytes as they were
// sent; a reader that is further behind gets a snapshot.

import type { Event } from '../../../core/event.ts';

interface HeldBatch {
  readonly sequence: number;
  readonly events: readonly Event[];
  readonly bytes: number;
}

export interface RingLimits {
  readonly batchesMax: number;
  readonly bytesMax: number;
}

export class BatchRing {
  readonly #limits: RingLimits;
  #batches: HeldBatch[] = [];
  #bytes = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#batches.length;
  }

  /** Sequences ascend by one; a gap is made by `clear`. */
  push(batch: HeldBatch): void {
    this.#batches.push(batch);
    this.#bytes += batch.bytes;
    while (this.#batches.length > this.#limits.batchesMax || this.#bytes > this.#limits.bytesMax) {
      const dropped = this.#batches.shift();
      if (dropped === undefined) break;
      this.#bytes -= dropped.bytes;
    }
  }

  clear(): void {
    this.#batches = [];
    this.#bytes = 0;
  }

  /** What followed a sequence up to `newest`, in order; undefined when part of it is no longer held. */
  eventsAfter(sequence: number, newest: number): readonly Event[] | undefined {
    if (sequence > newest) return undefined;
    if (sequence === newest) return [];
    const [oldest] = this.#batches;
    if (oldest === undefined || oldest.sequence > sequence + 1) return undefined;
    return this.#batches.filter(batch => batch.sequence > sequence).flatMap(batch => batch.events);
  }
}
