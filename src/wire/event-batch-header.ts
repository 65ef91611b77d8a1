// The header of an event batch: its run and source, its position among the batches of its source, and its
// version. Code that passes batches on needs only this.

import { DecodeError } from './decode-error.ts';
import {
  EVENT_BATCH_MAGIC,
  EVENT_BATCH_VERSION,
  HEADER,
  HEADER_BYTES,
  RECORD_BYTES,
} from './event-batch-layout.ts';

export interface EventBatchHeader {
  /** Which of the run's writers made it. */
  readonly sourceId: number;
  /** From 1, rising by 1 per source: a gap is a lost batch. */
  readonly batchSeq: number;
  readonly recordCount: number;
  /** Records of this source in all previous batches: after a gap, it shows how many were lost. */
  readonly recordsBefore: number;
  /** CLOCK_MONOTONIC of the host at the run's zero, ns. */
  readonly runZeroNs: number;
}

/** @throws DecodeError if the bytes are not a batch, are of another version, or are cut short. */
export const readEventBatchHeader = (bytes: Uint8Array): EventBatchHeader => {
  if (bytes.length < HEADER_BYTES) throw new DecodeError(`a batch of ${bytes.length} bytes has no header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(HEADER.magic, true) !== EVENT_BATCH_MAGIC) throw new DecodeError('not an event batch');
  const version = view.getUint8(HEADER.version);
  if (version !== EVENT_BATCH_VERSION) throw new DecodeError(`event batch version ${version} is not known`);
  const byteLength = view.getUint32(HEADER.byteLength, true);
  if (byteLength !== bytes.length)
    throw new DecodeError(`a batch of ${byteLength} bytes came as ${bytes.length}`);
  const header = {
    sourceId: view.getUint16(HEADER.sourceId, true),
    batchSeq: view.getUint32(HEADER.batchSeq, true),
    recordCount: view.getUint32(HEADER.recordCount, true),
    recordsBefore: view.getFloat64(HEADER.recordsBefore, true),
    runZeroNs: view.getFloat64(HEADER.runZeroNs, true),
  };
  if (header.batchSeq === 0 || header.recordCount === 0)
    throw new DecodeError('a batch without a number or records');
  if (header.recordCount * SMALLEST_RECORD_BYTES > bytes.length)
    throw new DecodeError('more records than bytes');
  if (!Number.isSafeInteger(header.recordsBefore) || header.recordsBefore < 0)
    throw new DecodeError('the number of earlier records is not a count');
  if (!Number.isFinite(header.runZeroNs)) throw new DecodeError("the run's zero is not a time");
  return header;
};

const SMALLEST_RECORD_BYTES = Math.min(RECORD_BYTES.session, RECORD_BYTES.recvNonFirstDoubles);

// Counts the event batches that a receiver missed, from the numbers in the batches that it received. Losses
// after the last one are only visible in the sender's own count.
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
