// Server-sent events that are written oddly or wrongly (WHATWG HTML §9.2).

import { completed, failedAs, timeout } from '../failure.ts';
import {
  atOnce,
  BEGINNING,
  type CaseReply,
  type CaseRequest,
  CHUNKED_FIELD,
  casesOf,
  chunksOf,
  contentOf,
  DONE,
  dataEvent,
  dataEvents,
  ENDING,
  type FaultCase,
  FINISH,
  headOf,
  KEEP,
  LAST_CHUNK,
  okHead,
  ROLE,
  repeatedEvery,
  STREAM,
  spaced,
  trueLength,
  USAGE,
  WORDS,
  withBody,
} from './fault-case.ts';

const { stream } = casesOf('stream');

const malformed = failedAs('malformed');
const truncated = failedAs('truncated');

const text =
  (body: string | Buffer) =>
  (request: CaseRequest): CaseReply =>
    withBody(request, body);

/** Something between the content and the end. */
const between = (middle: string) => text(BEGINNING + middle + ENDING);

/** The bytes in pieces of this size, each an HTTP chunk and a separate write. */
const inPieces =
  (bytes: Buffer, size: number) =>
  (request: CaseRequest): CaseReply => {
    const count = Math.ceil(bytes.length / size);
    const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
    return spaced(
      1,
      KEEP,
      okHead(request, CHUNKED_FIELD),
      ...pieces.map(piece => chunksOf(piece)),
      LAST_CHUNK,
    );
  };

const WAVES: string = dataEvents(ROLE, contentOf('é🌊'), contentOf('日本'), contentOf('👩‍🚀')) + ENDING;

export const STREAM_CASES: readonly FaultCase[] = [
  stream('events-crlf', 'lines that end with CRLF', completed, text(STREAM.replaceAll('\n', '\r\n'))),
  stream('events-cr', 'lines that end with CR alone', completed, text(STREAM.replaceAll('\n', '\r'))),
  stream(
    'events-mixed',
    'lines that end with LF, CRLF and CR in turn',
    completed,
    text(BEGINNING.replaceAll('\n', '\r\n') + ENDING.replaceAll('\n', '\r')),
  ),
  stream('events-no-space', 'no space behind data:', completed, text(STREAM.replaceAll('data: ', 'data:'))),
  stream(
    'events-spaces',
    'two spaces and a tab behind data:',
    completed,
    text(STREAM.replaceAll('data: ', 'data:  \t')),
  ),
  stream(
    'events-comments',
    'a comment before each event',
    completed,
    text(STREAM.replaceAll('data: ', ': PROCESSING\n\ndata: ')),
  ),
  stream(
    'events-comment-huge',
    'a comment of 1 MiB',
    completed,
    text(`: ${'x'.repeat(1_048_576)}\n\n${STREAM}`),
  ),
  stream('events-comments-endless', 'comments without an end', timeout('total'), request => ({
    writes: [
      { bytes: okHead(request), atMs: 0 },
      { bytes: Buffer.from(': PROCESSING\n\n'), atMs: 1 },
    ],
    ending: repeatedEvery(20),
  })),
  stream('events-bom', 'a byte order mark at the start', completed, text(`\ufeff${STREAM}`)),
  stream(
    'events-fields',
    'ids, names and retries',
    completed,
    text(STREAM.replaceAll('data: ', 'id: 7\nevent: message\nretry: 3000\ndata: ')),
  ),
  stream(
    'events-unknown-fields',
    'unknown fields',
    completed,
    text(STREAM.replaceAll('data: ', 'x-trace: 1\nnonsense\ndata: ')),
  ),
  stream(
    'events-empty',
    'events without data between the others',
    completed,
    text(STREAM.replaceAll('\n\n', '\n\ndata:\n\n\n')),
  ),
  stream(
    'events-many-lines',
    'data over several lines',
    completed,
    text(STREAM.replaceAll('"choices":', '\ndata: "choices":')),
  ),
  stream('events-split', 'HTTP chunks that cut events', completed, inPieces(Buffer.from(STREAM), 61)),
  stream(
    'events-split-character',
    'HTTP chunks that cut characters',
    completed,
    inPieces(Buffer.from(WAVES), 7),
  ),
  stream('events-bad-utf8', 'bytes that are no UTF-8 in the content', completed, request => {
    const bytes = Buffer.from(BEGINNING.replace('two', '~'), 'latin1');
    bytes[bytes.indexOf('~')] = 0xff;
    return withBody(request, Buffer.concat([bytes, Buffer.from(ENDING)]));
  }),
  stream(
    'events-half-surrogate',
    'half a character, escaped',
    completed,
    text(dataEvents(ROLE, ...WORDS.slice(1), contentOf('x').replace('"x"', '"\\ud83d"')) + ENDING),
  ),
  stream(
    'events-large',
    'an event of 1 MiB',
    completed,
    text(dataEvents(ROLE, ...WORDS.slice(1), contentOf('x'.repeat(1_048_576))) + ENDING),
  ),
  stream(
    'events-too-large',
    'an event of 5 MiB',
    malformed,
    text(dataEvent(contentOf('x'.repeat(5_242_880))) + ENDING),
  ),
  stream(
    'events-joined',
    'two objects in one event',
    malformed,
    text(`data: ${WORDS[0]}\ndata: ${WORDS[1]}\n\n${ENDING}`),
  ),
  stream(
    'events-concatenated',
    'two objects on one line',
    malformed,
    text(dataEvent(`${WORDS[0]}${WORDS[1]}`) + ENDING),
  ),
  stream('events-null', 'data: null', malformed, between(dataEvent('null'))),
  stream('events-list', 'data: []', malformed, between(dataEvent('[]'))),
  stream('events-nul-byte', 'a NUL in the JSON', malformed, between(dataEvent('{"choices":[]\0}'))),
  stream(
    'events-html',
    'a page of HTML in the middle, and the end',
    truncated,
    text(`${BEGINNING}<html><body>502 Bad Gateway</body></html>\n`),
  ),
  stream('events-lines-of-json', 'JSON a line, without data:', malformed, text(`${WORDS.join('\n')}\n`)),
  stream('events-ndjson', 'JSON a line, with its own content type', malformed, () =>
    atOnce(
      KEEP,
      headOf('HTTP/1.1 200 OK', 'content-type: application/x-ndjson', trueLength(WORDS.join('\n'))),
      WORDS.join('\n'),
    ),
  ),
  stream(
    'events-ping',
    'events that only say ping',
    completed,
    text(STREAM.replaceAll('data: {', 'data: {"type":"ping"}\n\ndata: {')),
  ),
  stream(
    'done-missing',
    'a finish reason and no [DONE]',
    completed,
    text(BEGINNING + dataEvents(FINISH, USAGE)),
  ),
  stream('done-alone', '[DONE] and no finish reason', completed, text(BEGINNING + dataEvents(USAGE, DONE)), {
    finishReason: 'missing',
  }),
  stream('done-twice', '[DONE] twice', completed, text(STREAM + dataEvent(DONE))),
  stream('done-first', '[DONE] before all content', failedAs('empty'), text(dataEvent(DONE) + STREAM)),
  stream(
    'done-early',
    '[DONE] after one chunk of content',
    completed,
    text(dataEvents(ROLE, WORDS[0] ?? '', DONE) + STREAM),
    { chunks: 1, outputTokens: -1, finishReason: 'missing' },
  ),
  stream('done-then-content', 'content behind [DONE]', completed, text(STREAM + BEGINNING)),
  stream(
    'done-then-error',
    'an error behind [DONE]',
    completed,
    text(STREAM + dataEvent('{"error":{"message":"too late"}}')),
  ),
  stream(
    'done-then-garbage',
    'bytes that make no sense behind [DONE]',
    completed,
    text(`${STREAM}data: {"choi\n\n\0\0`),
  ),
  stream('done-spaced', 'white space around [DONE]', completed, text(STREAM.replace(DONE, ` ${DONE}  `))),
  stream('done-lower-case', '[done]', malformed, text(STREAM.replace(DONE, '[done]'))),
  stream('done-quoted', '"[DONE]" as a JSON text', malformed, text(STREAM.replace(DONE, `"${DONE}"`))),
  stream('done-open', '[DONE] without its blank line', completed, text(STREAM.slice(0, -1))),
  stream(
    'finish-open',
    'a finish reason without its blank line',
    completed,
    text((BEGINNING + dataEvent(FINISH)).slice(0, -1)),
    { outputTokens: -1 },
  ),
  stream(
    'finish-cut',
    'a finish reason that is cut',
    truncated,
    text((BEGINNING + dataEvent(FINISH)).slice(0, -4)),
  ),
  stream('end-missing', 'all content, and neither a finish reason nor [DONE]', truncated, text(BEGINNING)),
  stream('end-only', 'a finish reason, usage and [DONE], and no content', failedAs('empty'), text(ENDING)),
];
