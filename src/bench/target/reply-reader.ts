// Reads one reply's body, however it comes: as a stream of events, as one JSON document, compressed, or as the text of an
// error. Tells when content arrives; what was wrong, and what was used, is for the end.

import type { CONTENT_KINDS } from '../arena/load-record.ts';
import { ContentDecoder } from './content-decoder.ts';
import type { ReplyDefect } from './openai/chat-stream.ts';
import { CARRIES_NOTHING, ChatStream } from './openai/chat-stream.ts';
import type { EventSink } from './sse/event-scanner.ts';
import { EventScanner } from './sse/event-scanner.ts';

export interface ContentSink {
  /** An event with content was complete with the read of this stamp. `carries` is CARRIES_ANSWER | CARRIES_REASONING. */
  content(stampNs: number, carries: number): void;
}

export interface ReplyHead {
  readonly status: number;
  readonly contentKind: (typeof CONTENT_KINDS)[number];
  readonly encoding: string;
  readonly location: string;
}

export class ReplyReader implements EventSink {
  readonly chat: ChatStream = new ChatStream();
  readonly #isStreaming: boolean;
  readonly #sink: ContentSink;
  readonly #scanner: EventScanner = new EventScanner(this);
  #mode: 'none' | 'events' | 'document' = 'none';
  #decoder: ContentDecoder | undefined;
  #document: Buffer = NOTHING;
  #documentLength = 0;
  #documentBytesMax = 0;
  #stampNs = 0;
  #contentKind: ReplyHead['contentKind'] = 'missing';
  #hasBody = false;
  #status = 0;
  #location = '';
  #defect: ReplyDefect | undefined;

  constructor(isStreaming: boolean, sink: ContentSink) {
    this.#isStreaming = isStreaming;
    this.#sink = sink;
  }

  get status(): number {
    return this.#status;
  }

  get defect(): ReplyDefect | undefined {
    return this.#defect ?? this.chat.defect;
  }

  get hasOpenEvent(): boolean {
    return this.#mode === 'events' && this.#scanner.hasOpenEvent;
  }

  reset(): void {
    this.chat.reset();
    this.#mode = 'none';
    this.#decoder = undefined;
    this.#documentLength = 0;
    this.#status = 0;
    this.#location = '';
    this.#defect = undefined;
  }

  head({ status, contentKind, encoding, location }: ReplyHead): void {
    this.#status = status;
    this.#location = location;
    this.#contentKind = contentKind;
    this.#hasBody = false;
    const isSuccess = status >= 200 && status <= 299;
    // A stream without its content type is still a stream; JSON is what servers answer that cannot stream.
    this.#mode = isSuccess && this.#isStreaming && contentKind !== 'json' ? 'events' : 'document';
    this.#documentBytesMax = isSuccess ? DOCUMENT_BYTES_MAX : ERROR_BYTES_MAX;
    if (encoding !== '') this.#decoder = new ContentDecoder(encoding);
    if (this.#mode === 'events') this.#scanner.reset();
  }

  body(bytes: Buffer, start: number, end: number, stampNs: number): void {
    this.#stampNs = stampNs;
    this.#hasBody = true;
    if (this.#decoder === undefined) this.#plain(bytes, start, end);
    else this.#decoded(this.#decoder.add(bytes, start, end));
  }

  /** No more bytes come; `isWhole`: because the reply has ended properly. */
  end(isWhole: boolean): void {
    if (this.#decoder !== undefined && isWhole && this.#documentLength + this.#status > 0) {
      this.#decoded(this.#decoder.end());
    }
    if (this.#mode === 'events' && isWhole) this.#checkStream();
    if (this.#mode !== 'document' || !isWhole || this.#status > 299 || this.#documentLength === 0) return;
    const text = this.#document.toString('utf8', 0, this.#documentLength);
    const carries = this.chat.json(text, 'message', false);
    if (this.#isStreaming && this.chat.defect === undefined) {
      this.#defect = { kind: 'malformed', detail: 'a stream was asked for, and a plain reply came' };
    } else if (carries !== CARRIES_NOTHING) {
      this.chat.isDone = true;
      this.#sink.content(this.#stampNs, carries);
    } else if (this.chat.defect === undefined) {
      this.chat.isDone = true;
    }
  }

  /** A page of HTML, say: bytes, and no event in them. */
  #checkStream(): void {
    if (this.#contentKind === 'event-stream' || this.chat.eventCount > 0 || !this.#hasBody) return;
    this.#defect ??= { kind: 'malformed', detail: 'the reply is no event stream' };
  }

  /** Of a reply that is no success: the error's own words, else what it is. */
  statusDetail(): string {
    if (this.#location !== '') return `status ${this.#status}, redirect to ${withoutSecrets(this.#location)}`;
    if (this.#documentLength === 0) return `status ${this.#status}`;
    const text = this.#document.toString('utf8', 0, this.#documentLength);
    this.chat.reset();
    this.chat.json(text, 'message', false);
    const { defect } = this.chat;
    this.chat.reset();
    return defect?.kind === 'error-frame' ? defect.detail : text;
  }

  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): void {
    const carries = this.chat.event(bytes, start, end, isErrorEvent);
    if (carries !== CARRIES_NOTHING) this.#sink.content(this.#stampNs, carries);
  }

  #plain(bytes: Buffer, start: number, end: number): void {
    if (this.#mode === 'events') {
      this.#scanner.push(bytes, start, end);
      if (this.#scanner.isTooLong) this.#defect ??= { kind: 'malformed', detail: 'an event is over 4 MiB' };
      return;
    }
    const taken = Math.min(end - start, this.#documentBytesMax - this.#documentLength);
    if (taken < end - start && this.#status <= 299) {
      this.#defect ??= { kind: 'malformed', detail: 'the reply is over 16 MiB' };
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

/** Scheme, host and path: query and credentials may be secret. */
const withoutSecrets = (location: string): string => {
  const [place = ''] = location.split(/[?#]/);
  return place.replace(/\/\/[^/@]*@/, '//');
};

const NOTHING: Buffer = Buffer.alloc(0);
/** Bounds in docs/limits.md. */
const DOCUMENT_BYTES_MAX = 16_777_216;
const ERROR_BYTES_MAX = 16_384;
