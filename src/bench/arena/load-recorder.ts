// The writing end of the ring as a load thread uses it: one method for each kind of record, nothing allocated but for
// the detail of an error.

import type { ClientRecord } from '../../core/run/event-record.ts';
import { SKIP_REASONS, type SkipReason } from '../../core/run/session-outcome.ts';
import {
  CONTENT_KINDS,
  END_KINDS,
  type EndKind,
  HEAD_MARK,
  type Milestone,
  RECORD,
  RESERVE_BYTES_MAX,
  type RecordedHead,
} from './load-record.ts';
import { NO_ROOM, type RingMemory, RingWriter } from './ring.ts';

export interface SampleEnd {
  readonly kind: EndKind;
  readonly detail: string;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly firstByteNs: number;
}

export class LoadRecorder {
  readonly #ring: RingWriter;
  readonly #reserveBytes: number;
  #bodyStart = NO_ROOM;
  #bodyEnd = NO_ROOM;
  droppedCount = 0;

  constructor(memory: RingMemory) {
    this.#ring = new RingWriter(memory);
    this.#reserveBytes = Math.min(RESERVE_BYTES_MAX, memory.data.byteLength / 8);
  }

  /** Whether a new sample's bytes are likely to find room. */
  get hasRoom(): boolean {
    return this.#ring.freeBytes() > 2 * this.#reserveBytes;
  }

  /** Whether the parse thread is needed now, so that the ring does not fill up. */
  takeNeedsReader(): boolean {
    return this.#ring.takeNeedsReader();
  }

  issued(
    sampleId: number,
    slot: number,
    sentNs: number,
    intendedNs: number,
    connectNs: number,
    heldBackNs: number,
    isWarmup: boolean,
    writeNs: number,
    address: number,
  ): void {
    const at = this.#begin(48);
    if (at === NO_ROOM) return;
    const f64 = this.#ring.f64;
    const unit = at / 8;
    f64[unit] = intendedNs;
    f64[unit + 1] = connectNs;
    f64[unit + 2] = heldBackNs;
    f64[unit + 3] = isWarmup ? 1 : 0;
    f64[unit + 4] = writeNs;
    f64[unit + 5] = address;
    this.#ring.commit(RECORD.issued, sentNs, slot, sampleId, 48);
  }

  head(sampleId: number, slot: number, stampNs: number, firstByteNs: number, head: RecordedHead): void {
    const text = head.contentEncoding === '' ? head.location : head.contentEncoding;
    const bytesMax = 32 + text.length * 3;
    const at = this.#begin(bytesMax);
    if (at === NO_ROOM) return;
    const f64 = this.#ring.f64;
    const unit = at / 8;
    f64[unit] = firstByteNs;
    f64[unit + 1] = head.status;
    f64[unit + 2] = CONTENT_KINDS.indexOf(head.contentKind);
    f64[unit + 3] =
      (head.contentEncoding === '' ? 0 : HEAD_MARK.isEncoded) +
      (head.hasRetryAfter ? HEAD_MARK.hasRetryAfter : 0);
    const length = text === '' ? 0 : this.#ring.bytes.write(text, at + 32);
    this.#ring.commit(RECORD.head, stampNs, slot, sampleId, 32 + length);
  }

  /** Room for the body bytes of one read. @returns false when there is none: the sample is lost to us. */
  beginBody(bytesMax: number): boolean {
    this.#bodyStart = this.#ring.begin(bytesMax, this.#reserveBytes);
    this.#bodyEnd = this.#bodyStart;
    return this.#bodyStart !== NO_ROOM;
  }

  addBody(bytes: Buffer, start: number, end: number): void {
    bytes.copy(this.#ring.bytes, this.#bodyEnd, start, end);
    this.#bodyEnd += end - start;
  }

  commitBody(sampleId: number, slot: number, stampNs: number): void {
    const length = this.#bodyEnd - this.#bodyStart;
    if (length > 0) this.#ring.commit(RECORD.body, stampNs, slot, sampleId, length);
    this.#bodyStart = NO_ROOM;
  }

  ended(sampleId: number, slot: number, stampNs: number, end: SampleEnd): void {
    const at = this.#begin(40 + end.detail.length * 3);
    if (at === NO_ROOM) return;
    const f64 = this.#ring.f64;
    const unit = at / 8;
    f64[unit] = END_KINDS.indexOf(end.kind);
    f64[unit + 1] = end.bytesSent;
    f64[unit + 2] = end.bytesReceived;
    f64[unit + 3] = end.firstByteNs;
    const length = end.detail === '' ? 0 : this.#ring.bytes.write(end.detail, at + 40);
    this.#ring.commit(RECORD.end, stampNs, slot, sampleId, 40 + length);
  }

  skipped(sampleId: number, atNs: number, reason: SkipReason, isWarmup: boolean): void {
    const at = this.#begin(16);
    if (at === NO_ROOM) return;
    this.#ring.f64[at / 8] = SKIP_REASONS.indexOf(reason);
    this.#ring.f64[at / 8 + 1] = isWarmup ? 1 : 0;
    this.#ring.commit(RECORD.skipped, atNs, 0, sampleId, 16);
  }

  observed(record: ClientRecord): void {
    const at = this.#begin(OBSERVED_BYTES);
    if (at === NO_ROOM) return;
    const f64 = this.#ring.f64;
    let unit = at / 8;
    for (const figure of [
      record.thread,
      record.eventLoopUtilization,
      record.cpuShare,
      record.eventLoopDelayNsMax,
      record.readLatenessNsMax,
      record.gcPauseNsTotal,
      record.gcPauseNsMax,
      record.connectionsOpened,
      record.connectionsReused,
      record.connectionsClosed,
      record.connectionsStale,
      record.arrivalsWaiting,
      record.backoffNs,
      record.connectionsAhead,
    ]) {
      f64[unit] = figure;
      unit += 1;
    }
    this.#ring.commit(RECORD.observed, record.atNs, 0, 0, OBSERVED_BYTES);
  }

  /** By how much the stamps of records from now on may be late: `lateNs` is known, `restNs` more is possible. */
  readLate(lateNs: number, restNs: number): void {
    this.#ring.lateNs = lateNs;
    this.#ring.lateNsMax = lateNs + restNs;
  }

  /** The first `count` of them: heartbeats or marks. */
  latenesses(
    type: typeof RECORD.beats | typeof RECORD.marks,
    latenessNs: Float64Array,
    count: number,
    atNs: number,
  ): void {
    const at = this.#begin(count * 8);
    if (at === NO_ROOM) return;
    const f64 = this.#ring.f64;
    for (let index = 0; index < count; index += 1) f64[at / 8 + index] = latenessNs[index] ?? 0;
    this.#ring.commit(type, atNs, 0, 0, count * 8);
  }

  /** @returns false while the ring has no room for it: call it again. */
  milestone(type: Milestone, atNs: number): boolean {
    if (this.#ring.begin(0, 0) === NO_ROOM) return false;
    this.#ring.commit(type, atNs, 0, 0, 0);
    return true;
  }

  #begin(bytes: number): number {
    const at = this.#ring.begin(bytes, 0);
    if (at === NO_ROOM) this.droppedCount += 1;
    return at;
  }
}

/** Fourteen figures. */
const OBSERVED_BYTES = 112;
