// Batches of records for the tests of those who receive them.

import { EventBatchWriter } from '../../src/wire/event-batch-writer.ts';

/** Batches of `size` issued samples each, numbered through; the last record ends the session. */
export class SampleBatches {
  readonly #writer: EventBatchWriter;
  #sampleId = 0;

  constructor(sourceId = 0) {
    this.#writer = new EventBatchWriter({ sourceId, runZeroNs: 1_000 });
  }

  get recordsWritten(): number {
    return this.#writer.recordsWritten;
  }

  issued(size: number): Uint8Array {
    for (let index = 0; index < size; index += 1) {
      this.#writer.writeIssued({
        sampleId: this.#sampleId,
        atNs: this.#sampleId * 20_000,
        intendedNs: this.#sampleId * 20_000,
        connectNs: 0,
        heldBackNs: 0,
        isWarmup: false,
      });
      this.#sampleId += 1;
    }
    return this.#take();
  }

  ended(): Uint8Array {
    this.#writer.writeSession('session.ended', this.#sampleId * 20_000);
    return this.#take();
  }

  #take(): Uint8Array {
    const bytes = this.#writer.take();
    if (bytes === undefined) throw new Error('a batch without records');
    return bytes;
  }
}
