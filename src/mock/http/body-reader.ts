// The body of one request: with content-length, or chunked.

import { BODY_BYTES_MAX, type BodyLength } from './request-head.ts';

type BodyResult =
  | { readonly kind: 'body'; readonly body: Buffer; readonly rest: Buffer }
  | { readonly kind: 'more'; readonly rest: Buffer }
  | { readonly kind: 'wrong'; readonly status: number; readonly problem: string };

export class BodyReader {
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
