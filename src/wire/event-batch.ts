// Reads event batches. For any bytes it reads within them, and either returns every record of the batch or
// throws before the first.

import type { EventRecord } from '../core/run/event-record.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../core/run/outcome.ts';
import { DecodeError } from './decode-error.ts';
import { readFigures } from './event-batch-figures.ts';
import { type EventBatchHeader, readEventBatchHeader } from './event-batch-header.ts';
import {
  CHOICES_MAX,
  DETAIL_BYTES_MAX,
  doubtsOf,
  FINISH_BYTES_MAX,
  HEADER_BYTES,
  MODEL_BYTES_MAX,
  OUTCOMES,
  RECORD_KIND,
  remarkMarks,
  SESSION_KINDS,
} from './event-batch-layout.ts';
import { FieldReader } from './field-reader.ts';

export interface EventBatch extends EventBatchHeader {
  readonly records: readonly EventRecord[];
  /** The bytes it was read from. */
  readonly bytes: Uint8Array;
}

/** @throws DecodeError for anything except what an EventBatchWriter makes. */
export const readEventBatch = (bytes: Uint8Array): EventBatch => {
  const header = readEventBatchHeader(bytes);
  const reader = new RecordReader(bytes, HEADER_BYTES);
  const records: EventRecord[] = [];
  for (let index = 0; index < header.recordCount; index += 1) records.push(reader.record());
  if (!reader.isAtEnd) throw new DecodeError('bytes after the last record');
  return { ...header, records, bytes };
};

class RecordReader extends FieldReader {
  record(): EventRecord {
    const kind = this.u8();
    switch (kind) {
      case RECORD_KIND.issued:
        return {
          kind: 'sample.issued',
          sampleId: this.u32(),
          atNs: this.f64(),
          intendedNs: this.f64(),
          connectNs: this.f64(),
          heldBackNs: this.f64(),
          isWarmup: this.u8() === 1,
        };
      case RECORD_KIND.recvFirst:
        return {
          kind: 'sample.recv_first',
          sampleId: this.u32(),
          atNs: this.f64(),
          firstByteNs: this.f64(),
        };
      case RECORD_KIND.recvNonFirstDeltas:
        return { kind: 'sample.recv_non_first', sampleId: this.u32(), stampsNs: this.#deltas() };
      case RECORD_KIND.recvNonFirstDoubles:
        return { kind: 'sample.recv_non_first', sampleId: this.u32(), stampsNs: this.#doubles() };
      case RECORD_KIND.complete:
        return this.#complete();
      case RECORD_KIND.error:
        return this.#error();
      case RECORD_KIND.remark:
        return this.#remark();
      case RECORD_KIND.choices:
        return { kind: 'sample.choices', sampleId: this.u32(), ofChunks: this.#choices() };
      default:
        return (
          readFigures(kind, this) ?? {
            kind: this.oneOf(SESSION_KINDS, kind - 1, 'kind of record'),
            atNs: this.f64(),
          }
        );
    }
  }

  #complete(): EventRecord {
    const sampleId = this.u32();
    const outcome = this.oneOf(OUTCOMES, this.u8(), 'outcome');
    const finishReason = this.oneOf(FINISH_REASONS, this.u8(), 'finish reason');
    return {
      kind: 'sample.complete',
      sampleId,
      outcome,
      finishReason,
      atNs: this.f64(),
      firstAnswerNs: this.f64(),
      firstByteNs: this.f64(),
      inputTokens: this.f64(),
      outputTokens: this.f64(),
      chunkCount: this.f64(),
      bytesSent: this.f64(),
      bytesReceived: this.f64(),
      answerHash: this.f64(),
    };
  }

  #error(): EventRecord {
    const sampleId = this.u32();
    const failureKind = this.oneOf(FAILURE_KINDS, this.u8(), 'kind of failure');
    const statusCode = this.u16();
    const detailBytes = this.u16();
    const atNs = this.f64();
    if (detailBytes > DETAIL_BYTES_MAX) throw new DecodeError(`a detail of ${detailBytes} bytes`);
    return {
      kind: `error.${failureKind}`,
      sampleId,
      atNs,
      statusCode,
      detail: this.text(detailBytes),
    };
  }

  #remark(): EventRecord {
    const sampleId = this.u32();
    const tokens = { cachedTokens: this.f64(), predictedTokens: this.f64(), ...remarkMarks(this.u8()) };
    const more = { reasoningTokens: this.f64(), doubts: doubtsOf(this.u8()) };
    const modelBytes = this.u16();
    const finishBytes = this.u16();
    if (finishBytes > FINISH_BYTES_MAX) throw new DecodeError(`a finish reason of ${finishBytes} bytes`);
    if (modelBytes > MODEL_BYTES_MAX) throw new DecodeError(`a model's name of ${modelBytes} bytes`);
    const otherModel = this.text(modelBytes);
    return {
      kind: 'sample.remarked',
      sampleId,
      ...tokens,
      ...more,
      otherModel,
      finishName: this.text(finishBytes),
    };
  }

  #choices(): number[] {
    const count = this.u16();
    if (count > CHOICES_MAX) throw new DecodeError(`choices of ${count} chunks in one record`);
    this.need(count);
    return Array.from({ length: count }, () => this.u8());
  }

  #deltas(): number[] {
    const count = this.u16();
    if (count === 0) throw new DecodeError('a list of no stamps');
    let stamp = this.f64();
    const stamps = [stamp];
    this.need((count - 1) * 4);
    for (let index = 1; index < count; index += 1) {
      stamp += this.u32();
      stamps.push(stamp);
    }
    return stamps;
  }

  #doubles(): number[] {
    return this.f64List(this.u16());
  }
}
