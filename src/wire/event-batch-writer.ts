// Writes event records into one preallocated buffer: the hot path of a run. Nothing is allocated per record.

import type {
  ErrorRecord,
  EventRecord,
  IssuedFigures,
  SampleRecord,
  SessionRecord,
} from '../core/run/event-record.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../core/run/outcome.ts';
import { type FigureRecord, figuresOf } from './event-batch-figures.ts';
import {
  CHOICES_MAX,
  DETAIL_BYTES_MAX,
  doubtMarks,
  FINISH_BYTES_MAX,
  HEADER_BYTES,
  MODEL_BYTES_MAX,
  OUTCOMES,
  RECORD_BYTES,
  RECORD_KIND,
  remarkMark,
  SAMPLE_ID_MAX,
  SESSION_KINDS,
  STAMPS_MAX,
  writeHeader,
} from './event-batch-layout.ts';
import { fitDifferences, putDifferences, putStamps } from './stamp-list.ts';

interface EventBatchWriterOptions {
  /** Which of the run's writers this is; batch numbers rise per source. 0 to 65,535. */
  readonly sourceId: number;
  /** CLOCK_MONOTONIC of the host at the run's zero, ns. */
  readonly runZeroNs: number;
  /**
   * Default 64 KiB; at least 1 KiB, so that every record except a long stamp list fits into an empty batch.
   */
  readonly capacityBytes?: number;
}

export class EventBatchWriter {
  readonly #options: EventBatchWriterOptions;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #offset = HEADER_BYTES;
  #recordCount = 0;
  #recordsBefore = 0;
  #batchSeq = 0;

  constructor(options: EventBatchWriterOptions) {
    const { capacityBytes = CAPACITY_BYTES } = options;
    if (capacityBytes < CAPACITY_BYTES_MIN)
      throw new RangeError(`a batch takes at least ${CAPACITY_BYTES_MIN} bytes, not ${capacityBytes}`);
    this.#options = options;
    this.#bytes = new Uint8Array(capacityBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get recordCount(): number {
    return this.#recordCount;
  }

  /** Number of records of this source so far, including those in the open batch. */
  get recordsWritten(): number {
    return this.#recordsBefore + this.#recordCount;
  }

  /**
   * @returns false if the batch has no room for it: take the batch, then write again. A list of stamps that
   * no batch could contain is a RangeError; `writeStamps` writes those in parts.
   */
  write(record: EventRecord): boolean {
    switch (record.kind) {
      case 'sample.issued':
        return this.writeIssued(record);
      case 'sample.recv_first':
        return this.writeRecvFirst(record.sampleId, record.atNs, record.firstByteNs);
      case 'sample.recv_non_first':
        return this.#writeAllStamps(record.sampleId, record.stampsNs);
      case 'sample.complete':
        return this.writeComplete(record);
      case 'client.observed':
      case 'client.host':
      case 'client.beats':
      case 'client.marks':
      case 'client.gaps':
      case 'server.observed':
      case 'sample.skipped':
      case 'sample.lateness':
      case 'sample.noted':
      case 'sample.placed':
      case 'sample.served':
      case 'sample.counted':
        return this.#writeFigures(record);
      case 'sample.remarked':
        return this.#writeRemark(record);
      case 'sample.choices':
        return this.#writeChoices(record.sampleId, record.ofChunks);
      case 'session.started':
      case 'session.start_performance_tracking':
      case 'session.stop_performance_tracking':
      case 'session.stop_load':
      case 'session.ended':
        return this.writeSession(record.kind, record.atNs);
      default:
        return this.writeError(record);
    }
  }

  writeSession(kind: SessionRecord['kind'], atNs: number): boolean {
    const at = this.#open(1 + SESSION_KINDS.indexOf(kind), RECORD_BYTES.session);
    if (at === FULL) return false;
    this.#view.setFloat64(at, atNs, true);
    return true;
  }

  writeIssued(record: IssuedFigures): boolean {
    const at = this.#openSample(RECORD_KIND.issued, RECORD_BYTES.issued, record.sampleId);
    if (at === FULL) return false;
    this.#view.setFloat64(at, record.atNs, true);
    this.#view.setFloat64(at + 8, record.intendedNs, true);
    this.#view.setFloat64(at + 16, record.connectNs, true);
    this.#view.setFloat64(at + 24, record.heldBackNs, true);
    this.#view.setUint8(at + 32, record.isWarmup ? 1 : 0);
    return true;
  }

  writeRecvFirst(sampleId: number, atNs: number, firstByteNs: number): boolean {
    const at = this.#openSample(RECORD_KIND.recvFirst, RECORD_BYTES.recvFirst, sampleId);
    if (at === FULL) return false;
    this.#view.setFloat64(at, atNs, true);
    this.#view.setFloat64(at + 8, firstByteNs, true);
    return true;
  }

  /**
   * Writes stamps from `start` up to but excluding `end`, as many as fit.
   * @returns how many were written: if not all, take the batch and write the rest.
   */
  writeStamps(sampleId: number, stampsNs: ArrayLike<number>, start: number, end: number): number {
    const wanted = Math.min(end - start, STAMPS_MAX);
    if (wanted <= 0) return 0;
    const room = this.#bytes.length - this.#offset;
    if (fitDifferences(stampsNs, start, start + wanted)) {
      const count = Math.min(wanted, Math.floor((room - RECORD_BYTES.recvNonFirstDeltas) / 4) + 1);
      if (room < RECORD_BYTES.recvNonFirstDeltas) return 0;
      this.#writeDeltas(sampleId, stampsNs, start, count);
      return count;
    }
    const count = Math.min(wanted, Math.floor((room - RECORD_BYTES.recvNonFirstDoubles) / 8));
    if (count <= 0) return 0;
    this.#writeDoubles(sampleId, stampsNs, start, count);
    return count;
  }

  writeComplete(record: CompleteRecord): boolean {
    const at = this.#openSample(RECORD_KIND.complete, RECORD_BYTES.complete, record.sampleId);
    if (at === FULL) return false;
    const view = this.#view;
    view.setUint8(at, OUTCOMES.indexOf(record.outcome));
    view.setUint8(at + 1, FINISH_REASONS.indexOf(record.finishReason));
    view.setFloat64(at + 2, record.atNs, true);
    view.setFloat64(at + 10, record.firstAnswerNs, true);
    view.setFloat64(at + 18, record.firstByteNs, true);
    view.setFloat64(at + 26, record.inputTokens, true);
    view.setFloat64(at + 34, record.outputTokens, true);
    view.setFloat64(at + 42, record.chunkCount, true);
    view.setFloat64(at + 50, record.bytesSent, true);
    view.setFloat64(at + 58, record.bytesReceived, true);
    view.setFloat64(at + 66, record.answerHash, true);
    return true;
  }

  /** The detail is cut at DETAIL_BYTES_MAX. */
  writeError(record: ErrorRecord): boolean {
    const index = FAILURE_KINDS.findIndex(kind => record.kind === `error.${kind}`);
    if (this.#bytes.length - this.#offset < RECORD_BYTES.error + DETAIL_BYTES_MAX) return false;
    const at = this.#openSample(RECORD_KIND.error, RECORD_BYTES.error, record.sampleId);
    const written = this.#text(record.detail, DETAIL_BYTES_MAX);
    this.#view.setUint8(at, index);
    this.#view.setUint16(at + 1, record.statusCode, true);
    this.#view.setUint16(at + 3, written, true);
    this.#view.setFloat64(at + 5, record.atNs, true);
    return true;
  }

  /** Names are cut at MODEL_BYTES_MAX and FINISH_BYTES_MAX. */
  #writeRemark(record: RemarkRecord): boolean {
    if (this.#bytes.length - this.#offset < RECORD_BYTES.remark + MODEL_BYTES_MAX + FINISH_BYTES_MAX)
      return false;
    const at = this.#openSample(RECORD_KIND.remark, RECORD_BYTES.remark, record.sampleId);
    this.#view.setFloat64(at, record.cachedTokens, true);
    this.#view.setFloat64(at + 8, record.predictedTokens, true);
    this.#view.setUint8(at + 16, remarkMark(record));
    this.#view.setFloat64(at + 17, record.reasoningTokens, true);
    this.#view.setUint8(at + 25, doubtMarks(record.doubts));
    this.#view.setUint16(at + 26, this.#text(record.otherModel, MODEL_BYTES_MAX), true);
    this.#view.setUint16(at + 28, this.#text(record.finishName, FINISH_BYTES_MAX), true);
    return true;
  }

  /** At most CHOICES_MAX. */
  #writeChoices(sampleId: number, ofChunks: readonly number[]): boolean {
    if (ofChunks.length > CHOICES_MAX)
      throw new RangeError(
        `choices of ${ofChunks.length} chunks are more than a record has: write them in parts`,
      );
    const at = this.#openSample(RECORD_KIND.choices, RECORD_BYTES.choices + ofChunks.length, sampleId);
    if (at === FULL) return false;
    this.#view.setUint16(at, ofChunks.length, true);
    this.#bytes.set(ofChunks, at + 2);
    return true;
  }

  /** For records that occur a few times a second, or of few samples. */
  #writeFigures(record: FigureRecord): boolean {
    const { number, sampleId, head, figures } = figuresOf(record.kind, record);
    const bytes = head.length + figures.length * 8;
    const at =
      sampleId === undefined ? this.#open(number, 1 + bytes) : this.#openSample(number, 5 + bytes, sampleId);
    if (at === FULL) return false;
    this.#bytes.set(head, at);
    for (const [index, figure] of figures.entries())
      this.#view.setFloat64(at + head.length + index * 8, figure, true);
    return true;
  }

  /**
   * The batch so far, in a separate buffer that may be transferred, and a new one is started; undefined while
   * empty.
   */
  take(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#recordCount === 0) return undefined;
    this.#batchSeq += 1;
    writeHeader(this.#view, {
      ...this.#options,
      batchSeq: this.#batchSeq,
      recordCount: this.#recordCount,
      byteLength: this.#offset,
      recordsBefore: this.#recordsBefore,
    });
    const batch = this.#bytes.slice(0, this.#offset);
    this.#recordsBefore += this.#recordCount;
    this.#recordCount = 0;
    this.#offset = HEADER_BYTES;
    return batch;
  }

  #writeAllStamps(sampleId: number, stampsNs: readonly number[]): boolean {
    const bytes = fitDifferences(stampsNs, 0, stampsNs.length)
      ? RECORD_BYTES.recvNonFirstDeltas + (stampsNs.length - 1) * 4
      : RECORD_BYTES.recvNonFirstDoubles + stampsNs.length * 8;
    if (stampsNs.length > STAMPS_MAX || bytes > this.#bytes.length - HEADER_BYTES)
      throw new RangeError(`${stampsNs.length} stamps are more than a batch holds: write them in parts`);
    if (bytes > this.#bytes.length - this.#offset) return false;
    if (stampsNs.length === 0) this.#writeDoubles(sampleId, stampsNs, 0, 0);
    else this.writeStamps(sampleId, stampsNs, 0, stampsNs.length);
    return true;
  }

  #writeDeltas(sampleId: number, stampsNs: ArrayLike<number>, start: number, count: number): void {
    const bytes = RECORD_BYTES.recvNonFirstDeltas + (count - 1) * 4;
    const at = this.#openSample(RECORD_KIND.recvNonFirstDeltas, bytes, sampleId);
    putDifferences(this.#view, at, stampsNs, { start, count });
  }

  #writeDoubles(sampleId: number, stampsNs: ArrayLike<number>, start: number, count: number): void {
    const bytes = RECORD_BYTES.recvNonFirstDoubles + count * 8;
    const at = this.#openSample(RECORD_KIND.recvNonFirstDoubles, bytes, sampleId);
    putStamps(this.#view, at, stampsNs, { start, count });
  }

  /** Start of the record's fields, after its sample's id. */
  #openSample(kind: number, bytes: number, sampleId: number): number {
    if (!(sampleId >= 0 && sampleId <= SAMPLE_ID_MAX && Number.isInteger(sampleId)))
      throw new RangeError(`${sampleId} is no whole number up to ${SAMPLE_ID_MAX}`);
    const at = this.#open(kind, bytes);
    if (at === FULL) return FULL;
    this.#view.setUint32(at, sampleId, true);
    return at + 4;
  }

  /**
   * After the fields of the open record.
   * @returns its bytes.
   */
  #text(text: string, bytesMax: number): number {
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#offset, this.#offset + bytesMax));
    this.#offset += written;
    return written;
  }

  #open(kind: number, bytes: number): number {
    const at = this.#offset;
    if (at + bytes > this.#bytes.length) return FULL;
    this.#view.setUint8(at, kind);
    this.#offset = at + bytes;
    this.#recordCount += 1;
    return at + 1;
  }
}

type CompleteRecord = Extract<SampleRecord, { readonly kind: 'sample.complete' }>;
type RemarkRecord = Extract<SampleRecord, { readonly kind: 'sample.remarked' }>;
const FULL = -1;
const CAPACITY_BYTES: number = 64 * 1024;
const CAPACITY_BYTES_MIN = 1_024;
const encoder = new TextEncoder();
