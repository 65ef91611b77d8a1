// Status lines and header fields that are odd or wrong (RFC 9112 §3 to §5), and what precedes the reply.

import { completed, failedAs, timeout } from '../failure.ts';
import {
  atOnce,
  type CaseRequest,
  CLOSED,
  casesOf,
  type FaultCase,
  headOf,
  KEEP,
  okHead,
  repeatedEvery,
  STREAM,
  trueLength,
  WHOLE,
  withBody,
} from './fault-case.ts';

const { both, apart } = casesOf('head');

const malformed = failedAs('malformed');

/** A correct reply after this status line. */
const statusLine = (line: string) => (request: CaseRequest) =>
  atOnce(KEEP, headOf(line, `content-type: ${request.type}`, trueLength(request.body)), request.body);

const field =
  (...lines: readonly string[]) =>
  (request: CaseRequest) =>
    withBody(request, request.body, ...lines);

/** A correct reply with another content type. */
const typed = (type: string) => (request: CaseRequest) =>
  atOnce(
    KEEP,
    headOf('HTTP/1.1 200 OK', type === '' ? '' : `content-type: ${type}`, trueLength(request.body)),
    request.body,
  );

const ahead = (bytes: string) => (request: CaseRequest) =>
  atOnce(KEEP, bytes, okHead(request, trueLength(request.body)), request.body);

const interim = (line: string): string => `HTTP/1.1 ${line}\r\n\r\n`;

const bytesFor = (bytes: string | Buffer) => () => atOnce(CLOSED, bytes);

export const HEAD_CASES: readonly FaultCase[] = [
  both('status-no-reason', 'a status line without a reason', completed, statusLine('HTTP/1.1 200')),
  both('status-long-reason', 'a reason of 2 KiB', completed, statusLine(`HTTP/1.1 200 ${'OK '.repeat(680)}`)),
  both('status-two-digits', 'a status of two digits', malformed, statusLine('HTTP/1.1 20 OK')),
  both('status-four-digits', 'a status of four digits', malformed, statusLine('HTTP/1.1 2000 OK')),
  both('status-word', 'a status that is a word', malformed, statusLine('HTTP/1.1 OK')),
  both('status-two-spaces', 'two spaces before the status', malformed, statusLine('HTTP/1.1  200 OK')),
  both('status-zero', 'status 000', malformed, statusLine('HTTP/1.1 000 Nothing')),
  both('version-1.0', 'HTTP/1.0, with the end of the connection', completed, request =>
    atOnce(CLOSED, headOf('HTTP/1.0 200 OK', `content-type: ${request.type}`), request.body),
  ),
  both('version-1.0-kept', 'HTTP/1.0 with a length and keep-alive', completed, request =>
    atOnce(
      KEEP,
      headOf(
        'HTTP/1.0 200 OK',
        `content-type: ${request.type}`,
        trueLength(request.body),
        'connection: keep-alive',
      ),
      request.body,
    ),
  ),
  both('version-0.9', 'a body without a head, as HTTP/0.9 had it', malformed, request =>
    atOnce(CLOSED, request.body),
  ),
  both('version-2', 'a status line of HTTP/2', malformed, statusLine('HTTP/2 200 OK')),
  both('version-3.0', 'a status line of HTTP/3.0', malformed, statusLine('HTTP/3.0 200 OK')),
  both('version-lower-case', 'a status line in small letters', malformed, statusLine('http/1.1 200 OK')),
  both('version-icy', 'a status line of a radio stream: ICY 200 OK', malformed, statusLine('ICY 200 OK')),
  both(
    'http2-frames',
    'frames of HTTP/2',
    malformed,
    bytesFor(Buffer.from('000012040000000000000300000064', 'hex')),
  ),
  both(
    'tls-bytes',
    'a TLS record on a plain connection',
    malformed,
    bytesFor(Buffer.from('15030300020228', 'hex')),
  ),
  both('redis-error', 'an error of Redis', malformed, bytesFor("-ERR unknown command 'POST'\r\n")),
  both('smtp-banner', 'the greeting of a mail server', malformed, bytesFor('220 mail.example ESMTP\r\n')),
  both('blank-lines-first', 'empty lines before the status line', malformed, request =>
    atOnce(CLOSED, '\r\n\r\n', okHead(request, trueLength(request.body)), request.body),
  ),
  both('head-line-feeds', 'a head with LF alone', completed, request =>
    atOnce(
      KEEP,
      `HTTP/1.1 200 OK\ncontent-type: ${request.type}\n${trueLength(request.body)}\n\n`,
      request.body,
    ),
  ),
  both('head-folded', 'a header line that is folded', malformed, field('x-a: b\r\n c')),
  both('head-no-colon', 'a header line without a colon', malformed, field('this is not a header')),
  both('head-no-name', 'a header line that begins with its colon', malformed, field(': value')),
  both('head-space-in-name', 'a space before the colon', malformed, field('x-a : b')),
  both(
    'head-injected',
    'a second status line among the headers',
    malformed,
    field('x-a: b\r\nHTTP/1.1 200 OK'),
  ),
  both('head-control-bytes', 'control characters in a value', completed, field('x-a: \x01\x07\x1b[31m')),
  both('head-latin1', 'bytes of Latin-1 in a value', completed, field('x-a: \xe9\xff')),
  both('head-empty-value', 'a field without a value', completed, field('x-a:')),
  both('head-capitals', 'names of fields in capitals', completed, request =>
    atOnce(
      KEEP,
      headOf('HTTP/1.1 200 OK', `CONTENT-TYPE: ${request.type}`, trueLength(request.body).toUpperCase()),
      request.body,
    ),
  ),
  both('head-white-space', 'white space around each value', completed, request =>
    atOnce(
      KEEP,
      headOf('HTTP/1.1 200 OK', `content-type: \t ${request.type}  `, `${trueLength(request.body)} \t`),
      request.body,
    ),
  ),
  both(
    'head-many',
    '1,000 fields',
    completed,
    field(...Array.from({ length: 1_000 }, (_, n) => `x-${n}: ${n}`)),
  ),
  both(
    'head-duplicates',
    'cookies and dates many times over',
    completed,
    field(...Array.from({ length: 50 }, () => 'set-cookie: a=b\r\ndate: now')),
  ),
  both('head-endless', 'a header line without an end', malformed, () => ({
    writes: [
      { bytes: Buffer.from('HTTP/1.1 200 OK\r\nx-a: '), atMs: 0 },
      { bytes: Buffer.from('x'.repeat(4_096)), atMs: 1 },
    ],
    ending: repeatedEvery(1),
  })),
  both(
    'head-upgrade',
    'an offer to use HTTP/2',
    completed,
    field('upgrade: h2c', 'connection: keep-alive', 'alt-svc: h3=":443"'),
  ),
  both(
    'head-cached',
    'the marks of a cache',
    completed,
    field('age: 86400', 'x-cache: HIT', 'via: 1.1 varnish'),
  ),
  both('interim-100', 'a 100 that nobody waited for', completed, ahead(interim('100 Continue'))),
  both('interim-102', '102 three times', completed, ahead(interim('102 Processing').repeat(3))),
  both(
    'interim-103',
    '103 with links',
    completed,
    ahead('HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n'),
  ),
  both('interim-unknown', 'an unknown 1xx', completed, ahead(interim('199 Whatever'))),
  both('interim-many', '1,000 interim replies', completed, ahead(interim('100 Continue').repeat(1_000))),
  both('interim-endless', 'interim replies without an end', timeout('total'), () => ({
    writes: [{ bytes: Buffer.from(interim('102 Processing')), atMs: 0 }],
    ending: repeatedEvery(20),
  })),
  both(
    'interim-body',
    'a 100 with a length and a body',
    malformed,
    ahead('HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\nhello'),
  ),
  both(
    'interim-alone',
    'a 100, then the end of the connection',
    failedAs('truncated'),
    bytesFor(interim('100 Continue')),
  ),
  both('type-missing', 'no content type', completed, typed('')),
  both('type-plain', 'content-type: text/plain', completed, typed('text/plain')),
  both('type-octets', 'content-type: application/octet-stream', completed, typed('application/octet-stream')),
  both('type-parameters', 'a content type with parameters', completed, request =>
    typed(`${request.type}; charset=UTF-8; x="a;b"`)(request),
  ),
  both('type-capitals', 'a content type in capitals', completed, request =>
    typed(request.type.toUpperCase())(request),
  ),
  apart(
    'type-json',
    'content-type: application/json, for any request',
    { streaming: malformed, plain: completed },
    typed('application/json'),
  ),
  apart(
    'type-events',
    'content-type: text/event-stream, for any request',
    { streaming: completed, plain: completed },
    typed('text/event-stream'),
  ),
  apart(
    'whole-for-stream',
    'a whole completion, even if a stream was requested',
    { streaming: malformed, plain: completed },
    () => atOnce(KEEP, headOf('HTTP/1.1 200 OK', 'content-type: application/json', trueLength(WHOLE)), WHOLE),
  ),
  apart(
    'stream-for-whole',
    'a stream, even if a whole completion was requested',
    { streaming: completed, plain: malformed },
    () =>
      atOnce(KEEP, headOf('HTTP/1.1 200 OK', 'content-type: text/event-stream', trueLength(STREAM)), STREAM),
  ),
];
