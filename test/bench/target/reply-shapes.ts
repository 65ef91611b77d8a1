// Replies in every shape of the specification, each with its expected result. They are cut at every byte.

import zlib from 'node:zlib';

interface ReplyShape {
  readonly name: string;
  readonly bytes: Buffer;
  readonly isStreaming: boolean;
  readonly outcome: 'completed' | 'failed';
  readonly kind?: string;
  readonly chunks?: number;
  readonly outputTokens?: number;
}

const delta = (content: string): string => JSON.stringify({ choices: [{ index: 0, delta: { content } }] });
const ROLE = JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] });
const FINISH = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const USAGE = JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } });
const PLAIN = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hé 🌊' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 3 },
});

/** Events as most servers send them. */
export const events = (...data: readonly string[]): string => data.map(item => `data: ${item}\n\n`).join('');
export const STREAM: string = events(ROLE, delta('hé '), delta('🌊'), FINISH, USAGE, '[DONE]');

const httpChunks = (pieces: readonly (string | Buffer)[], extension = ''): Buffer =>
  Buffer.concat([
    ...pieces.flatMap(piece => {
      const bytes = Buffer.from(piece);
      return [Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`), bytes, Buffer.from('\r\n')];
    }),
    Buffer.from('0\r\n'),
  ]);

export const reply = (head: string, ...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from(`${head.trim().replaceAll(/ *\n */g, '\r\n')}\r\n\r\n`),
    ...parts.map(part => Buffer.from(part)),
  ]);

export const CHUNKED_HEAD = 'HTTP/1.1 200 OK\ncontent-type: text/event-stream\ntransfer-encoding: chunked';
export const chunkedStream = (text: string): Buffer => reply(CHUNKED_HEAD, httpChunks([text]), '\r\n');

const cut = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
};

const stream = (name: string, text: string, more: Partial<ReplyShape> = {}): ReplyShape => ({
  name,
  bytes: chunkedStream(text),
  isStreaming: true,
  outcome: 'completed',
  chunks: 2,
  outputTokens: 3,
  ...more,
});

const whole = (name: string, bytes: Buffer, more: Partial<ReplyShape> = {}): ReplyShape => ({
  name,
  bytes,
  isStreaming: true,
  outcome: 'completed',
  chunks: 2,
  outputTokens: 3,
  ...more,
});

const plain = (name: string, bytes: Buffer, more: Partial<ReplyShape> = {}): ReplyShape => ({
  name,
  bytes,
  isStreaming: false,
  outcome: 'completed',
  chunks: 1,
  outputTokens: 3,
  ...more,
});

const failed = (kind: string): Partial<ReplyShape> => ({ outcome: 'failed', kind });
const length = (text: string | Buffer): string => `content-length: ${Buffer.from(text).length}`;

export const SHAPES: readonly ReplyShape[] = [
  stream('a stream in one HTTP chunk', STREAM),
  whole(
    'a stream of events in HTTP chunks of 7 bytes',
    reply(CHUNKED_HEAD, httpChunks(cut(STREAM, 7)), '\r\n'),
  ),
  whole(
    'HTTP chunks with extensions',
    reply(CHUNKED_HEAD, httpChunks(cut(STREAM, 40), ';a=b;c="d e"'), '\r\n'),
  ),
  whole('HTTP chunks with trailers', reply(CHUNKED_HEAD, httpChunks([STREAM]), 'x-sum: 1\r\ny: 2\r\n\r\n')),
  whole('a stream of known length', reply(`HTTP/1.1 200 OK\n${length(STREAM)}`, STREAM)),
  whole('a stream that ends with the connection', reply('HTTP/1.1 200 OK\nconnection: close', STREAM)),
  whole('HTTP/1.0', reply('HTTP/1.0 200 OK\ncontent-type: text/event-stream', STREAM)),
  whole(
    'interim replies before the real one',
    Buffer.concat([
      reply('HTTP/1.1 100 Continue'),
      reply('HTTP/1.1 103 Early Hints\nlink: </a>'),
      reply(CHUNKED_HEAD, httpChunks([STREAM]), '\r\n'),
    ]),
  ),
  whole(
    'line feeds alone in the head',
    Buffer.from(`HTTP/1.1 200 OK\ncontent-length: ${Buffer.from(STREAM).length}\n\n${STREAM}`),
  ),
  whole('a status without a reason', reply(`HTTP/1.1 200\n${length(STREAM)}`, STREAM)),
  whole(
    'header names in any case',
    reply('HTTP/1.1 200 OK\nTRANSFER-Encoding: Chunked', httpChunks([STREAM]), '\r\n'),
  ),
  whole(
    'a length beside chunks, which win',
    reply(`${CHUNKED_HEAD}\ncontent-length: 5`, httpChunks([STREAM]), '\r\n'),
  ),
  whole('the same length twice', reply(`HTTP/1.1 200 OK\n${length(STREAM)}\n${length(STREAM)}`, STREAM)),
  stream('events with CRLF', STREAM.replaceAll('\n', '\r\n')),
  stream('events with lone CR', STREAM.replaceAll('\n', '\r')),
  stream('no space after data:', STREAM.replaceAll('data: ', 'data:')),
  stream(
    'comments, ids and retries between events',
    `: hi\n\n${STREAM.replaceAll('data:', 'id: 1\nretry: 5\n: c\ndata:')}`,
  ),
  stream('data over several lines', STREAM.replaceAll('"delta":', '\ndata: "delta":')),
  stream('a byte order mark', `\ufeff${STREAM}`),
  stream('empty events', STREAM.replaceAll('\n\n', '\n\ndata:\n\n\n')),
  stream('a finish reason and no [DONE]', events(ROLE, delta('a'), delta('b'), FINISH, USAGE)),
  stream('[DONE] and no finish reason', events(delta('a'), delta('b'), USAGE, '[DONE]')),
  stream(
    'usage in every chunk',
    events(
      ...[1, 2, 3].map(tokens =>
        JSON.stringify({
          choices: [{ index: 0, delta: { content: 'a' } }],
          usage: { prompt_tokens: 7, completion_tokens: tokens },
        }),
      ),
      '[DONE]',
    ),
    { chunks: 3 },
  ),
  stream(
    'reasoning, then an answer',
    events(
      ROLE,
      JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content: 'hm' } }] }),
      delta('b'),
      FINISH,
      USAGE,
      '[DONE]',
    ),
  ),
  stream(
    'a tool call',
    events(
      ROLE,
      ...['{"a"', ':1}'].map(piece =>
        JSON.stringify({
          choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }],
        }),
      ),
      FINISH,
      USAGE,
      '[DONE]',
    ),
  ),
  plain('a plain reply', reply(`HTTP/1.1 200 OK\ncontent-type: application/json\n${length(PLAIN)}`, PLAIN)),
  plain(
    'a plain reply in HTTP chunks',
    reply('HTTP/1.1 200 OK\ntransfer-encoding: chunked', httpChunks(cut(PLAIN, 9)), '\r\n'),
  ),
  plain(
    'a plain reply, compressed',
    reply(`HTTP/1.1 200 OK\ncontent-encoding: gzip\n${length(zlib.gzipSync(PLAIN))}`, zlib.gzipSync(PLAIN)),
  ),
  whole(
    'a stream, compressed',
    reply(`HTTP/1.1 200 OK\ncontent-encoding: gzip\n${length(zlib.gzipSync(STREAM))}`, zlib.gzipSync(STREAM)),
  ),

  stream('a stream without a terminal event', events(ROLE, delta('a')), {
    ...failed('truncated'),
    chunks: 1,
  }),
  stream(
    'a last event without its blank line',
    `${events(ROLE, delta('a'), delta('b'))}${events(USAGE)}data: ${FINISH}\n`,
  ),
  stream(
    'a last event cut inside',
    `${events(ROLE, delta('a'), delta('b'))}data: ${FINISH.slice(0, 20)}`,
    failed('truncated'),
  ),
  stream(
    'one choice of two that never finishes',
    events(delta('a'), JSON.stringify({ choices: [{ index: 1, delta: { content: 'b' } }] }), FINISH),
    failed('truncated'),
  ),
  stream('an error object in a 200', events(delta('a'), '{"error":{"message":"out of memory"}}', '[DONE]'), {
    ...failed('error-frame'),
    chunks: 1,
  }),
  stream('an event of type error', `${events(delta('a'))}event: error\ndata: {"message":"no"}\n\n`, {
    ...failed('error-frame'),
    chunks: 1,
  }),
  stream('broken JSON in an event', events(delta('a'), '{"choices":[{', FINISH, '[DONE]'), {
    ...failed('malformed'),
    chunks: 1,
  }),
  stream('JSON that is no object', events(delta('a'), '42', FINISH, '[DONE]'), {
    ...failed('malformed'),
    chunks: 1,
  }),
  stream('only [DONE]', events('[DONE]'), { ...failed('empty'), chunks: 0 }),
  stream('a role, a finish reason, no content', events(ROLE, FINISH, '[DONE]'), {
    ...failed('empty'),
    chunks: 0,
  }),
  whole('a body of nothing', reply('HTTP/1.1 200 OK\ncontent-length: 0'), { ...failed('empty'), chunks: 0 }),
  whole('204', reply('HTTP/1.1 204 No Content'), { ...failed('empty'), chunks: 0 }),
  whole(
    '500 with a JSON error',
    reply(
      'HTTP/1.1 500 Oops\ncontent-type: application/json\ncontent-length: 29',
      '{"error":{"message":"broken"}}'.slice(0, 29),
    ),
    { ...failed('http-status'), chunks: 0 },
  ),
  whole(
    'a redirect',
    reply('HTTP/1.1 307 Elsewhere\nlocation: http://u:p@other/v1?key=k\ncontent-length: 0'),
    { ...failed('http-status'), chunks: 0 },
  ),
  whole(
    'a body shorter than its length',
    reply('HTTP/1.1 200 OK\ncontent-length: 9999', events(delta('a'), delta('b'))),
    failed('truncated'),
  ),
  whole(
    'HTTP chunks without a last one',
    reply(CHUNKED_HEAD, httpChunks([events(delta('a'), delta('b'))]).subarray(0, -3)),
    failed('truncated'),
  ),
  whole('two lengths that differ', reply('HTTP/1.1 200 OK\ncontent-length: 5\ncontent-length: 6', '12345'), {
    ...failed('malformed'),
    chunks: 0,
  }),
  whole('101', reply('HTTP/1.1 101 Switching Protocols\nupgrade: x'), { ...failed('malformed'), chunks: 0 }),
  whole('a chunk size that is not a number', reply(CHUNKED_HEAD, 'zz\r\nhello\r\n'), {
    ...failed('malformed'),
    chunks: 0,
  }),
  whole('a chunk size beyond all bounds', reply(CHUNKED_HEAD, 'fffffffffffffffff\r\nhello\r\n'), {
    ...failed('malformed'),
    chunks: 0,
  }),
  whole('a chunk longer than its size', reply(CHUNKED_HEAD, '3\r\nhello\r\n'), {
    ...failed('malformed'),
    chunks: 0,
  }),
  whole('not HTTP at all', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'), { ...failed('malformed'), chunks: 0 }),
  whole('a folded header', Buffer.from('HTTP/1.1 200 OK\r\nx: a\r\n b\r\n\r\n'), {
    ...failed('malformed'),
    chunks: 0,
  }),
  whole(
    'an unknown transfer coding',
    reply('HTTP/1.1 200 OK\ntransfer-encoding: gzip, chunked', '0\r\n\r\n'),
    { ...failed('malformed'), chunks: 0 },
  ),
  plain('a plain reply that is no JSON', reply('HTTP/1.1 200 OK\ncontent-length: 13', '<html></html>'), {
    ...failed('malformed'),
    chunks: 0,
  }),
  plain(
    'a plain reply with an error',
    reply('HTTP/1.1 200 OK\ncontent-length: 26', '{"error":{"message":"no"}} '.slice(0, 26)),
    { ...failed('error-frame'), chunks: 0 },
  ),
];
