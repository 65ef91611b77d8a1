// Transfer coding of replies: chunked (RFC 9112 §7.1), with the extensions and trailers that hardly anybody sends and
// every client must understand.

import type { MockSettings } from '../mock-settings.ts';

type Chunking = Pick<MockSettings, 'chunkBytes' | 'hasChunkExtensions'>;

/** The bytes as one chunk, or as several of at most `chunkBytes`. */
export const chunked = (bytes: Buffer, settings: Chunking): Buffer => {
  const size = settings.chunkBytes === 0 ? bytes.length : settings.chunkBytes;
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    const data = bytes.subarray(start, start + size);
    const extension = settings.hasChunkExtensions ? EXTENSION : '';
    parts.push(Buffer.from(`${data.length.toString(16)}${extension}\r\n`), data, LINE_END);
  }
  return Buffer.concat(parts);
};

export const lastChunk = ({
  hasChunkExtensions,
  hasTrailers,
}: Pick<MockSettings, 'hasChunkExtensions' | 'hasTrailers'>): Buffer =>
  Buffer.from(`0${hasChunkExtensions ? EXTENSION : ''}\r\n${hasTrailers ? TRAILERS : ''}\r\n`);

const EXTENSION = ';mock="a;b"';
const TRAILERS = 'x-mock-trailer: end\r\nserver-timing: total\r\n';
const LINE_END = Buffer.from('\r\n');
