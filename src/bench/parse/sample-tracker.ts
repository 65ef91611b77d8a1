// One connection's sample on the parse side: from what its load thread recorded to event records and a line of
// samples.jsonl. Stamps are kept until the end, because the line wants all of them.

import { recordOf } from '../../core/record-of.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import { OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import type { SampleLateness } from '../../core/run/event-record.ts';
import { LATENESS_KEYS, NO_FIGURE } from '../../core/run/event-record.ts';
import type { SampleRemark } from '../../core/run/sample-remark.ts';
import { isSameModel } from '../../core/run/sample-remark.ts';
import type { EndKind } from '../arena/load-record.ts';
import type { ServerApi } from '../target/api/server-api.ts';
import { CARRIES_ANSWER } from '../target/api/server-api.ts';
import type { ContentSink, ReplyHead } from '../target/reply-reader.ts';
import { ReplyReader } from '../target/reply-reader.ts';
import type { AskedRequests } from './asked-requests.ts';
import { isRepeatedRequest } from './asked-requests.ts';
import type { ChunkLateness, ReadLate } from './chunk-lateness.ts';
import type { RecordOutput } from './record-output.ts';

export interface TransportEnd {
  readonly kind: EndKind;
  readonly detail: string;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly firstByteNs: number;
}

export interface SampleTrackerOptions {
  readonly output: RecordOutput;
  readonly api: ServerApi;
  readonly isStreaming: boolean;
  readonly asked: AskedRequests;
}

export class SampleTracker implements ContentSink {
  isActive = false;
  sampleId = 0;
  readonly #output: RecordOutput;
  readonly #isStreaming: boolean;
  readonly #asked: AskedRequests;
  readonly #repeats: Uint8Array | undefined;
  /** The last other name that a reply had, so that each is compared once. */
  #compared = { answered: '', otherModel: '' };
  readonly #reply: ReplyReader;
  readonly #chunks: ChunkLateness;
  /** Written anew for each sample. */
  readonly #issued = { sampleId: 0, atNs: 0, intendedNs: 0, connectNs: 0, heldBackNs: 0, isWarmup: false };
  #firstByteNs = NO_FIGURE;
  #firstAnswerNs = NO_FIGURE;
  #lastBodyNs = 0;
  /** By how much the stamp of the body in hand may be late. */
  #bodyLateNs = 0;
  #bodyLateNsMax = 0;
  #lateness = inTime();
  #beganWithAnswer = false;
  /** Of every content chunk. */
  #stampsNs: Float64Array = new Float64Array(16);
  #chunkCount = 0;
  /** Of the stamps, how many are in records. */
  #toldCount = 0;

  constructor({ output, api, isStreaming, asked }: SampleTrackerOptions, chunks: ChunkLateness) {
    this.#chunks = chunks;
    this.#output = output;
    this.#isStreaming = isStreaming;
    this.#asked = asked;
    this.#repeats = asked.repeats === undefined ? undefined : new Uint8Array(asked.repeats);
    this.#reply = new ReplyReader(api, isStreaming, this);
  }

  issued(
    sampleId: number,
    sentNs: number,
    intendedNs: number,
    connectNs: number,
    heldBackNs: number,
    isWarmup: boolean,
    writeNs: number,
  ): void {
    this.isActive = true;
    this.sampleId = sampleId;
    const issued = this.#issued;
    issued.sampleId = sampleId;
    issued.atNs = sentNs;
    issued.intendedNs = intendedNs;
    issued.connectNs = connectNs;
    issued.heldBackNs = heldBackNs;
    issued.isWarmup = isWarmup;
    this.#lateness = { ...inTime(), writeNs };
    this.#firstByteNs = NO_FIGURE;
    this.#firstAnswerNs = NO_FIGURE;
    this.#lastBodyNs = sentNs;
    this.#chunkCount = 0;
    this.#toldCount = 0;
    this.#reply.reset();
    this.#output.issued(issued);
  }

  head(firstByteNs: number, late: ReadLate, head: ReplyHead): void {
    this.#firstByteNs = firstByteNs;
    this.#lateness.firstByteLateNs = late.lateNs;
    this.#lateness.firstByteLateNsMax = late.lateNsMax;
    this.#reply.head(head);
  }

  body(bytes: Buffer, start: number, end: number, stampNs: number, late: ReadLate): void {
    this.#lastBodyNs = stampNs;
    this.#bodyLateNs = late.lateNs;
    this.#bodyLateNsMax = late.lateNsMax;
    this.#reply.body(bytes, start, end, stampNs);
  }

  content(stampNs: number, carries: number): void {
    const isAnswer = (carries & CARRIES_ANSWER) !== 0;
    if (this.#chunkCount === 0) {
      // A plain reply has content and no first one: it is there all at once.
      if (this.#isStreaming) this.#output.receivedFirst(this.sampleId, stampNs, this.#firstByteNs);
      this.#toldCount = 1;
    } else {
      if (this.#firstAnswerNs === NO_FIGURE && isAnswer && !this.#beganWithAnswer) {
        this.#firstAnswerNs = stampNs;
      }
      if (this.#toldCount === this.#chunkCount) this.#output.hasStamps(this);
    }
    if (this.#chunkCount === 0) {
      this.#beganWithAnswer = isAnswer;
      this.#lateness.firstContentLateNs = this.#bodyLateNs;
      this.#lateness.firstContentLateNsMax = this.#bodyLateNsMax;
    }
    this.#lateness.lastContentLateNs = this.#bodyLateNs;
    this.#lateness.lastContentLateNsMax = this.#bodyLateNsMax;
    if (this.#isStreaming && !this.#issued.isWarmup) this.#chunks.add(this.#bodyLateNs, this.#bodyLateNsMax);
    if (this.#chunkCount === this.#stampsNs.length) this.#grow();
    this.#stampsNs[this.#chunkCount] = stampNs;
    this.#chunkCount += 1;
  }

  /** Writes the stamps that are in no record yet. */
  tellStamps(): void {
    if (!this.isActive || this.#toldCount >= this.#chunkCount) return;
    this.#output.stamps(this.sampleId, this.#stampsNs, this.#toldCount, this.#chunkCount);
    this.#toldCount = this.#chunkCount;
  }

  ended(atNs: number, late: ReadLate | undefined, end: TransportEnd): void {
    const { outcome, failure, endsWithTransport } = this.#reply.end(end.kind, end.detail);
    const { inputTokens, outputTokens, finishReason } = this.#reply.told;
    if (this.#firstByteNs === NO_FIGURE) this.#firstByteNs = end.firstByteNs;
    this.#lateness.endLateNs = endsWithTransport ? (late?.lateNs ?? 0) : this.#bodyLateNs;
    this.#lateness.endLateNsMax = endsWithTransport ? (late?.lateNsMax ?? 0) : this.#bodyLateNsMax;
    const remark = this.#remark();
    this.tellStamps();
    this.isActive = false;
    const isContentTold = this.#isStreaming && this.#chunkCount > 0;
    const sample: EndedSample = {
      sampleId: this.sampleId,
      window: this.#issued.isWarmup ? OUTSIDE_WINDOWS : 0,
      intendedNs: this.#issued.intendedNs,
      sentNs: this.#issued.atNs,
      connectNs: this.#issued.connectNs,
      heldBackNs: this.#issued.heldBackNs,
      firstByteNs: this.#firstByteNs,
      firstContentNs: isContentTold ? (this.#stampsNs[0] ?? NO_FIGURE) : NO_FIGURE,
      firstAnswerNs: this.#firstAnswerNs,
      chunkGapsNs: isContentTold ? this.#gaps() : [],
      chunkCount: isContentTold ? this.#chunkCount : 0,
      endNs: endsWithTransport ? atNs : this.#lastBodyNs,
      outcome,
      failure:
        failure === undefined ? undefined : { ...failure, detail: this.#output.shortened(failure.detail) },
      inputTokens,
      outputTokens,
      finishReason,
      bytesSent: end.bytesSent,
      bytesReceived: end.bytesReceived,
      lateness: this.#lateness,
      ...(remark === undefined ? {} : { remark }),
    };
    this.#output.ended(sample);
  }

  #remark(): SampleRemark | undefined {
    const { cachedTokens, predictedTokens, model } = this.#reply.told;
    const { hasRetryAfter } = this.#reply;
    const isRepeat = isRepeatedRequest(this.#asked, this.#repeats, this.sampleId);
    const isAsAsked = model === '' || this.#asked.model === '' || model === this.#asked.model;
    const otherModel = isAsAsked ? '' : this.#otherModel(model);
    const isPlain = cachedTokens === NO_FIGURE && predictedTokens === NO_FIGURE && otherModel === '';
    return isPlain && !hasRetryAfter && !isRepeat
      ? undefined
      : { cachedTokens, predictedTokens, isRepeat, hasRetryAfter, otherModel };
  }

  #otherModel(answered: string): string {
    if (this.#compared.answered !== answered) {
      const otherModel = isSameModel(this.#asked.model, answered) ? '' : this.#output.shortened(answered);
      this.#compared = { answered, otherModel };
    }
    return this.#compared.otherModel;
  }

  #gaps(): number[] {
    const gaps: number[] = [];
    for (let at = 1; at < this.#chunkCount; at += 1) {
      gaps.push((this.#stampsNs[at] ?? 0) - (this.#stampsNs[at - 1] ?? 0));
    }
    return gaps;
  }

  #grow(): void {
    const grown = new Float64Array(this.#stampsNs.length * 2);
    grown.set(this.#stampsNs);
    this.#stampsNs = grown;
  }
}

const inTime = (): Record<keyof SampleLateness, number> => recordOf(LATENESS_KEYS, () => 0);
