// Reads HTTP/1.1 requests from the bytes of a connection (RFC 9112), however they are split, with a limit on everything.
// Strict where leniency would hide a client's mistake.

import { BodyReader } from './body-reader.ts';
import { type RequestHead, readRequestHead } from './request-head.ts';

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
  #held: Buffer = NOTHING;
  /** Where in `#held` the search for the end of the head continues. */
  #searched = 0;
  #head: RequestHead | undefined;
  #body: BodyReader | undefined;

  add(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
  }

  /** What the connection waits for. */
  get phase(): 'idle' | 'head' | 'body' {
    if (this.#body !== undefined) return 'body';
    return this.#held.length > 0 ? 'head' : 'idle';
  }

  get bufferedBytes(): number {
    return this.#held.length;
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
    const result = this.#body.read(this.#held);
    if (result.kind === 'wrong') return result;
    this.#held = result.rest;
    if (result.kind === 'more') return { kind: 'more', expectsContinue };
    return this.#finish(result.body);
  }

  #readHead():
    | { readonly kind: 'head'; readonly head: RequestHead }
    | Extract<ReadResult, { kind: 'wrong' }>
    | undefined {
    // Empty lines before a request are to be skipped (RFC 9112 §2.2).
    while (this.#held.length >= 2 && this.#held[0] === CR && this.#held[1] === LF) {
      this.#held = this.#held.subarray(2);
    }
    const end = this.#held.indexOf(HEAD_END, Math.max(0, this.#searched - 3));
    if (end > HEAD_BYTES_MAX || (end === -1 && this.#held.length > HEAD_BYTES_MAX)) {
      return {
        kind: 'wrong',
        status: 431,
        problem: `the header section is longer than ${HEAD_BYTES_MAX} bytes`,
      };
    }
    if (end === -1) {
      this.#searched = this.#held.length;
      return undefined;
    }
    const result = readRequestHead(this.#held.toString('latin1', 0, end));
    this.#held = this.#held.subarray(end + HEAD_END.length);
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
