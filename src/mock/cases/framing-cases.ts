// HTTP bodies that are delimited oddly or wrongly (RFC 9112 §6 and §7).

import { completed, failedAs, timeout } from '../failure.ts';
import {
  atOnce,
  type CaseRequest,
  CHUNKED_FIELD,
  CLOSED,
  casesOf,
  chunksOf,
  type FaultCase,
  headOf,
  KEEP,
  LAST_CHUNK,
  okHead,
  repeatedEvery,
  SILENT,
  spaced,
  trueLength,
} from './fault-case.ts';

const { both, apart } = casesOf('framing');

const malformed = failedAs('malformed');
const truncated = failedAs('truncated');

/** A chunked reply with a literal body. */
const byHand =
  (body: (text: string) => string, ending = CLOSED) =>
  (request: CaseRequest) =>
    atOnce(ending, okHead(request, CHUNKED_FIELD), body(request.body));

const hex = (text: string): string => Buffer.byteLength(text).toString(16);

/** One chunk with this line as its size. */
const sized = (line: string) => byHand(text => `${line}\r\n${text}\r\n${LAST_CHUNK}`);

const lengthField = (value: string) => (request: CaseRequest) =>
  atOnce(CLOSED, okHead(request, `content-length: ${value}`), request.body);

export const FRAMING_CASES: readonly FaultCase[] = [
  both(
    'chunk-uppercase',
    'chunk sizes in capitals',
    completed,
    byHand(text => `${hex(text).toUpperCase()}\r\n${text}\r\n${LAST_CHUNK}`, KEEP),
  ),
  both(
    'chunk-zeros',
    'chunk sizes with leading zeros',
    completed,
    byHand(text => `0000${hex(text)}\r\n${text}\r\n${LAST_CHUNK}`, KEEP),
  ),
  both(
    'chunk-space',
    'a space behind each chunk size',
    completed,
    byHand(text => `${hex(text)} \r\n${text}\r\n${LAST_CHUNK}`, KEEP),
  ),
  both(
    'chunk-extension',
    'chunks with quoted extensions',
    completed,
    byHand(text => `${hex(text)};a="b;c";d\r\n${text}\r\n${LAST_CHUNK}`, KEEP),
  ),
  both(
    'chunk-line-feeds',
    'chunk lines that end with LF alone',
    completed,
    byHand(text => `${hex(text)}\n${text}\n0\n\n`, KEEP),
  ),
  both('chunk-tiny', 'a chunk for each byte', completed, request =>
    atOnce(
      KEEP,
      okHead(request, CHUNKED_FIELD),
      chunksOf(
        ...Buffer.from(request.body)
          .toString('latin1')
          .split('')
          .map(byte => Buffer.from(byte, 'latin1')),
      ),
      LAST_CHUNK,
    ),
  ),
  both('chunk-negative', 'a chunk of −5 bytes', malformed, sized('-5')),
  both('chunk-prefixed', 'a chunk size that begins with 0x', malformed, sized('0x1a')),
  both('chunk-overflow', 'a chunk size beyond 2^64', malformed, sized('fffffffffffffffff')),
  both('chunk-no-size', 'an empty line for a chunk size', malformed, sized('')),
  both('chunk-overlong', 'a chunk longer than its size', malformed, sized('3')),
  both('chunk-long-line', 'a chunk extension of 8 KiB', malformed, sized(`5;${'x'.repeat(8_192)}`)),
  both('chunk-size-lie', 'a chunk that promises a megabyte, half the body, the end', truncated, request =>
    atOnce(
      CLOSED,
      okHead(request, CHUNKED_FIELD),
      'fffff\r\n',
      request.body.slice(0, request.body.length / 2),
    ),
  ),
  apart(
    'chunk-no-last',
    'the whole body in chunks, the end without a last one',
    { streaming: completed, plain: truncated },
    request => atOnce(CLOSED, okHead(request, CHUNKED_FIELD), chunksOf(request.body)),
  ),
  apart(
    'chunk-last-cut',
    'the last chunk without its empty line',
    { streaming: completed, plain: truncated },
    request => atOnce(CLOSED, okHead(request, CHUNKED_FIELD), chunksOf(request.body), '0\r\n'),
  ),
  apart(
    'chunk-last-late',
    'the whole body, and no last chunk ever',
    { streaming: completed, plain: timeout('idle') },
    request => atOnce(SILENT, okHead(request, CHUNKED_FIELD), chunksOf(request.body)),
  ),
  both(
    'trailer',
    'trailers behind the last chunk',
    completed,
    byHand(text => `${hex(text)}\r\n${text}\r\n0\r\nx-sum: 1\r\nserver-timing: a\r\n\r\n`, KEEP),
  ),
  both(
    'trailer-length',
    'a content-length among the trailers',
    completed,
    byHand(text => `${hex(text)}\r\n${text}\r\n0\r\ncontent-length: 5\r\n\r\n`, KEEP),
  ),
  both(
    'trailer-huge',
    'a trailer of 70 KiB',
    malformed,
    byHand(text => `${hex(text)}\r\n${text}\r\n0\r\nx: ${'x'.repeat(71_680)}\r\n\r\n`),
  ),
  both('coding-and-length', 'chunks and a content-length that is wrong', completed, request =>
    atOnce(KEEP, okHead(request, 'content-length: 7', CHUNKED_FIELD), chunksOf(request.body), LAST_CHUNK),
  ),
  both('coding-unknown', 'transfer-encoding: gzip, chunked', malformed, request =>
    atOnce(CLOSED, okHead(request, 'transfer-encoding: gzip, chunked'), chunksOf(request.body), LAST_CHUNK),
  ),
  both('coding-twice', 'chunked applied twice', malformed, request =>
    atOnce(CLOSED, okHead(request, CHUNKED_FIELD, CHUNKED_FIELD), chunksOf(request.body), LAST_CHUNK),
  ),
  both('coding-identity', 'transfer-encoding: identity, with a length', completed, request =>
    atOnce(KEEP, okHead(request, 'transfer-encoding: identity', trueLength(request.body)), request.body),
  ),
  both('coding-http10', 'chunks in a reply of HTTP/1.0', completed, request =>
    atOnce(
      CLOSED,
      headOf('HTTP/1.0 200 OK', `content-type: ${request.type}`, CHUNKED_FIELD),
      chunksOf(request.body),
      LAST_CHUNK,
    ),
  ),
  both('length-plus', 'content-length: +10', malformed, lengthField('+10')),
  both('length-negative', 'content-length: -1', malformed, lengthField('-1')),
  both('length-hex', 'content-length: 0x10', malformed, lengthField('0x10')),
  both('length-words', 'content-length: many', malformed, lengthField('many')),
  both('length-empty', 'a content-length without a value', malformed, lengthField('')),
  both('length-overflow', 'a content-length of 2^60', malformed, lengthField('1152921504606846976')),
  both('length-list-same', 'the right length twice in one field', completed, request =>
    atOnce(
      KEEP,
      okHead(request, `${trueLength(request.body)}, ${Buffer.byteLength(request.body)}`),
      request.body,
    ),
  ),
  both('length-list-differs', 'two lengths in one field', malformed, lengthField('10, 11')),
  apart(
    'length-too-short',
    'a content-length of half the body',
    { streaming: truncated, plain: malformed },
    request =>
      atOnce(
        KEEP,
        okHead(request, `content-length: ${Math.floor(Buffer.byteLength(request.body) / 3)}`),
        request.body,
      ),
  ),
  apart(
    'length-too-long',
    'ten bytes fewer than promised, and the connection stays open',
    { streaming: completed, plain: timeout('idle') },
    request =>
      atOnce(
        SILENT,
        okHead(request, `content-length: ${Buffer.byteLength(request.body) + 10}`),
        request.body,
      ),
  ),
  apart(
    'length-too-long-closed',
    'ten bytes fewer than promised, then the end',
    { streaming: completed, plain: truncated },
    request =>
      atOnce(
        CLOSED,
        okHead(request, `content-length: ${Buffer.byteLength(request.body) + 10}`),
        request.body,
      ),
  ),
  both(
    'length-missing',
    'neither length nor chunks, and the end of the connection is the end',
    completed,
    request => atOnce(CLOSED, okHead(request), request.body),
  ),
  both(
    'length-missing-kept',
    'neither length nor chunks, with keep-alive, and then the end',
    completed,
    request => atOnce(CLOSED, okHead(request, 'connection: keep-alive'), request.body),
  ),
  both('body-behind', 'bytes behind a reply of known length', completed, request =>
    atOnce(KEEP, okHead(request, trueLength(request.body)), request.body, 'garbage\r\n'),
  ),
  both('reply-behind', 'a second reply that was not requested', completed, request =>
    atOnce(
      KEEP,
      okHead(request, trueLength(request.body)),
      request.body,
      okHead(request, 'content-length: 0'),
    ),
  ),
  both('body-of-204', '204 with a length and a body', failedAs('empty'), request =>
    atOnce(KEEP, headOf('HTTP/1.1 204 No Content', trueLength(request.body)), request.body),
  ),
  both('body-late', 'the head, and the body in one write 60 ms later', completed, request =>
    spaced(60, KEEP, okHead(request, trueLength(request.body)), request.body),
  ),
  both('chunk-endless', 'empty lines in a chunk, without an end', timeout('total'), request => ({
    writes: [
      { bytes: Buffer.concat([okHead(request, CHUNKED_FIELD), chunksOf('\n')]), atMs: 0 },
      { bytes: chunksOf('\n'), atMs: 5 },
    ],
    ending: repeatedEvery(20),
  })),
];
