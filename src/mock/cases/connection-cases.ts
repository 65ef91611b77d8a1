// Connections that end, are reset, stall or trickle at each stage of a reply, and false claims about them.

import { completed, failedAs, timeout } from '../failure.ts';
import {
  atOnce,
  BEGINNING,
  type CaseRequest,
  CHUNKED_FIELD,
  CLOSED,
  casesOf,
  chunksOf,
  DONE,
  dataEvent,
  dataEvents,
  type FaultCase,
  FINISH,
  KEEP,
  LAST_CHUNK,
  okHead,
  RESET_SOON,
  ROLE,
  repeatedEvery,
  SILENT,
  STREAM,
  spaced,
  trueLength,
  USAGE,
  withBody,
} from './fault-case.ts';

const { both, stream } = casesOf('connection');

const STATUS_LINE = 'HTTP/1.1 200 OK\r\n';
const HALF_HEAD = `${STATUS_LINE}content-ty`;

/** A chunked stream up to here. */
const upTo =
  (...parts: readonly string[]) =>
  (request: CaseRequest): Buffer =>
    Buffer.concat([okHead(request, CHUNKED_FIELD), chunksOf(...parts)]);

/**
 * Where a reply may break off: what is sent until then, and what a client reports for a close, a reset and a stall
 * there.
 */
const STAGES = [
  { stage: 'in-status', where: 'in the status line', sent: () => Buffer.from('HTTP/1.') },
  { stage: 'in-head', where: 'in the middle of a header', sent: () => Buffer.from(HALF_HEAD) },
  {
    stage: 'after-head',
    where: 'behind the head',
    sent: (request: CaseRequest) => okHead(request, CHUNKED_FIELD),
  },
  {
    stage: 'in-size',
    where: 'in the line of a chunk size',
    sent: (request: CaseRequest) => Buffer.concat([okHead(request, CHUNKED_FIELD), Buffer.from('1')]),
  },
  { stage: 'after-role', where: 'behind the role', sent: upTo(dataEvent(ROLE)) },
  { stage: 'in-event', where: 'inside an event', sent: upTo(BEGINNING.slice(0, -10)) },
  { stage: 'after-content', where: 'behind all content', sent: upTo(BEGINNING) },
] as const;

/** Once a stream has marked its end, nothing later changes that. */
const OVER = [
  {
    stage: 'after-finish',
    where: 'behind the finish reason',
    sent: upTo(BEGINNING, dataEvent(FINISH)),
    outputTokens: -1,
  },
  {
    stage: 'after-usage',
    where: 'behind the usage',
    sent: upTo(BEGINNING, dataEvents(FINISH, USAGE)),
    outputTokens: 3,
  },
  { stage: 'after-done', where: 'behind [DONE], without a last chunk', sent: upTo(STREAM), outputTokens: 3 },
] as const;

export const CONNECTION_CASES: readonly FaultCase[] = [
  ...STAGES.flatMap(({ stage, where, sent }) => [
    both(`close-${stage}`, `the connection ends ${where}`, failedAs('truncated'), request =>
      atOnce(CLOSED, sent(request)),
    ),
    both(`reset-${stage}`, `a reset ${where}`, failedAs('reset'), request =>
      atOnce(RESET_SOON, sent(request)),
    ),
    both(`stall-${stage}`, `silence ${where}`, timeout('idle'), request => atOnce(SILENT, sent(request))),
  ]),
  stream(
    'close-after-done-alone',
    'the connection ends behind [DONE] that no finish reason came before, as llama-cpp-python drops a stream',
    failedAs('truncated'),
    request => atOnce(CLOSED, upTo(BEGINNING, dataEvent(DONE))(request)),
  ),
  ...OVER.flatMap(({ stage, where, sent, outputTokens }) => [
    stream(
      `close-${stage}`,
      `the connection ends ${where}`,
      completed,
      request => atOnce(CLOSED, sent(request)),
      { outputTokens },
    ),
    stream(`reset-${stage}`, `a reset ${where}`, completed, request => atOnce(RESET_SOON, sent(request)), {
      outputTokens,
    }),
    stream(`stall-${stage}`, `silence ${where}`, completed, request => atOnce(SILENT, sent(request)), {
      outputTokens,
    }),
  ]),
  both('trickle-head', 'a head that comes byte by byte', completed, request => {
    const head = okHead(request, trueLength(request.body)).toString();
    return spaced(1, KEEP, ...head, request.body);
  }),
  stream('trickle-body', 'a body that comes in seven parts, 20 ms apart', completed, request => {
    const seventh = Math.ceil(STREAM.length / 7);
    const parts = Array.from({ length: 7 }, (_, n) => STREAM.slice(n * seventh, (n + 1) * seventh));
    return spaced(20, KEEP, okHead(request, trueLength(STREAM)), ...parts);
  }),
  both('trickle-endless', 'a byte each 20 ms, without an end', timeout('total'), request => ({
    writes: [
      { bytes: okHead(request), atMs: 0 },
      { bytes: Buffer.from(':'), atMs: 1 },
    ],
    ending: repeatedEvery(20),
  })),
  stream('pause', 'a pause of 300 ms in the middle', completed, request =>
    spaced(
      300,
      KEEP,
      Buffer.concat([okHead(request, trueLength(STREAM)), Buffer.from(BEGINNING)]),
      STREAM.slice(BEGINNING.length),
    ),
  ),
  stream('buffered', 'a proxy that collects the whole stream and sends it at once', completed, request =>
    spaced(150, KEEP, '', Buffer.concat([upTo(STREAM)(request), Buffer.from(LAST_CHUNK)])),
  ),
  both('close-said', 'connection: close, and the end', completed, request =>
    atOnce(CLOSED, okHead(request, trueLength(request.body), 'connection: close'), request.body),
  ),
  both('close-said-and-kept', 'connection: close, and the connection stays open', completed, request =>
    atOnce(KEEP, okHead(request, trueLength(request.body), 'connection: close'), request.body),
  ),
  both('keep-alive-lie', 'keep-alive: timeout=60, and the end at once', completed, request =>
    atOnce(
      CLOSED,
      okHead(request, trueLength(request.body), 'connection: keep-alive', 'keep-alive: timeout=60'),
      request.body,
    ),
  ),
  both('keep-alive-and-close', 'connection: keep-alive, close', completed, request =>
    withBody(request, request.body, 'connection: keep-alive, close'),
  ),
  both('keep-alive-zero', 'keep-alive: timeout=0, max=1', completed, request =>
    withBody(request, request.body, 'connection: keep-alive', 'keep-alive: timeout=0, max=1'),
  ),
  stream('done-then-more-chunks', 'HTTP chunks of white space behind [DONE]', completed, request =>
    atOnce(
      KEEP,
      upTo(
        dataEvents(ROLE) + BEGINNING.slice(dataEvent(ROLE).length),
        dataEvents(FINISH, USAGE, DONE),
        '\n',
        '\n',
      )(request),
      LAST_CHUNK,
    ),
  ),
];
