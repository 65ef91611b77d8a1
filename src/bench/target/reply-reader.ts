// Reads one reply's body in any form: as a stream of events, as one JSON document, compressed, or as the text of an
// error. Reports content as it arrives; errors and usage are available at the end.

import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import type { ReplyCounts, ServedTimes } from '../../core/run/event-record.ts';
import type { CONTENT_KINDS, EndKind } from '../arena/load-record.ts';
import type { AnswerParts, AnswerText } from './api/answer-parts.ts';
import { messageOfBody } from './api/error-message.ts';
import { isDoneMark } from './api/json-reply.ts';
import { type ApiReply, CARRIES_NOTHING, type ReplyDefect, type ServerApi } from './api/server-api.ts';
import { type ContentDecoder, contentDecoder } from './content-decoder.ts';
import { EventScanner, type EventSink, type StreamScanner } from './event-scanner.ts';
import { LineScanner } from './line-scanner.ts';
import { decideOutcome, type SampleOutcome } from './outcome.ts';

export interface ContentSink {
  /** An event with content of a choice was complete with the read of this stamp. `carries` is of CARRIES_… and THOUGHT_UNTIL_NOW. */
  content(stampNs: number, carries: number, choice: number): void;
}

export interface ReplyHead {
  readonly status: number;
  readonly contentKind: (typeof CONTENT_KINDS)[number];
  readonly encoding: string;
  readonly location: string;
  /** It requested a later retry. */
  readonly hasRetryAfter: boolean;
}

type ReportedByReply = Pick<
  ApiReply,
  | 'inputTokens'
  | 'outputTokens'
  | 'finishReason'
  | 'finishName'
  | 'cachedTokens'
  | 'predictedTokens'
  | keyof ServedTimes
  | keyof ReplyCounts
  | 'reasoningTokens'
  | 'isContradictory'
  | 'choices'
  | 'model'
  | 'answerHash'
>;

export class ReplyReader implements EventSink {
  readonly #api: ServerApi;
  readonly #reply: ApiReply;
  readonly #isStreaming: boolean;
  readonly #sink: ContentSink;
  readonly #scanner: StreamScanner;
  #mode: 'none' | 'events' | 'document' = 'none';
  #decoder: ContentDecoder | undefined;
  #document: Buffer = NOTHING;
  #documentLength = 0;
  #documentBytesMax = 0;
  #stampNs = 0;
  #contentKind: ReplyHead['contentKind'] = 'missing';
  #hasBody = false;
  #hasEvent = false;
  #hasContent = false;
  /** Bytes after the last empty line are parsed, because the reply is complete. */
  #isAtEnd = false;
  /** It was only a part of an event. */
  #hasTornEvent = false;
  #status = 0;
  #location = '';
  #hasRetryAfter = false;
  /** A content-encoding that is not decoded; '' if there is none. */
  #unknownCoding = '';
  #defect: ReplyDefect | undefined;

  constructor(api: ServerApi, isStreaming: boolean, sink: ContentSink) {
    this.#api = api;
    this.#scanner = api.framing === 'lines' ? new LineScanner(this) : new EventScanner(this);
    this.#reply = api.newReply();
    this.#isStreaming = isStreaming;
    this.#sink = sink;
  }

  /** From what has arrived so far. */
  get reported(): ReportedByReply {
    return this.#reply;
  }

  /** For an answer that is to be checked, if this API supports it. */
  get parts(): AnswerParts | undefined {
    return this.#reply.parts;
  }

  get written(): AnswerText {
    return this.#reply.written;
  }

  /** If this API keeps one. */
  get answer(): AnswerText | undefined {
    return this.#reply.keptAnswer;
  }

  /** The id under which this server stores it; '' if there is none. */
  get answerId(): string {
    return this.#reply.keptId ?? '';
  }

  reset(): void {
    this.#reply.reset();
    this.#hasContent = false;
    this.#hasEvent = false;
    this.#isAtEnd = false;
    this.#hasTornEvent = false;
    this.#mode = 'none';
    this.#decoder = undefined;
    this.#documentLength = 0;
    this.#status = 0;
    this.#location = '';
    this.#hasRetryAfter = false;
    this.#defect = undefined;
  }

  /** Some content of an answer has arrived: text, reasoning, a tool call, a vector. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  get hasRetryAfter(): boolean {
    return this.#hasRetryAfter;
  }

  head({ status, contentKind, encoding, location, hasRetryAfter }: ReplyHead): void {
    this.#hasRetryAfter = hasRetryAfter;
    this.#status = status;
    this.#location = location;
    this.#contentKind = contentKind;
    this.#hasBody = false;
    const isSuccess = status >= 200 && status <= 299;
    // A stream without its content type is still a stream; servers that cannot stream reply with JSON.
    this.#mode = isSuccess && this.#isStreaming && contentKind !== 'json' ? 'events' : 'document';
    this.#documentBytesMax = isSuccess ? DOCUMENT_BYTES_MAX : ERROR_BYTES_MAX;
    this.#decoder = contentDecoder(encoding);
    this.#unknownCoding = this.#decoder === undefined ? encoding : '';
    if (this.#mode === 'events') this.#scanner.reset();
  }

  body(bytes: Buffer, start: number, end: number, stampNs: number): void {
    this.#stampNs = stampNs;
    this.#hasBody = true;
    if (this.#decoder === undefined) this.#plain(bytes, start, end);
    else this.#decoded(this.#decoder.add(bytes, start, end));
  }

  /** No more bytes arrive. @returns how the sample ends. */
  end(endKind: EndKind, endDetail: string): SampleOutcome {
    if (endKind === 'whole') this.#endWhole();
    const reply = this.#reply;
    const isRefusal = this.#status !== 0 && (this.#status < 200 || this.#status > 299);
    return decideOutcome({
      endKind,
      endDetail,
      status: this.#status,
      statusDetail: isRefusal ? this.#statusDetail() : '',
      hasContent: this.#hasContent,
      hasEnded: reply.hasEnded,
      isDone: reply.isDone,
      hasFinished: reply.hasFinished,
      hasOpenEvent: this.#mode === 'events' && (this.#scanner.hasOpenEvent || this.#hasTornEvent),
      isOutOfTokens: reply.finishReason === 'length' && reply.outputTokens > 0,
      withoutEnd: this.#api.withoutEnd,
      defect: this.#explained(this.#defect ?? reply.defect),
    });
  }

  #explained(defect: ReplyDefect | undefined): ReplyDefect | undefined {
    if (defect?.kind !== 'malformed' || this.#unknownCoding === '') return defect;
    return { ...defect, detail: `content-encoding ${this.#unknownCoding}, and ${defect.detail}` };
  }

  #endWhole(): void {
    if (this.#decoder !== undefined && this.#documentLength + this.#status > 0) {
      this.#decoded(this.#decoder.end());
    }
    if (this.#mode === 'events') {
      this.#endStream();
      this.#checkStream();
    }
    if (this.#mode !== 'document' || this.#status > 299 || this.#documentLength === 0) return;
    const carries = this.#reply.document(this.#document.toString('utf8', 0, this.#documentLength));
    if (this.#isStreaming && this.#reply.defect === undefined) {
      this.#defect = { kind: 'malformed', detail: 'a stream was requested, but the reply is not streamed' };
    } else {
      this.#content(carries);
    }
  }

  /**
   * Gateways send the last event without its empty line, and clients accept it: a complete HTTP reply with a complete
   * event there lacks nothing.
   */
  #endStream(): void {
    if (!this.#scanner.hasOpenEvent) return;
    this.#isAtEnd = true;
    this.#scanner.end();
    this.#isAtEnd = false;
  }

  /** For example a page of HTML: bytes without any event. */
  #checkStream(): void {
    if (this.#hasEvent || !this.#hasBody) return;
    if (this.#contentKind === 'event-stream' && !this.#scanner.hasForeignLines) return;
    this.#defect ??= { kind: 'malformed', detail: 'the reply is not an event stream' };
  }

  /** For an unsuccessful reply: the error's own text; '' if there is none, as the status is stored separately. */
  #statusDetail(): string {
    if (this.#location !== '') return `redirect to ${withoutSecrets(this.#location)}`;
    return messageOfBody(this.#document.toString('utf8', 0, this.#documentLength));
  }

  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): void {
    if (start === end) return;
    if (this.#isAtEnd && !isWholeEvent(bytes, start, end)) {
      this.#hasTornEvent = true;
      return;
    }
    this.#hasEvent = true;
    this.#content(this.#reply.event(bytes, start, end, isErrorEvent));
  }

  #content(carries: number): void {
    if (carries === CARRIES_NOTHING) return;
    this.#hasContent = true;
    for (const choice of this.#reply.carried) this.#sink.content(this.#stampNs, carries, choice);
  }

  #plain(bytes: Buffer, start: number, end: number): void {
    if (this.#mode === 'events') {
      this.#scanner.push(bytes, start, end);
      if (this.#scanner.isTooLong)
        this.#defect ??= { kind: 'malformed', detail: 'an event is larger than 4 MiB' };
      return;
    }
    const taken = Math.min(end - start, this.#documentBytesMax - this.#documentLength);
    if (taken < end - start && this.#status <= 299) {
      this.#defect ??= { kind: 'malformed', detail: 'the reply is larger than 16 MiB' };
    }
    const length = this.#documentLength + taken;
    if (length > this.#document.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(4_096, length * 2));
      this.#document.copy(grown, 0, 0, this.#documentLength);
      this.#document = grown;
    }
    bytes.copy(this.#document, this.#documentLength, start, start + taken);
    this.#documentLength = length;
  }

  #decoded(decoded: ReturnType<ContentDecoder['end']>): void {
    if (decoded.kind === 'wrong') this.#defect ??= { kind: 'malformed', detail: decoded.problem };
    else this.#plain(decoded.bytes, 0, decoded.bytes.length);
  }
}

const isWholeEvent = (bytes: Buffer, start: number, end: number): boolean =>
  isDoneMark(bytes, start, end) || isJsonObject(parseAnyJson(bytes.toString('utf8', start, end)));

/** Scheme, host and path: query and credentials may be secret. */
const withoutSecrets = (location: string): string => {
  const [url = ''] = location.split(/[?#]/);
  return url.replace(/\/\/[^/@]*@/, '//');
};

const NOTHING: Buffer = Buffer.alloc(0);
/** Limits in docs/limits.md. */
const DOCUMENT_BYTES_MAX = 16_777_216;
const ERROR_BYTES_MAX = 16_384;
