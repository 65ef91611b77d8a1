// Counts the event batches that a receiver missed, from the numbers in the batches that it received. Losses
// after the last one are only visible in the sender's own count.

import type { EventBatchHeader } from './event-batch-header.ts';

export class BatchLoss {
  readonly #received = new Map<number, { batchSeq: number; records: number }>();
  #lostBatchCount = 0;
  #lostRecordCount = 0;

  get lostBatchCount(): number {
    return this.#lostBatchCount;
  }

  get lostRecordCount(): number {
    return this.#lostRecordCount;
  }

  /** Notes a batch that arrived. A number that occurred before is a repetition and loses nothing. */
  note({
    sourceId,
    batchSeq,
    recordsBefore,
    recordCount,
  }: EventBatchHeader): 'next' | 'after-loss' | 'repeated' {
    const last = this.#received.get(sourceId) ?? { batchSeq: 0, records: 0 };
    if (batchSeq <= last.batchSeq) return 'repeated';
    this.#received.set(sourceId, { batchSeq, records: recordsBefore + recordCount });
    const lostBatches = batchSeq - last.batchSeq - 1;
    if (lostBatches === 0) return 'next';
    this.#lostBatchCount += lostBatches;
    this.#lostRecordCount += Math.max(0, recordsBefore - last.records);
    return 'after-loss';
  }
}
