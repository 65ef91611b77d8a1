// Decodes bodies that a server compresses in spite of `identity`. Each read's share of the text is found by inflating
// everything so far again: costly, exact in time, and limited; beyond the limit the rest waits for the end. The first
// error ends it: later bytes are ignored.

import zlib from 'node:zlib';
import { INPUT_LIMITS } from '../../core/input/input-limits.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';

export class ContentDecoder {
  readonly #codings: readonly string[];
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #reported = 0;
  #inflatedBytes = 0;
  #isWrong = false;

  /** @param codings names in INFLATERS, in the order in which they were applied. */
  constructor(codings: readonly string[]) {
    this.#codings = codings;
  }

  /** Sum over all inflations: their cost. */
  get inflatedBytes(): number {
    return this.#inflatedBytes;
  }

  /** Text bytes that this read completed, or the first problem. */
  add(bytes: Buffer, start: number, end: number): Decoded {
    if (this.#isWrong) return NO_BYTES;
    this.#pieces.push(Buffer.from(bytes.subarray(start, end)));
    this.#bytes += end - start;
    if (this.#bytes > INPUT_LIMITS.responseBody.bytesMax)
      return this.#wrong('a compressed reply is larger than 16 MiB');
    const isEager = this.#bytes <= EAGER_BYTES_MAX && this.#inflatedBytes <= EAGER_INFLATED_BYTES_MAX;
    return isEager ? this.#decode(true) : NO_BYTES;
  }

  /** The remaining text. A truncated body is an error. */
  end(): Decoded {
    return this.#isWrong ? NO_BYTES : this.#decode(false);
  }

  #decode(isPartial: boolean): Decoded {
    const maxOutputLength = Math.min(
      INPUT_LIMITS.responseBody.expandedBytesMax,
      INFLATED_BYTES_FREE + this.#bytes * INFLATED_RATIO_MAX,
    );
    let all: Buffer = Buffer.concat(this.#pieces);
    try {
      for (const coding of this.#codings.toReversed()) {
        all = INFLATERS.get(coding)?.(all, { isPartial, maxOutputLength }) ?? all;
        this.#inflatedBytes += all.length;
      }
    } catch (error) {
      this.#inflatedBytes += maxOutputLength;
      return this.#wrong(
        errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
          ? `the body inflates to more than ${maxOutputLength} bytes from ${this.#bytes}`
          : `the ${this.#codings.join(', ')} body cannot be inflated: ${errorMessage(error)}`,
      );
    }
    const bytes = all.subarray(this.#reported);
    this.#reported = all.length;
    return { kind: 'bytes', bytes };
  }

  #wrong(problem: string): Decoded {
    this.#isWrong = true;
    this.#pieces.length = 0;
    return { kind: 'wrong', problem };
  }
}

/**
 * For a content-encoding. undefined if there is nothing to decode: identity, and unknown values, because servers
 * write "none" or "utf-8" there and send the text unchanged.
 */
export const contentDecoder = (encoding: string): ContentDecoder | undefined => {
  if (encoding === '') return undefined; // nearly every reply
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => INFLATERS.has(coding));
  return codings.length === 0 ? undefined : new ContentDecoder(codings.slice(0, CODINGS_MAX));
};

export type Decoded =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'wrong'; readonly problem: string };

interface InflateOptions {
  readonly isPartial: boolean;
  readonly maxOutputLength: number;
}

type Inflate = (bytes: Buffer, options: InflateOptions) => Buffer;

const NO_BYTES: Decoded = { kind: 'bytes', bytes: Buffer.alloc(0) };
/** Limits in docs/limits.md. */
const EAGER_BYTES_MAX = 65_536;
const EAGER_INFLATED_BYTES_MAX = 67_108_864;
/** Text compresses to a hundredth at the very best; a small reply may do so by chance. */
const INFLATED_RATIO_MAX = 128;
const INFLATED_BYTES_FREE = 4_194_304;
const CODINGS_MAX = 2;

const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = zlib.constants;
const { ZSTD_e_flush, ZSTD_e_end } = zlib.constants;

const zlibFlush = (isPartial: boolean): number => (isPartial ? Z_SYNC_FLUSH : Z_FINISH);

const gzip: Inflate = (bytes, { isPartial, maxOutputLength }) =>
  zlib.gunzipSync(bytes, { finishFlush: zlibFlush(isPartial), maxOutputLength });

/** RFC 9110 §8.4.1.2 requires the zlib format; servers that send raw deflate are as common. */
const deflate: Inflate = (bytes, { isPartial, maxOutputLength }) => {
  const [first = 0, second = 0] = bytes;
  if (bytes.length < 2 && isPartial) return bytes.subarray(0, 0);
  const hasHeader = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  const options = { finishFlush: zlibFlush(isPartial), maxOutputLength };
  return hasHeader ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options);
};

const brotli: Inflate = (bytes, { isPartial, maxOutputLength }) =>
  zlib.brotliDecompressSync(bytes, {
    finishFlush: isPartial ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH,
    maxOutputLength,
  });

const zstd: Inflate = (bytes, { isPartial, maxOutputLength }) =>
  zlib.zstdDecompressSync(bytes, { finishFlush: isPartial ? ZSTD_e_flush : ZSTD_e_end, maxOutputLength });

const INFLATERS: ReadonlyMap<string, Inflate> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', deflate],
  ['br', brotli],
  ['zstd', zstd],
]);
