// Bodies that a server compresses although `identity` was asked for. Each read's share of the text is found by inflating
// anew what has come so far: costly, exact in time, and bounded; past the bound the rest waits for the end.

import zlib from 'node:zlib';
import { errorMessage } from '../../core/problem.ts';

export class ContentDecoder {
  readonly #encoding: string;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #told = 0;

  constructor(encoding: string) {
    this.#encoding = encoding;
  }

  /** Text bytes that this read completed; '' problem. */
  add(bytes: Buffer, start: number, end: number): Decoded {
    this.#pieces.push(Buffer.from(bytes.subarray(start, end)));
    this.#bytes += end - start;
    if (this.#bytes > COMPRESSED_BYTES_MAX) return wrong('a compressed reply is over 16 MiB');
    if (this.#bytes > EAGER_BYTES_MAX) return { kind: 'bytes', bytes: NOTHING };
    return this.#decode(true);
  }

  /** What is left. A cut body is wrong. */
  end(): Decoded {
    return this.#decode(false);
  }

  #decode(isPartial: boolean): Decoded {
    const inflate = INFLATERS.get(this.#encoding);
    if (inflate === undefined) return wrong(`content-encoding ${this.#encoding} is not known`);
    try {
      const all = inflate(Buffer.concat(this.#pieces), isPartial);
      const bytes = all.subarray(this.#told);
      this.#told = all.length;
      return { kind: 'bytes', bytes };
    } catch (error) {
      return wrong(`the ${this.#encoding} body cannot be inflated: ${errorMessage(error)}`);
    }
  }
}

export type Decoded =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'wrong'; readonly problem: string };

const wrong = (problem: string): Decoded => ({ kind: 'wrong', problem });

type Inflate = (bytes: Buffer, isPartial: boolean) => Buffer;

const NOTHING: Buffer = Buffer.alloc(0);
/** Bounds in docs/limits.md. */
const EAGER_BYTES_MAX = 65_536;
const COMPRESSED_BYTES_MAX = 16_777_216;
const maxOutputLength = 67_108_864;

const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = zlib.constants;

const gzip: Inflate = (bytes, isPartial) =>
  zlib.gunzipSync(bytes, { finishFlush: isPartial ? Z_SYNC_FLUSH : Z_FINISH, maxOutputLength });
const deflate: Inflate = (bytes, isPartial) =>
  zlib.inflateSync(bytes, { finishFlush: isPartial ? Z_SYNC_FLUSH : Z_FINISH, maxOutputLength });
const brotli: Inflate = (bytes, isPartial) =>
  zlib.brotliDecompressSync(bytes, {
    finishFlush: isPartial ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH,
    maxOutputLength,
  });

const INFLATERS: ReadonlyMap<string, Inflate> = new Map([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', deflate],
  ['br', brotli],
]);
