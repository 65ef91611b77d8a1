// One connection's sample on the parse side: from the records of its load thread to event records and a line of
// samples.jsonl. Stamps are kept until the end, because the line contains all of them.

import { recordOf } from '../../core/record-of.ts';
import { type EndedSample, OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import {
  LATENESS_KEYS,
  NO_FIGURE,
  REPLY_COUNT_KEYS,
  type ReplyCounts,
  type SampleLateness,
  SERVED_KEYS,
  type ServedTimes,
} from '../../core/run/event-record.ts';
import { isSameModel, type SampleNote, type SampleRemark } from '../../core/run/sample-remark.ts';
import { tokenDoubts } from '../../core/run/token-doubts.ts';
import type { EndKind } from '../arena/load-record.ts';
import { checkAnswer } from '../target/answer-check.ts';
import { CARRIES_ANSWER, CARRIES_TEXT, type ServerApi, THOUGHT_UNTIL_NOW } from '../target/api/server-api.ts';
import { type ContentSink, type ReplyHead, ReplyReader } from '../target/reply-reader.ts';
import type { GapEdges, ReadLate } from './gap-edges.ts';
import type { RecordOutput } from './record-output.ts';
import { isRepeatedRequest, lineIdOf, type TokensPerRequest, variantOf } from './tokens-per-request.ts';
import type { TurnNotifier } from './turn-notifier.ts';

interface TransportEnd {
  readonly kind: EndKind;
  readonly detail: string;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly firstByteNs: number;
}

interface SampleTrackerOptions {
  readonly output: RecordOutput;
  readonly api: ServerApi;
  readonly isStreaming: boolean;
  readonly requested: TokensPerRequest;
  /** For a run of sessions. */
  readonly turns?: TurnNotifier | undefined;
}

export class SampleTracker implements ContentSink {
  isActive = false;
  sampleId = 0;
  readonly #output: RecordOutput;
  readonly #isStreaming: boolean;
  readonly #requested: TokensPerRequest;
  readonly #turns: TurnNotifier | undefined;
  readonly #repeats: Uint8Array | undefined;
  /** The last different name in a reply, so that each is compared once. */
  #compared = { requested: '', answered: '', otherModel: '' };
  readonly #reply: ReplyReader;
  readonly #gapEdges: GapEdges;
  /** Overwritten for each sample, to allocate nothing. */
  readonly #issued = { sampleId: 0, atNs: 0, intendedNs: 0, connectNs: 0, heldBackNs: 0, isWarmup: false };
  #firstByteNs = NO_FIGURE;
  #firstAnswerNs = NO_FIGURE;
  #lastBodyNs = 0;
  /** By how much the stamp of the current body may be late. */
  #bodyLateNs = 0;
  #bodyLateNsMax = 0;
  #lateness = inTime();
  #beganWithAnswer = false;
  /** Stamp of every content chunk. */
  #stampsNs: Float64Array = new Float64Array(16);
  /** Lateness of each stamp: by known causes, and its upper limit. */
  #late: Float32Array = new Float32Array(32);
  /** Index of the target's address; -1: it has one. */
  #address = NO_FIGURE;
  #chunkCount = 0;
  /** Number of chunks with text. */
  #textChunks = 0;
  /** Choice of each chunk, once there is a second choice. */
  #choiceOf: number[] = [];
  /** How many of the stamps are in records. */
  #reportedCount = 0;

  constructor({ output, api, isStreaming, requested, turns }: SampleTrackerOptions, gapEdges: GapEdges) {
    this.#gapEdges = gapEdges;
    this.#output = output;
    this.#isStreaming = isStreaming;
    this.#requested = requested;
    this.#turns = turns;
    this.#repeats = requested.repeats === undefined ? undefined : new Uint8Array(requested.repeats);
    this.#reply = new ReplyReader(api, isStreaming, this);
    if (this.#reply.parts !== undefined) this.#reply.parts.isKept = requested.check !== undefined;
    this.#reply.written.isKept = requested.keepsAnswers;
  }

  issued(
    sampleId: number,
    sentNs: number,
    intendedNs: number,
    connectNs: number,
    heldBackNs: number,
    isWarmup: boolean,
    writeNs: number,
    address: number,
  ): void {
    this.#address = address;
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
    this.#textChunks = 0;
    this.#choiceOf = [];
    this.#reportedCount = 0;
    this.#reply.reset();
    const { answer } = this.#reply;
    const isContinued = this.#turns?.keepsAnswer(sampleId) ?? false;
    if (answer !== undefined) answer.isKept = isContinued;
    if (this.#reply.parts !== undefined)
      this.#reply.parts.isKept = isContinued || this.#requested.check !== undefined;
    this.#output.issued(issued);
    const turn = this.#turns?.turnOf(sampleId);
    if (turn !== undefined) this.#output.placed(sampleId, turn);
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

  content(stampNs: number, carries: number, choice: number): void {
    if ((carries & THOUGHT_UNTIL_NOW) !== 0) {
      this.#beganWithAnswer = false;
      this.#firstAnswerNs = NO_FIGURE;
    }
    if ((carries & CARRIES_TEXT) !== 0) this.#textChunks += 1;
    const isAnswer = (carries & CARRIES_ANSWER) !== 0;
    if (this.#chunkCount === 0) {
      // A plain reply has no first content: it arrives as a whole.
      if (this.#isStreaming) this.#output.receivedFirst(this.sampleId, stampNs, this.#firstByteNs);
      this.#reportedCount = 1;
    } else {
      if (this.#firstAnswerNs === NO_FIGURE && isAnswer && !this.#beganWithAnswer) {
        this.#firstAnswerNs = stampNs;
      }
      if (this.#reportedCount === this.#chunkCount) this.#output.hasStamps(this);
    }
    if (this.#chunkCount === 0) {
      this.#beganWithAnswer = isAnswer;
      this.#lateness.firstContentLateNs = this.#bodyLateNs;
      this.#lateness.firstContentLateNsMax = this.#bodyLateNsMax;
    }
    this.#lateness.lastContentLateNs = this.#bodyLateNs;
    this.#lateness.lastContentLateNsMax = this.#bodyLateNsMax;
    if (this.#chunkCount === this.#stampsNs.length) this.#grow();
    this.#stampsNs[this.#chunkCount] = stampNs;
    this.#late[2 * this.#chunkCount] = this.#bodyLateNs * ROUNDED_UP;
    this.#late[2 * this.#chunkCount + 1] = this.#bodyLateNsMax * ROUNDED_UP;
    if (choice !== 0 || this.#choiceOf.length > 0) this.#belongs(choice);
    this.#chunkCount += 1;
  }

  /** Writes the stamps that are in no record yet. */
  reportStamps(): void {
    if (!this.isActive || this.#reportedCount >= this.#chunkCount) return;
    this.#output.stamps(this.sampleId, this.#stampsNs, this.#reportedCount, this.#chunkCount);
    this.#reportedCount = this.#chunkCount;
  }

  ended(atNs: number, late: ReadLate | undefined, end: TransportEnd): void {
    const { outcome, failure, endsWithTransport } = this.#reply.end(end.kind, end.detail);
    const { inputTokens, outputTokens, finishReason, answerHash } = this.#reply.reported;
    if (this.#firstByteNs === NO_FIGURE) this.#firstByteNs = end.firstByteNs;
    this.#lateness.endLateNs = endsWithTransport ? (late?.lateNs ?? 0) : this.#bodyLateNs;
    this.#lateness.endLateNsMax = endsWithTransport ? (late?.lateNsMax ?? 0) : this.#bodyLateNsMax;
    const remark = this.#remark(outcome === 'completed');
    const served = this.#figures(SERVED_KEYS);
    const counts = this.#figures(REPLY_COUNT_KEYS);
    const lineId = lineIdOf(this.#requested, this.sampleId);
    const turn = this.#turns?.turnOf(this.sampleId);
    const note = this.#note(end, outcome === 'completed', turn?.session);
    this.reportStamps();
    this.isActive = false;
    const isContentReported = this.#isStreaming && this.#chunkCount > 0;
    if (isContentReported && outcome === 'completed' && !this.#issued.isWarmup)
      this.#gapEdges.add(this.#stampsNs, this.#late, { count: this.#chunkCount, choiceOf: this.#choiceOf });
    const sample: EndedSample = {
      sampleId: this.sampleId,
      window: this.#issued.isWarmup ? OUTSIDE_WINDOWS : 0,
      intendedNs: this.#issued.intendedNs,
      sentNs: this.#issued.atNs,
      connectNs: this.#issued.connectNs,
      heldBackNs: this.#issued.heldBackNs,
      firstByteNs: this.#firstByteNs,
      firstContentNs: isContentReported ? (this.#stampsNs[0] ?? NO_FIGURE) : NO_FIGURE,
      firstAnswerNs: this.#firstAnswerNs,
      chunkGapsNs: isContentReported ? this.#gaps() : [],
      chunkCount: isContentReported ? this.#chunkCount : 0,
      ...(isContentReported && this.#choiceOf.length > 0 ? { chunkChoices: this.#choiceOf } : {}),
      endNs: endsWithTransport ? atNs : this.#lastBodyNs,
      outcome,
      failure:
        failure === undefined ? undefined : { ...failure, detail: this.#output.shortened(failure.detail) },
      inputTokens,
      outputTokens,
      finishReason,
      bytesSent: end.bytesSent,
      bytesReceived: end.bytesReceived,
      ...(answerHash === NO_FIGURE ? {} : { answerHash }),
      lateness: this.#lateness,
      ...(remark === undefined ? {} : { remark }),
      ...(served === undefined ? {} : { served }),
      ...(counts === undefined ? {} : { counts }),
      ...(note === undefined ? {} : { note }),
      ...(turn === undefined ? {} : { turn }),
      ...(lineId === undefined ? {} : { lineId }),
    };
    this.#turns?.ended(sample, this.#reply);
    this.#output.ended(sample);
    const { written } = this.#reply;
    const isCounted = outcome === 'completed' && !this.#issued.isWarmup;
    if (written.isKept && isCounted && !written.isTooLong) this.#output.answered(this.sampleId, written.text);
  }

  #belongs(choice: number): void {
    while (this.#choiceOf.length < this.#chunkCount) this.#choiceOf.push(0);
    this.#choiceOf.push(Math.min(choice, LAST_CHOICE));
  }

  #remark(isCompleted: boolean): SampleRemark | undefined {
    const { reported } = this.#reply;
    const { cachedTokens, predictedTokens, reasoningTokens, finishName, model } = reported;
    const { hasRetryAfter } = this.#reply;
    const isRepeat = isRepeatedRequest(this.#requested, this.#repeats, this.sampleId);
    const requested = this.#requestedModel();
    const isAsRequested = model === '' || requested === '' || model === requested;
    const otherModel = isAsRequested ? '' : this.#otherModel(requested, model);
    const { hasContent } = this.#reply;
    const isWithoutText = isCompleted && !hasContent;
    const textChunks = this.#isStreaming ? this.#textChunks : 0;
    const doubts = isCompleted ? tokenDoubts({ ...reported, textChunks, hasContent }) : [];
    const isPlain =
      cachedTokens === NO_FIGURE &&
      predictedTokens === NO_FIGURE &&
      reasoningTokens === NO_FIGURE &&
      otherModel === '' &&
      finishName === '';
    return isPlain && !hasRetryAfter && !isRepeat && !isWithoutText && doubts.length === 0
      ? undefined
      : {
          cachedTokens,
          predictedTokens,
          reasoningTokens,
          isRepeat,
          hasRetryAfter,
          isWithoutText,
          doubts,
          finishName: this.#output.shortened(finishName),
          otherModel,
        };
  }

  /** undefined: the reply has none of them. */
  #figures<K extends keyof (ServedTimes & ReplyCounts)>(
    keys: readonly K[],
  ): Readonly<Record<K, number>> | undefined {
    const { reported } = this.#reply;
    return keys.every(key => reported[key] === NO_FIGURE) ? undefined : recordOf(keys, key => reported[key]);
  }

  #note({ kind }: TransportEnd, isCompleted: boolean, session: number | undefined): SampleNote | undefined {
    const isCancelledAsPlanned = kind === 'cancelled-as-planned';
    const isCutAfterGrace = kind === 'cancelled-after-grace';
    const requested = variantOf(this.#requested, this.sampleId, session);
    // With a mix, models are distinguished, and addresses are not.
    const variant = requested === NO_FIGURE && !this.#issued.isWarmup ? this.#address : requested;
    const { check: plan } = this.#requested;
    const { parts } = this.#reply;
    const isChecked = plan !== undefined && parts !== undefined && isCompleted && !this.#issued.isWarmup;
    const check = isChecked ? checkAnswer(plan, parts) : 'none';
    return isCancelledAsPlanned || isCutAfterGrace || variant !== NO_FIGURE || isChecked
      ? { isCancelledAsPlanned, isCutAfterGrace, variant, check }
      : undefined;
  }

  #requestedModel(): string {
    const { mix, model } = this.#requested;
    return mix === undefined
      ? model
      : (mix.models[variantOf(this.#requested, this.sampleId, undefined)] ?? '');
  }

  #otherModel(requested: string, answered: string): string {
    if (this.#compared.answered !== answered || this.#compared.requested !== requested) {
      const otherModel = isSameModel(requested, answered) ? '' : this.#output.shortened(answered);
      this.#compared = { requested, answered, otherModel };
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
    const late = new Float32Array(this.#late.length * 2);
    late.set(this.#late);
    this.#late = late;
  }
}

const LAST_CHOICE = 255;

/** A single keeps 24 bits: rounding must never make a lateness smaller. */
const ROUNDED_UP: number = 1 + 2 ** -23;

const inTime = (): Record<keyof SampleLateness, number> => recordOf(LATENESS_KEYS, () => 0);
