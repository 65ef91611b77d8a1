// Compressed bodies although `identity` was requested, and headers that only claim it.

import zlib from 'node:zlib';
import { completed, failedAs } from '../failure.ts';
import {
  atOnce,
  type CaseRequest,
  CHUNKED_FIELD,
  casesOf,
  chunksOf,
  type FaultCase,
  KEEP,
  LAST_CHUNK,
  okHead,
  STREAM,
  spaced,
  withBody,
} from './fault-case.ts';

const { both, stream } = casesOf('compression');

const malformed = failedAs('malformed');

/** The body encoded by this function, with this content-encoding. */
const encoded = (encoding: string, encode: (body: Buffer) => Buffer) => (request: CaseRequest) =>
  withBody(
    request,
    encode(Buffer.from(request.body)),
    encoding === '' ? '' : `content-encoding: ${encoding}`,
  );

const plain = (encoding: string) => encoded(encoding, body => body);

const gzip = (body: Buffer): Buffer => zlib.gzipSync(body);

/** In this many pieces, each flushed, like a proxy that compresses a stream. */
const flushed = (pieces: number) => (request: CaseRequest) => {
  const whole = gzip(Buffer.from(STREAM));
  const size = Math.ceil(whole.length / pieces);
  const cut = Array.from({ length: pieces }, (_, n) => chunksOf(whole.subarray(n * size, (n + 1) * size)));
  return spaced(5, KEEP, okHead(request, CHUNKED_FIELD, 'content-encoding: gzip'), ...cut, LAST_CHUNK);
};

const damaged = (body: Buffer): Buffer => {
  const bytes = gzip(body);
  bytes.writeUInt32LE(0, bytes.length - 8);
  return bytes;
};

/** 64 MiB of white space in 64 KiB. Created once, on first use. */
let bomb: Buffer | undefined;
const bombOf = (): Buffer => {
  bomb ??= zlib.gzipSync(Buffer.alloc(67_108_864, 0x20), { level: 9 });
  return bomb;
};

export const COMPRESSION_CASES: readonly FaultCase[] = [
  both('encoding-x-gzip', 'content-encoding: x-gzip', completed, encoded('x-gzip', gzip)),
  both(
    'encoding-deflate',
    'deflate in the format of zlib',
    completed,
    encoded('deflate', body => zlib.deflateSync(body)),
  ),
  both(
    'encoding-deflate-bare',
    'deflate without the format of zlib',
    completed,
    encoded('deflate', body => zlib.deflateRawSync(body)),
  ),
  both(
    'encoding-brotli',
    'brotli',
    completed,
    encoded('br', body => zlib.brotliCompressSync(body)),
  ),
  both(
    'encoding-zstd',
    'zstd',
    completed,
    encoded('zstd', body => zlib.zstdCompressSync(body)),
  ),
  both(
    'encoding-twice',
    'deflate, then gzip',
    completed,
    encoded('deflate, gzip', body => gzip(zlib.deflateSync(body))),
  ),
  both('encoding-capitals', 'content-encoding: GZIP', completed, encoded('GZIP', gzip)),
  both(
    'encoding-members',
    'gzip in two members',
    completed,
    encoded('gzip', body => Buffer.concat([gzip(body.subarray(0, 99)), gzip(body.subarray(99))])),
  ),
  both('encoding-chunked', 'gzip in HTTP chunks', completed, request =>
    atOnce(
      KEEP,
      okHead(request, CHUNKED_FIELD, 'content-encoding: gzip'),
      chunksOf(gzip(Buffer.from(request.body))),
      LAST_CHUNK,
    ),
  ),
  stream('encoding-pieces', 'gzip in many pieces', completed, flushed(20)),
  both('encoding-none', 'content-encoding: none', completed, plain('none')),
  both('encoding-identity', 'content-encoding: identity', completed, plain('identity')),
  both('encoding-charset', 'content-encoding: utf-8', completed, plain('utf-8')),
  both('encoding-empty', 'an empty content-encoding', completed, request =>
    withBody(request, request.body, 'content-encoding:'),
  ),
  both('encoding-unknown', 'an unknown content-encoding, and a plain body', completed, plain('x-own')),
  both('encoding-aws', 'content-encoding: aws-chunked', completed, plain('aws-chunked')),
  both('encoding-lie', 'content-encoding: gzip, and a plain body', malformed, plain('gzip')),
  both('encoding-other', 'content-encoding: br, and a body of gzip', malformed, encoded('br', gzip)),
  both('encoding-unsaid', 'gzip, and no word of it', malformed, encoded('', gzip)),
  both(
    'encoding-cut',
    'a third of a gzip body as if it were whole',
    malformed,
    encoded('gzip', body => gzip(body).subarray(0, gzip(body).length / 3)),
  ),
  both('encoding-damaged', 'a gzip body with a wrong checksum', malformed, encoded('gzip', damaged)),
  both('encoding-bomb', '64 MiB of nothing in 64 KiB', malformed, request =>
    withBody(request, bombOf(), 'content-encoding: gzip'),
  ),
];
