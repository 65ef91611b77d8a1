// Event batches on their way to the aggregator of a simulated run: lost, repeated, or held back with all that come behind.

import { readEventBatchHeader } from '../../../src/wire/event-batch-header.ts';
import type { RunFault } from './run-faults.ts';
import type { RunMutation } from './run-mutations.ts';
import type { LoopOwner, VirtualLoop } from './virtual-loop.ts';

interface SimulatedMessagesParts {
  readonly loop: VirtualLoop;
  readonly main: LoopOwner;
  readonly faults: readonly RunFault[];
  readonly mutation: RunMutation;
  readonly send: (bytes: Uint8Array) => void;
}

export class SimulatedMessages {
  readonly #parts: SimulatedMessagesParts;
  /** Records that were sent. */
  recordCount = 0;
  /** Of those, in batches that never came. */
  lostRecords = 0;
  /** Of those, the ones that a later batch of the same sender shows. */
  shownLostRecords = 0;
  readonly #lostOf: Map<number, number> = new Map();
  /** What is sent until then waits. */
  delayedUntilNs = 0;
  #batches = 0;
  readonly #delayed: Uint8Array[] = [];

  constructor(parts: SimulatedMessagesParts) {
    this.#parts = parts;
  }

  carry(bytes: Uint8Array): void {
    const { loop, main, faults, mutation, send } = this.#parts;
    const number = this.#batches;
    this.#batches += 1;
    const { recordCount, sourceId } = readEventBatchHeader(bytes);
    this.recordCount += recordCount;
    const fault = faults.find(one => 'batch' in one && one.batch === number);
    if (fault?.kind === 'batch-lost') {
      this.lostRecords += recordCount;
      this.#lostOf.set(sourceId, (this.#lostOf.get(sourceId) ?? 0) + recordCount);
      return;
    }
    this.shownLostRecords += this.#lostOf.get(sourceId) ?? 0;
    this.#lostOf.delete(sourceId);
    const nowNs = loop.nowNs();
    if (fault?.kind === 'batch-late') this.delayedUntilNs = Math.max(this.delayedUntilNs, nowNs) + DELAY_NS;
    const copies = fault?.kind === 'batch-repeated' ? [bytes, mutation.batch(bytes)] : [bytes];
    // Behind what is held: messages keep their order.
    if (this.delayedUntilNs <= nowNs && this.#delayed.length === 0) {
      for (const copy of copies) send(copy);
      return;
    }
    this.#delayed.push(...copies);
    loop.in(Math.max(0, this.delayedUntilNs - nowNs), main, () => {
      if (loop.nowNs() < this.delayedUntilNs) return;
      for (const copy of this.#delayed.splice(0)) send(copy);
    });
  }
}

const DELAY_NS = 50e6;
