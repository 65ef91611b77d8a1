// The bytes of requests, prepared before they are due: a head that differs only in its length, and a body from shared
// memory into which a nonce is written, so that no server answers from its prefix cache.

import type { HeaderField, LoadTarget } from '../load-target.ts';
import { BODY_NONCE_BYTES, type RequestBodies } from '../request-bodies.ts';

export interface PreparedRequest {
  sampleId: number;
  /** -1: nothing yet. */
  promptIndex: number;
  bytes: Buffer;
}

/** A source of the bytes of requests. */
export interface RequestSource {
  /** false: its bytes are still being generated. */
  has(sampleId: number): boolean;
  /**
   * Only for samples that it has. `target` determines the head; a request stays with one target until its
   * `promptIndex` is reset.
   */
  prepare(into: PreparedRequest, sampleId: number, target: number): void;
  /** Called every few milliseconds. */
  tick?(): void;
  /** `came` is called when the queue was empty and no longer is. */
  onRequestsAvailable?(came: () => void): void;
}

export class RequestWriter implements RequestSource {
  readonly #heads: readonly Buffer[];
  readonly #bodies: Buffer;
  readonly #starts: Float64Array;
  readonly #nonceAts: Float64Array;
  readonly #noncePrefix: string;
  readonly #measured: number;
  readonly #warmup: number;
  readonly #measuredFrom: number;

  /**
   * @param heads one for each target
   * @param measuredFrom the first sample of the measured phase: it sends the first body, independent of the size of
   * the warm-up.
   */
  constructor(heads: readonly string[], prompts: RequestBodies, measuredFrom: number) {
    this.#heads = heads.map(head => Buffer.from(head, 'latin1'));
    this.#bodies = Buffer.from(prompts.bytes);
    this.#starts = new Float64Array(prompts.starts);
    this.#nonceAts = new Float64Array(prompts.nonceAts);
    this.#noncePrefix = prompts.noncePrefix;
    this.#measured = prompts.measured;
    this.#warmup = this.#nonceAts.length - prompts.measured;
    this.#measuredFrom = measuredFrom;
    if (this.#measured === 0) throw new RangeError('there is no prompt to send');
  }

  has(): boolean {
    return true;
  }

  /**
   * Reuses the request's bytes: all but the end of the nonce if the prompt is the same, their memory if the length
   * is. They must not be in flight any more.
   */
  prepare(into: PreparedRequest, sampleId: number, target: number): void {
    const index = this.#bodyOf(sampleId);
    if (into.promptIndex !== index) this.#write(into, index, this.#heads[target] ?? NO_HEAD);
    into.sampleId = sampleId;
    const nonceAt = this.#nonceAts[index] ?? -1;
    if (nonceAt < 0) return;
    const { bytes } = into;
    const bodyBytes = (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0);
    const nonceEnd = bytes.length - bodyBytes + nonceAt + BODY_NONCE_BYTES;
    let left = sampleId;
    for (let at = nonceEnd - 1; at >= nonceEnd - BODY_NONCE_BYTES / 2; at -= 1) {
      bytes[at] = HEX_DIGITS[left & 15] ?? 0;
      left >>>= 4;
    }
  }

  #bodyOf(sampleId: number): number {
    if (sampleId >= this.#measuredFrom) return (sampleId - this.#measuredFrom) % this.#measured;
    return this.#warmup > 0 ? this.#measured + (sampleId % this.#warmup) : sampleId % this.#measured;
  }

  /** Writes everything but the sample's number. */
  #write(into: PreparedRequest, index: number, head: Buffer): void {
    const start = this.#starts[index] ?? 0;
    const bodyBytes = (this.#starts[index + 1] ?? start) - start;
    const tail = `${bodyBytes}\r\n\r\n`;
    const length = head.length + tail.length + bodyBytes;
    if (into.bytes.length !== length) into.bytes = Buffer.allocUnsafeSlow(length);
    const { bytes } = into;
    head.copy(bytes, 0);
    bytes.write(tail, head.length, 'latin1');
    const bodyAt = head.length + tail.length;
    this.#bodies.copy(bytes, bodyAt, start, start + bodyBytes);
    const nonceAt = this.#nonceAts[index] ?? -1;
    if (nonceAt >= 0) bytes.write(this.#noncePrefix, bodyAt + nonceAt, BODY_NONCE_BYTES / 2, 'latin1');
    into.promptIndex = index;
  }
}

/**
 * Everything up to the figure of content-length.
 * @throws HeaderError for a field that no client may send, without its value.
 */
export const requestHead = (
  target: LoadTarget,
  fields: readonly HeaderField[],
  isStreaming: boolean,
): string => {
  for (const { name, value } of fields) {
    if (!TOKEN.test(name)) throw new HeaderError(`${JSON.stringify(name.slice(0, 40))} is not a header name`);
    if (!FIELD_VALUE.test(value))
      throw new HeaderError(`the value of header ${name} has a line break or control character`);
    if (OWN.has(name.toLowerCase())) throw new HeaderError(`header ${name} is written by the client itself`);
  }
  if (!PATH.test(target.path)) throw new HeaderError('the path of the URL has a space or control character');
  const given = new Set(fields.map(({ name }) => name.toLowerCase()));
  const own = [
    { name: 'host', value: target.hostHeader },
    { name: 'user-agent', value: 'plimsoll' },
    { name: 'accept', value: isStreaming ? 'text/event-stream' : 'application/json' },
    { name: 'accept-encoding', value: 'identity' },
    { name: 'content-type', value: 'application/json' },
  ].filter(({ name }) => !given.has(name));
  const lines = [...own, ...fields].map(({ name, value }) => `${name}: ${value}\r\n`);
  return `POST ${target.path} HTTP/1.1\r\n${lines.join('')}content-length: `;
};

export class HeaderError extends Error {
  override readonly name = 'HeaderError';
  readonly code = 'bad-header';
}

/** RFC 9110 §5.6.2 and §5.5; obs-text is let through as Latin-1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,200}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out
const FIELD_VALUE = /^[^\u0000-\u0008\u000a-\u001f\u007f\u0100-\uffff]{0,16384}$/;
const PATH = /^\/[\x21-\x7e]{0,4096}$/;
const OWN: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'trailer',
  'te',
]);
const NO_HEAD: Buffer = Buffer.alloc(0);
const HEX_DIGITS: Uint8Array = Buffer.from('0123456789abcdef');
