// Where an HTTP/1.1 response begins, how it is delimited and where it ends (RFC 9112), as a state machine over bytes
// with arbitrary boundaries. It stores no body bytes and allocates nothing for a response whose lines are not split.

import { HeadReader, notHttp1 } from './head-reader.ts';

export interface ReplySink {
  /** The first byte of a status line, that of an interim response included. */
  replyBegan(): void;
  /** The final head is known: see `head`. */
  headEnded(): void;
  /** A piece of the body, HTTP framing removed. Valid during the call only. */
  bodyBytes(bytes: Buffer, start: number, end: number): void;
}

export class ResponseFramer {
  readonly head: HeadReader = new HeadReader();
  readonly #sink: ReplySink;
  #state: number = STATUS_LINE;
  /** Remaining bytes of the body or the chunk; unknown until the connection's end if it has no length. */
  #bytesLeft = 0;
  /** A line that was split between reads. */
  #carry: Buffer = EMPTY;
  #carryLength = 0;
  #headBytes = 0;
  #problem = '';

  constructor(sink: ReplySink) {
    this.#sink = sink;
  }

  get isDone(): boolean {
    return this.#state === DONE;
  }

  /** The error in the response; '' if there is none. */
  get problem(): string {
    return this.#problem;
  }

  /** Whether the body lasts until the server closes the connection. */
  get endsWithConnection(): boolean {
    return this.#state === BODY_UNTIL_CLOSE;
  }

  reset(): void {
    this.head.reset();
    this.#state = STATUS_LINE;
    this.#bytesLeft = 0;
    this.#carryLength = 0;
    this.#headBytes = 0;
    this.#problem = '';
  }

  /** @returns how many bytes belong to this response: fewer than given when it is complete, or invalid. */
  push(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end) {
      switch (this.#state) {
        case BODY_OF_LENGTH:
        case CHUNK_DATA: {
          const taken = Math.min(this.#bytesLeft, end - at);
          this.#sink.bodyBytes(bytes, at, at + taken);
          at += taken;
          this.#bytesLeft -= taken;
          if (this.#bytesLeft === 0) this.#state = this.#state === CHUNK_DATA ? CHUNK_END : DONE;
          break;
        }
        case BODY_UNTIL_CLOSE:
          this.#sink.bodyBytes(bytes, at, end);
          at = end;
          break;
        case DONE:
        case WRONG:
          return at - start;
        default:
          at = this.#pushLine(bytes, at, end);
      }
    }
    return at - start;
  }

  /** The server ended the connection. @returns whether the response is complete. */
  endOfConnection(): boolean {
    if (this.#state === BODY_UNTIL_CLOSE) this.#state = DONE;
    return this.#state === DONE;
  }

  #pushLine(bytes: Buffer, start: number, end: number): number {
    if (this.#state === STATUS_LINE && this.#carryLength === 0) this.#sink.replyBegan();
    let at = start;
    while (at < end && bytes[at] !== LF) at += 1;
    const isWhole = at < end;
    // The line feed counts once, in however many reads the line arrived.
    if (!this.#count(isWhole ? at - start + 1 : at - start)) return at;
    if (!isWhole) {
      this.#keep(bytes, start, at);
      // A server with another protocol may never send a line feed.
      if (this.#state === STATUS_LINE && !isStatusLineStart(this.#carry, this.#carryLength)) {
        this.#fail(notHttp1(this.#carry.subarray(0, this.#carryLength)));
      }
      return at;
    }
    if (this.#carryLength === 0) {
      this.#line(bytes, start, at);
    } else {
      this.#keep(bytes, start, at);
      const length = this.#carryLength;
      this.#carryLength = 0;
      this.#line(this.#carry, 0, length);
    }
    return at + 1;
  }

  /** `lineFeedAt` is the index of the line feed. */
  #line(bytes: Buffer, start: number, lineFeedAt: number): void {
    const end = lineFeedAt > start && bytes[lineFeedAt - 1] === CR ? lineFeedAt - 1 : lineFeedAt;
    switch (this.#state) {
      case STATUS_LINE:
        if (this.head.statusLine(bytes, start, end)) this.#state = HEADER_LINE;
        else this.#fail(this.head.problem);
        return;
      case HEADER_LINE:
        if (start === end) this.#headEnded();
        else if (!this.head.field(bytes, start, end)) this.#fail(this.head.problem);
        return;
      case CHUNK_SIZE:
        this.#chunkSize(bytes, start, end);
        return;
      case CHUNK_END:
        this.#headBytes = 0;
        if (start === end) this.#state = CHUNK_SIZE;
        else this.#fail('an HTTP chunk is longer than its size says');
        return;
      default:
        // A trailer: nothing in it is needed here.
        if (start === end) this.#state = DONE;
    }
  }

  #headEnded(): void {
    const { head } = this;
    this.#headBytes = 0;
    if (head.status === SWITCHING_PROTOCOLS) {
      this.#fail('the server switches protocols without a request for it (101)');
      return;
    }
    if (head.status < 200) {
      head.reset();
      this.#state = STATUS_LINE;
      return;
    }
    const framing = head.framing();
    if (framing === undefined) {
      this.#fail(head.problem);
      return;
    }
    this.#bytesLeft = framing.kind === 'length' ? framing.bytes : 0;
    this.#state = STATE_OF_FRAMING[framing.kind];
    if (framing.kind === 'length' && framing.bytes === 0) this.#state = DONE;
    this.#sink.headEnded();
  }

  /** RFC 9112 §7.1: hexadecimal digits, then perhaps extensions, which are skipped. */
  #chunkSize(bytes: Buffer, start: number, end: number): void {
    let size = 0;
    let at = start;
    for (; at < end; at += 1) {
      const digit = hexDigit(bytes[at] ?? 0);
      if (digit < 0) break;
      size = size * 16 + digit;
      if (size > Number.MAX_SAFE_INTEGER) {
        this.#fail('the size of an HTTP chunk is beyond 2^53');
        return;
      }
    }
    const next = bytes[at];
    if (at === start || (at < end && next !== SEMICOLON && next !== SPACE && next !== TAB)) {
      this.#fail('the size of an HTTP chunk is not a hexadecimal number');
      return;
    }
    this.#headBytes = 0;
    this.#bytesLeft = size;
    this.#state = size === 0 ? TRAILER : CHUNK_DATA;
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    const length = this.#carryLength + end - start;
    if (length > this.#carry.length) {
      const grown = Buffer.allocUnsafe(Math.max(256, length * 2));
      this.#carry.copy(grown, 0, 0, this.#carryLength);
      this.#carry = grown;
    }
    bytes.copy(this.#carry, this.#carryLength, start, end);
    this.#carryLength = length;
  }

  #count(lineBytes: number): boolean {
    this.#headBytes += lineBytes;
    const isChunkLine = this.#state === CHUNK_SIZE || this.#state === CHUNK_END;
    if (this.#headBytes <= (isChunkLine ? CHUNK_LINE_BYTES_MAX : HEAD_BYTES_MAX)) return true;
    this.#fail(
      isChunkLine ? 'the line of an HTTP chunk is too long' : 'the header section is larger than 64 KiB',
    );
    return false;
  }

  #fail(problem: string): void {
    this.#problem = problem;
    this.#state = WRONG;
  }
}

const isStatusLineStart = (bytes: Buffer, length: number): boolean => {
  const compared = Math.min(length, STATUS_LINE_START.length);
  for (let at = 0; at < compared; at += 1) if (bytes[at] !== STATUS_LINE_START[at]) return false;
  return true;
};

const hexDigit = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;
const SWITCHING_PROTOCOLS = 101;
const EMPTY: Buffer = Buffer.alloc(0);
const STATUS_LINE_START: Buffer = Buffer.from('HTTP/1.');
/** Limits in docs/limits.md. */
const HEAD_BYTES_MAX = 65_536;
const CHUNK_LINE_BYTES_MAX = 4_096;

const STATUS_LINE = 0;
const HEADER_LINE = 1;
const BODY_OF_LENGTH = 2;
const BODY_UNTIL_CLOSE = 3;
const CHUNK_SIZE = 4;
const CHUNK_DATA = 5;
const CHUNK_END = 6;
const TRAILER = 7;
const DONE = 8;
const WRONG = 9;

const STATE_OF_FRAMING = {
  none: DONE,
  length: BODY_OF_LENGTH,
  chunked: CHUNK_SIZE,
  'until-close': BODY_UNTIL_CLOSE,
} as const;
