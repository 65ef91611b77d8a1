// Reads event batches. For any bytes it reads within them, and either returns every record of the batch or
// throws before the first.

import { counted } from '../core/figure/figure.ts';
import { recordOf } from '../core/record-of.ts';
import { type EventRecord, GAP_EDGES, LATENESS_KEYS, SERVED_KEYS } from '../core/run/event-record.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../core/run/outcome.ts';
import { ANSWER_CHECKS } from '../core/run/sample-remark.ts';
import { SERVER_FIGURE_KEYS, SERVER_MOMENTS } from '../core/run/server-reading.ts';

import { type SampleTurn, SKIP_REASONS } from '../core/run/session-outcome.ts';
import { DecodeError } from './decode-error.ts';
import { type EventBatchHeader, readEventBatchHeader } from './event-batch-header.ts';
import {
  BEATS_MAX,
  CHOICES_MAX,
  DETAIL_BYTES_MAX,
  doubtsOf,
  FINISH_BYTES_MAX,
  GAP_CELLS_MAX,
  HEADER_BYTES,
  MODEL_BYTES_MAX,
  NOTE_MARK,
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
      case RECORD_KIND.client:
        return this.#client();
      case RECORD_KIND.beats:
        return this.#beats();
      case RECORD_KIND.host:
        return this.#host();
      case RECORD_KIND.lateness:
        return this.#lateness();
      case RECORD_KIND.marks:
        return this.#marks();
      case RECORD_KIND.gaps:
        return this.#gaps();
      case RECORD_KIND.remark:
        return this.#remark();
      case RECORD_KIND.choices:
        return { kind: 'sample.choices', sampleId: this.u32(), ofChunks: this.#choices() };
      case RECORD_KIND.note:
        return this.#note();
      case RECORD_KIND.server:
        return this.#server();
      case RECORD_KIND.skipped:
        return this.#skipped();
      case RECORD_KIND.served:
        return { kind: 'sample.served', sampleId: this.u32(), ...recordOf(SERVED_KEYS, () => this.f64()) };
      case RECORD_KIND.placed:
        return { kind: 'sample.placed', sampleId: this.u32(), ...this.#turn() };
      default:
        return {
          kind: this.oneOf(SESSION_KINDS, kind - 1, 'kind of record'),
          atNs: this.f64(),
        };
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

  #client(): EventRecord {
    return {
      kind: 'client.observed',
      atNs: this.f64(),
      thread: this.f64(),
      eventLoopUtilization: this.f64(),
      cpuShare: this.f64(),
      eventLoopDelayNsMax: this.f64(),
      readLatenessNsMax: this.f64(),
      gcPauseNsTotal: this.f64(),
      gcPauseNsMax: this.f64(),
      connectionsOpened: this.f64(),
      connectionsReused: this.f64(),
      connectionsClosed: this.f64(),
      connectionsStale: this.f64(),
      arrivalsWaiting: this.f64(),
      backoffNs: this.f64(),
      connectionsAhead: this.f64(),
    };
  }

  #beats(): EventRecord {
    const [thread, isLoad, count, atNs] = [this.u16(), this.u8() === 1, this.u16(), this.f64()];
    if (count > BEATS_MAX) throw new DecodeError(`${count} beats in one record`);
    return { kind: 'client.beats', atNs, thread, isLoad, latenessNs: this.#list(count) };
  }

  #lateness(): EventRecord {
    const sampleId = this.u32();
    return { kind: 'sample.lateness', sampleId, ...recordOf(LATENESS_KEYS, () => this.f64()) };
  }

  #marks(): EventRecord {
    const [thread, count, atNs] = [this.u16(), this.u16(), this.f64()];
    if (count > BEATS_MAX) throw new DecodeError(`${count} marks in one record`);
    return {
      kind: 'client.marks',
      atNs,
      thread,
      latenessNs: this.#list(count),
      blockedNs: this.#list(count),
    };
  }

  #gaps(): EventRecord {
    const [thread, edge, count, atNs] = [this.u16(), GAP_EDGES[this.u8()], this.u16(), this.f64()];
    if (edge === undefined) throw new DecodeError('gaps of no known edge');
    if (count > GAP_CELLS_MAX) throw new DecodeError(`${counted(count, 'cell')} in one record`);
    this.need(count * 16);
    const cells = Array.from({ length: count }, () => [this.f64(), this.f64()] as const);
    return { kind: 'client.gaps', atNs, thread, edge, cells };
  }

  #list(count: number): number[] {
    this.need(count * 8);
    return Array.from({ length: count }, () => this.f64());
  }

  #host(): EventRecord {
    return {
      kind: 'client.host',
      atNs: this.f64(),
      intervalNs: this.f64(),
      throttledNs: this.f64(),
      pressureNs: this.f64(),
      stolenNs: this.f64(),
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

  #note(): EventRecord {
    const sampleId = this.u32();
    const mark = this.f64();
    const cancelled = {
      isCancelledAsPlanned: mark === NOTE_MARK.asPlanned,
      isCutAfterGrace: mark === NOTE_MARK.afterGrace,
    };
    const check = this.oneOf(ANSWER_CHECKS, this.f64(), 'check of an answer');
    return { kind: 'sample.noted', sampleId, ...cancelled, check, variant: this.f64() };
  }

  #skipped(): EventRecord {
    // Figures are read in the order in which they are written here.
    const skipped = { sampleId: this.f64(), atNs: this.f64(), isWarmup: this.f64() === 1 };
    const turn = this.#turn();
    return {
      kind: 'sample.skipped',
      ...skipped,
      turn,
      reason: this.oneOf(SKIP_REASONS, this.f64(), 'reason to skip a turn'),
    };
  }

  #turn(): SampleTurn {
    return { session: this.f64(), turn: this.f64(), turns: this.f64() };
  }

  #server(): EventRecord {
    const [atNs, inFlight] = [this.f64(), this.f64()];
    const moment = this.oneOf(SERVER_MOMENTS, this.f64(), 'moment of a reading');
    return {
      kind: 'server.observed',
      atNs,
      inFlight,
      moment,
      ...recordOf(SERVER_FIGURE_KEYS, () => this.f64()),
    };
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
    const count = this.u16();
    this.need(count * 8);
    const stamps: number[] = [];
    for (let index = 0; index < count; index += 1) stamps.push(this.f64());
    return stamps;
  }
}
