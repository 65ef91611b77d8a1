// Reads HTTP/1.1 requests from the bytes of a connection (RFC 9112), however they are split, with a limit on everything.
// Strict where leniency would hide a client's mistake.

export interface HttpRequest {
  readonly head: RequestHead;
  readonly body: Buffer;
}

type ReadResult =
  | { readonly kind: 'request'; readonly request: HttpRequest }
  /** Bytes are missing; `expectsContinue` once, when the client waits for a 100 before its body. */
  | { readonly kind: 'more'; readonly expectsContinue: boolean }
  | { readonly kind: 'wrong'; readonly status: number; readonly problem: string };

export class RequestReader {
  /** Received but not read yet. */
  #unread: Buffer = NOTHING;
  /** Where in `#unread` the search for the end of the head continues. */
  #searched = 0;
  #head: RequestHead | undefined;
  #body: BodyReader | undefined;

  add(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
  }

  /** What the connection waits for. */
  get phase(): 'idle' | 'head' | 'body' {
    if (this.#body !== undefined) return 'body';
    return this.#unread.length > 0 ? 'head' : 'idle';
  }

  get bufferedBytes(): number {
    return this.#unread.length;
  }

  /** Call until it returns anything but `request`. */
  next(): ReadResult {
    let expectsContinue = false;
    if (this.#head === undefined) {
      const head = this.#readHead();
      if (head === undefined) return MORE;
      if (head.kind === 'wrong') return head;
      this.#head = head.head;
      if (head.head.body.kind === 'none') return this.#finish(NOTHING);
      this.#body = new BodyReader(head.head.body);
      expectsContinue = head.head.expectsContinue;
    }
    if (this.#body === undefined) return this.#finish(NOTHING);
    const result = this.#body.read(this.#unread);
    if (result.kind === 'wrong') return result;
    this.#unread = result.rest;
    if (result.kind === 'more') return { kind: 'more', expectsContinue };
    return this.#finish(result.body);
  }

  #readHead():
    | { readonly kind: 'head'; readonly head: RequestHead }
    | Extract<ReadResult, { kind: 'wrong' }>
    | undefined {
    // Empty lines before a request are to be skipped (RFC 9112 §2.2).
    while (this.#unread.length >= 2 && this.#unread[0] === CR && this.#unread[1] === LF) {
      this.#unread = this.#unread.subarray(2);
    }
    const end = this.#unread.indexOf(HEAD_END, Math.max(0, this.#searched - 3));
    if (end > HEAD_BYTES_MAX || (end === -1 && this.#unread.length > HEAD_BYTES_MAX)) {
      return {
        kind: 'wrong',
        status: 431,
        problem: `the header section is longer than ${HEAD_BYTES_MAX} bytes`,
      };
    }
    if (end === -1) {
      this.#searched = this.#unread.length;
      return undefined;
    }
    const result = readRequestHead(this.#unread.toString('latin1', 0, end));
    this.#unread = this.#unread.subarray(end + HEAD_END.length);
    this.#searched = 0;
    return result;
  }

  #finish(body: Buffer): ReadResult {
    const head = this.#head;
    this.#head = undefined;
    this.#body = undefined;
    return head === undefined ? MORE : { kind: 'request', request: { head, body } };
  }
}

/** As large as our own client accepts from servers. */
const HEAD_BYTES_MAX = 65_536;

const CR = 0x0d;
const LF = 0x0a;
const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
const MORE: ReadResult = { kind: 'more', expectsContinue: false };

// The body of one request: with content-length, or chunked.
type BodyResult =
  | { readonly kind: 'body'; readonly body: Buffer; readonly rest: Buffer }
  | { readonly kind: 'more'; readonly rest: Buffer }
  | { readonly kind: 'wrong'; readonly status: number; readonly problem: string };

class BodyReader {
  readonly #isChunked: boolean;
  readonly #parts: Buffer[] = [];
  /** Of the given length, or of the chunk being read, including its line end. */
  #missing: number;
  #bytes = 0;
  #state: 'size' | 'data' | 'trailers' = 'size';

  constructor(length: BodyLength) {
    this.#isChunked = length.kind === 'chunked';
    this.#missing = length.kind === 'fixed' ? length.bytes : 0;
  }

  /** Takes what it can; the rest must be passed again, followed by more. */
  read(bytes: Buffer): BodyResult {
    return this.#isChunked ? this.#readChunks(bytes) : this.#readFixed(bytes);
  }

  #readFixed(bytes: Buffer): BodyResult {
    const taken = bytes.subarray(0, this.#missing);
    if (taken.length > 0) this.#parts.push(taken);
    this.#missing -= taken.length;
    const rest = bytes.subarray(taken.length);
    return this.#missing === 0 ? { kind: 'body', body: this.#whole(), rest } : { kind: 'more', rest };
  }

  #readChunks(bytes: Buffer): BodyResult {
    let rest = bytes;
    while (true) {
      if (this.#state === 'data') {
        const taken = rest.subarray(0, this.#missing);
        // The line end after the data counts in `#missing` but is not part of the body.
        const data = taken.subarray(0, Math.max(0, Math.min(taken.length, this.#missing - 2)));
        if (data.length > 0) this.#parts.push(data);
        this.#missing -= taken.length;
        rest = rest.subarray(taken.length);
        if (this.#missing > 0) return { kind: 'more', rest };
        this.#state = 'size';
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end > LINE_BYTES_MAX || (end === -1 && rest.length > LINE_BYTES_MAX))
        return { kind: 'wrong', status: 400, problem: "a chunk's first line never ends" };
      if (end === -1) return { kind: 'more', rest };
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + 2);
      if (this.#state === 'trailers') {
        if (line === '') return { kind: 'body', body: this.#whole(), rest };
        this.#bytes += line.length; // trailers count towards the body's limit
      } else {
        const [, digits] = /^([0-9a-fA-F]{1,8})[ \t]*(?:;.*)?$/.exec(line) ?? [];
        if (digits === undefined)
          return { kind: 'wrong', status: 400, problem: 'a chunk size is not a number' };
        const size = Number.parseInt(digits, 16);
        this.#bytes += size;
        this.#state = size === 0 ? 'trailers' : 'data';
        this.#missing = size + 2;
      }
      if (this.#bytes > BODY_BYTES_MAX)
        return { kind: 'wrong', status: 413, problem: `the body is longer than ${BODY_BYTES_MAX} bytes` };
    }
  }

  #whole(): Buffer {
    const [only, second] = this.#parts;
    return only !== undefined && second === undefined ? only : Buffer.concat(this.#parts);
  }
}

const LINE_BYTES_MAX = 4_096;

// The request line and the few headers that the mock acts on. A header it does not know is only checked for its form.
interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly isHttp10: boolean;
  /** Whether the client keeps the connection after the reply. */
  readonly closes: boolean;
  readonly expectsContinue: boolean;
  readonly body: BodyLength;
  /** The client's number for the request, from `x-plimsoll-sample`. */
  readonly sample: string | undefined;
  readonly isStamped: boolean;
}

type BodyLength =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'chunked' };

type HeadResult =
  | { readonly kind: 'head'; readonly head: RequestHead }
  | { readonly kind: 'wrong'; readonly status: number; readonly problem: string };

/** @param text the head without its empty line, one character per byte. */
const readRequestHead = (text: string): HeadResult => {
  const lineEnd = text.indexOf('\r\n');
  const [, method, target, minor] = REQUEST_LINE.exec(lineEnd === -1 ? text : text.slice(0, lineEnd)) ?? [];
  if (method === undefined || target === undefined)
    return { kind: 'wrong', status: 400, problem: 'this is not an HTTP/1.1 request line' };
  const isHttp10 = minor === '0';
  let closes = isHttp10;
  let expectsContinue = false;
  let length: string | undefined;
  let isChunked = false;
  let sample: string | undefined;
  let isStamped = false;
  let headers = 0;
  for (let start = lineEnd === -1 ? text.length : lineEnd + 2; start < text.length; ) {
    const found = text.indexOf('\r\n', start);
    const end = found === -1 ? text.length : found;
    const colon = text.indexOf(':', start);
    headers += 1;
    if (headers > HEADERS_MAX) return { kind: 'wrong', status: 431, problem: 'too many headers' };
    if (colon <= start || colon > end || !HEADER_NAME.test(text.slice(start, colon)))
      return { kind: 'wrong', status: 400, problem: 'a header has no name' };
    const value = text.slice(colon + 1, end).trim();
    if (value.includes('\n') || value.includes('\r') || value.includes('\0'))
      return { kind: 'wrong', status: 400, problem: 'a header has a control character' };
    switch (text.slice(start, colon).toLowerCase()) {
      case 'content-length':
        if (!/^\d{1,15}$/.test(value) || (length !== undefined && length !== value))
          return { kind: 'wrong', status: 400, problem: 'content-length is not a number, or there are two' };
        length = value;
        break;
      case 'transfer-encoding':
        if (value.toLowerCase() !== 'chunked')
          return { kind: 'wrong', status: 501, problem: 'only chunked is understood as transfer-encoding' };
        isChunked = true;
        break;
      case 'connection': {
        const options = value.toLowerCase();
        if (options.includes('close')) closes = true;
        else if (options.includes('keep-alive')) closes = false;
        break;
      }
      case 'expect':
        expectsContinue = value.toLowerCase() === '100-continue';
        break;
      case 'x-plimsoll-sample':
        sample = value.slice(0, SAMPLE_LENGTH_MAX);
        break;
      case 'x-plimsoll-stamp':
        isStamped = value === '1';
        break;
    }
    start = end + 2;
  }
  // Two statements of where a body ends allow request smuggling (RFC 9112 §6.1).
  if (isChunked && length !== undefined)
    return { kind: 'wrong', status: 400, problem: 'both transfer-encoding and content-length' };
  if (length !== undefined && Number(length) > BODY_BYTES_MAX)
    return { kind: 'wrong', status: 413, problem: `the body is longer than ${BODY_BYTES_MAX} bytes` };
  const bytes = length === undefined ? 0 : Number(length);
  const query = target.indexOf('?');
  return {
    kind: 'head',
    head: {
      method,
      path: query === -1 ? target : target.slice(0, query),
      query: query === -1 ? '' : target.slice(query + 1),
      isHttp10,
      closes,
      expectsContinue: expectsContinue && !isHttp10,
      body: isChunked ? { kind: 'chunked' } : bytes === 0 ? { kind: 'none' } : { kind: 'fixed', bytes },
      sample,
      isStamped,
    },
  };
};

const REQUEST_LINE = /^([A-Z]{1,20}) ([\x21-\x7e]{1,8192}) HTTP\/1\.([01])$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADERS_MAX = 200;
const SAMPLE_LENGTH_MAX = 100;
/** A million tokens of context are about 4 MB. */
const BODY_BYTES_MAX = 16_777_216;
