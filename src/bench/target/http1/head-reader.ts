// The status line and the few header fields of a response that a load generator needs. Fields are compared as bytes,
// because a string for each would be garbage in the measuring thread.

import { HTTP2_ONLY } from '../../../core/run/connection-problems.ts';

export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' };

type ContentKind = 'event-stream' | 'json' | 'other' | 'missing' | 'json-lines';

export class HeadReader {
  status = 0;
  contentKind: ContentKind = 'missing';
  /** The server's value, in lower case; '' for identity. */
  contentEncoding = '';
  /** Target of a redirect, shortened. */
  location = '';
  hasRetryAfter = false;
  problem = '';
  #minorVersion = 1;
  #contentLength = NO_LENGTH;
  #transferCoding: 'missing' | 'chunked' | 'other' = 'missing';
  #connection: 'missing' | 'close' | 'keep-alive' = 'missing';

  reset(): void {
    this.status = 0;
    this.contentKind = 'missing';
    this.contentEncoding = '';
    this.location = '';
    this.hasRetryAfter = false;
    this.problem = '';
    this.#minorVersion = 1;
    this.#contentLength = NO_LENGTH;
    this.#transferCoding = 'missing';
    this.#connection = 'missing';
  }

  /** Whether the head allows another request on the connection. */
  get keepsAlive(): boolean {
    if (this.#connection !== 'missing') return this.#connection === 'keep-alive';
    return this.#minorVersion >= 1;
  }

  /** "HTTP/1.1 200 OK"; the reason may be missing (RFC 9112 §4). @returns false with `problem` set. */
  statusLine(bytes: Buffer, start: number, end: number): boolean {
    if (end - start < 12 || !startsWith(bytes, start, HTTP_1) || bytes[start + 8] !== SPACE) {
      return this.#fail(notHttp1(bytes.subarray(start, end)));
    }
    this.#minorVersion = (bytes[start + 7] ?? 0) - 0x30;
    let status = 0;
    for (let at = start + 9; at < start + 12; at += 1) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) return this.#fail('the status is not a number');
      status = status * 10 + digit;
    }
    if (this.#minorVersion < 0 || this.#minorVersion > 9) return this.#fail('the reply is not HTTP/1.x');
    if (status < 100 || status > 999 || (end - start > 12 && bytes[start + 12] !== SPACE)) {
      return this.#fail('the status is not a three-digit number');
    }
    this.status = status;
    return true;
  }

  /** A line of the head that is not empty. @returns false with `problem` set. */
  field(bytes: Buffer, start: number, end: number): boolean {
    const first = bytes[start];
    // RFC 9112 §5.2: a folded line continues a value. No field needed here is ever folded.
    if (first === SPACE || first === TAB) return this.#fail('a header line is folded');
    let colon = start;
    while (colon < end && bytes[colon] !== COLON) colon += 1;
    if (colon === end || colon === start) return this.#fail('a header line has no name');
    const before = bytes[colon - 1];
    if (before === SPACE || before === TAB) return this.#fail('a header name ends in white space');
    let valueStart = colon + 1;
    while (valueStart < end && (bytes[valueStart] === SPACE || bytes[valueStart] === TAB)) valueStart += 1;
    let valueEnd = end;
    while (valueEnd > valueStart && (bytes[valueEnd - 1] === SPACE || bytes[valueEnd - 1] === TAB))
      valueEnd -= 1;
    return this.#known(bytes, { start, colon, valueStart, valueEnd });
  }

  /** RFC 9112 §6.3. @returns undefined with `problem` set. */
  framing(): Framing | undefined {
    if (this.status === 204 || this.status === 304) return NO_BODY;
    if (this.#transferCoding === 'other') {
      this.#fail('the transfer encoding is not chunked');
      return undefined;
    }
    if (this.#transferCoding === 'chunked') return CHUNKED;
    if (this.#contentLength !== NO_LENGTH) return { kind: 'length', bytes: this.#contentLength };
    return UNTIL_CLOSE;
  }

  #known(bytes: Buffer, field: FieldOffsets): boolean {
    const { start, colon, valueStart, valueEnd } = field;
    switch (colon - start) {
      case CONTENT_LENGTH.length:
        if (isName(bytes, start, CONTENT_LENGTH)) return this.#length(bytes, valueStart, valueEnd);
        return true;
      case TRANSFER_ENCODING.length:
        if (isName(bytes, start, TRANSFER_ENCODING)) this.#coding(bytes, valueStart, valueEnd);
        return true;
      case CONTENT_TYPE.length:
        if (isName(bytes, start, CONTENT_TYPE)) this.contentKind = contentKindOf(bytes, valueStart, valueEnd);
        return true;
      case CONNECTION.length:
        if (isName(bytes, start, CONNECTION)) this.#options(bytes, valueStart, valueEnd);
        return true;
      case RETRY_AFTER.length:
        if (isName(bytes, start, RETRY_AFTER)) this.hasRetryAfter = true;
        return true;
      case CONTENT_ENCODING.length:
        if (isName(bytes, start, CONTENT_ENCODING)) {
          const coding = bytes
            .toString('latin1', valueStart, Math.min(valueEnd, valueStart + 64))
            .toLowerCase();
          this.contentEncoding = coding === 'identity' ? '' : coding;
        }
        return true;
      case LOCATION.length:
        if (isName(bytes, start, LOCATION)) {
          this.location = bytes.toString(
            'latin1',
            valueStart,
            Math.min(valueEnd, valueStart + LOCATION_BYTES_MAX),
          );
        }
        return true;
      default:
        return true;
    }
  }

  /** RFC 9112 §6.3: a list of equal lengths is one length; differing ones cannot be trusted. */
  #length(bytes: Buffer, start: number, end: number): boolean {
    let value = 0;
    let digits = 0;
    for (let at = start; at <= end; at += 1) {
      const byte = at === end ? COMMA : (bytes[at] ?? 0);
      if (byte >= 0x30 && byte <= 0x39) {
        value = value * 10 + byte - 0x30;
        digits += 1;
        if (value > Number.MAX_SAFE_INTEGER) return this.#fail('the content-length is beyond 2^53');
      } else if (byte === COMMA && digits > 0) {
        if (this.#contentLength !== NO_LENGTH && this.#contentLength !== value) {
          return this.#fail('two content-lengths differ');
        }
        this.#contentLength = value;
        value = 0;
        digits = 0;
      } else if (byte !== SPACE || (digits > 0 && bytes[at + 1] !== COMMA)) {
        return this.#fail('the content-length is not a number');
      }
    }
    return true;
  }

  /**
   * The last coding delimits the body; anything but chunked alone would have to be decoded. `identity` is none at all: RFC 2616
   * had it, and old servers still write it.
   */
  #coding(bytes: Buffer, start: number, end: number): void {
    if (end - start === IDENTITY_CODING.length && isName(bytes, start, IDENTITY_CODING)) return;
    const isChunked = end - start === CHUNKED_CODING.length && isName(bytes, start, CHUNKED_CODING);
    this.#transferCoding = isChunked && this.#transferCoding === 'missing' ? 'chunked' : 'other';
  }

  #options(bytes: Buffer, start: number, end: number): void {
    for (const option of bytes.toString('latin1', start, end).toLowerCase().split(',')) {
      const name = option.trim();
      if (name === 'close') this.#connection = 'close';
      else if (name === 'keep-alive' && this.#connection === 'missing') this.#connection = 'keep-alive';
    }
  }

  #fail(problem: string): false {
    this.problem = problem;
    return false;
  }
}

interface FieldOffsets {
  readonly start: number;
  readonly colon: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** RFC 9110 §8.3.1: parameters follow a semicolon. "application/problem+json" is JSON too. */
export const contentKindOf = (bytes: Buffer, start: number, end: number): ContentKind => {
  if (end - start >= EVENT_STREAM.length && isName(bytes, start, EVENT_STREAM)) return 'event-stream';
  if (end - start >= JSON_TYPE.length && isName(bytes, start, JSON_TYPE)) return 'json';
  const type = bytes.toString('latin1', start, end).toLowerCase().split(';')[0]?.trim() ?? '';
  if (JSON_LINES.test(type)) return 'json-lines';
  return type.includes('json') ? 'json' : 'other';
};

/** No type of them is registered: Ollama writes the first. */
const JSON_LINES = /^application\/(x-)?(ndjson|jsonl(ines)?|json-lines)$/;

export const startsWith = (bytes: Buffer, start: number, text: Buffer): boolean => {
  for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text[at]) return false;
  return true;
};

/** `name` is in lower case. Bit 5 folds letters; '-' and '/' have it set already. */
const isName = (bytes: Buffer, start: number, name: Buffer): boolean => {
  for (let at = 0; at < name.length; at += 1)
    if (((bytes[start + at] ?? 0) | 0x20) !== name[at]) return false;
  return true;
};

const NO_LENGTH = -1;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const COMMA = 0x2c;
const LOCATION_BYTES_MAX = 300;
const HTTP_1 = Buffer.from('HTTP/1.');
const CONTENT_LENGTH = Buffer.from('content-length');
const TRANSFER_ENCODING = Buffer.from('transfer-encoding');
const CONTENT_TYPE = Buffer.from('content-type');
const CONTENT_ENCODING = Buffer.from('content-encoding');
const CONNECTION = Buffer.from('connection');
const LOCATION = Buffer.from('location');
const RETRY_AFTER = Buffer.from('retry-after');
const CHUNKED_CODING = Buffer.from('chunked');
const IDENTITY_CODING = Buffer.from('identity');
const EVENT_STREAM = Buffer.from('text/event-stream');
const JSON_TYPE = Buffer.from('application/json');
const NO_BODY: Framing = { kind: 'none' };
const CHUNKED: Framing = { kind: 'chunked' };
const UNTIL_CLOSE: Framing = { kind: 'until-close' };

// Describes bytes that are not the start of an HTTP/1.x reply: a front end that supports only HTTP/2 begins with a
// settings frame, which an HTTP/1.1 client sees as noise.

/** @param bytes the first that arrived */
export const notHttp1 = (bytes: Uint8Array): string =>
  isHttp2(bytes) ? HTTP2_ONLY : 'the reply is not HTTP/1.x';

/** A SETTINGS or GOAWAY frame: type 4 or 7 on stream 0 (RFC 9113 §4.1, §6.5, §6.8). */
export const isHttp2 = (bytes: Uint8Array): boolean =>
  bytes.length >= FRAME_HEAD_BYTES &&
  (bytes[3] === SETTINGS || bytes[3] === GOAWAY) &&
  bytes.subarray(5, FRAME_HEAD_BYTES).every(byte => byte === 0) &&
  bytes[0] === 0;

const FRAME_HEAD_BYTES = 9;
const SETTINGS = 4;
const GOAWAY = 7;
