// Replies that servers and proxies should not send but do, each parsed for its content.

import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { connectionProblem } from '../../../src/bench/target/connection-problem.ts';
import { ContentDecoder, contentDecoder } from '../../../src/bench/target/content-decoder.ts';
import { inPieces, pipeReply } from './reply-pipe.ts';
import { chunkedStream, events, reply, STREAM } from './reply-shapes.ts';

const chunk = (delta: object): string => JSON.stringify({ choices: [{ index: 0, delta }] });
const FINISH = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const PLAIN = JSON.stringify({
  choices: [{ index: 0, message: { content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 3 },
});
const plainReply = (body: string | Buffer, head = ''): Buffer =>
  reply(`HTTP/1.1 200 OK\ncontent-length: ${Buffer.byteLength(body)}${head}`, body);

describe('an error of llama.cpp, which has a field of its own', () => {
  test.each([
    ['on one line', 'error: {"code":500,"message":"context is full","type":"server_error"}\n\n'],
    ['over two lines', 'error: {"code":500,\nerror: "message":"context is full"}\n\n'],
    ['without a blank line behind it', 'error: {"code":500,"message":"context is full"}\n'],
  ])('%s fails the sample, also with [DONE] behind it', (_, error) => {
    const before = events(chunk({ content: 'a' }));
    for (const text of [`${before}${error}data: [DONE]\n\n`, `${before}${error}\n`]) {
      expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'failed', kind: 'error-frame' });
      expect(pipeReply([chunkedStream(text)]).detail).toContain('context is full');
    }
  });
});

describe('a front end that takes HTTP/2 alone', () => {
  // Nginx's and Envoy's first frame: settings, with or without a line feed in them; and Node's goodbye.
  const FRAMES = [
    [0, 0, 18, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 128, 0, 4, 0, 1, 0, 0, 0, 5, 0, 255, 255, 255],
    [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 10],
    [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  ].map(bytes => Buffer.from(bytes));

  test('is reported as such, of the load and of the question before a run', () => {
    for (const frame of FRAMES) {
      expect(pipeReply([frame]).detail).toContain('the reply is HTTP/2, and this client sends HTTP/1.1');
      const error = Object.assign(new Error('Parse Error'), {
        code: 'HPE_INVALID_CONSTANT',
        rawPacket: frame,
      });
      expect(connectionProblem(error)).toMatchObject({
        problem: 'the reply is HTTP/2, and this client sends HTTP/1.1',
        advice: expect.stringContaining('Enable HTTP/1.1'),
      });
    }
    expect(pipeReply([Buffer.from('SSH-2.0-OpenSSH_9.9')]).detail).toContain('not HTTP/1.x');
  });
});

describe('a content-encoding', () => {
  test.each(['none', 'NONE', 'identity', 'identity, identity', 'utf-8', 'binary', 'x-own', ''])(
    '"%s" that changes nothing is read as it is',
    encoding => {
      const head = `\ncontent-encoding: ${encoding}`;
      expect(pipeReply([plainReply(PLAIN, head)], { isStreaming: false }).outcome).toBe('completed');
      expect(pipeReply([plainReply(STREAM, head)])).toMatchObject({ outcome: 'completed', chunks: 2 });
    },
  );

  test('that is unknown is named where the body makes no sense', () => {
    const piped = pipeReply([plainReply('\u0001\u0002', '\ncontent-encoding: x-own')], {
      isStreaming: false,
    });
    expect(piped).toMatchObject({ outcome: 'failed', kind: 'malformed' });
    expect(piped.detail).toContain('x-own');
  });

  test.each([
    ['gzip', zlib.gzipSync],
    ['x-gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
    ['identity, gzip', zlib.gzipSync],
    ['deflate, gzip', (bytes: Buffer) => zlib.gzipSync(zlib.deflateSync(bytes))],
  ])('%s is inflated', (encoding, compress) => {
    const head = `\ncontent-encoding: ${encoding}`;
    const body = compress(Buffer.from(STREAM));
    for (const size of [1, 10, body.length]) {
      const reads = inPieces(plainReply(body, head), size);
      expect(pipeReply(reads)).toMatchObject({ outcome: 'completed', chunks: 2, outputTokens: 3 });
    }
    const cut = plainReply(body, head).subarray(0, -body.length / 2);
    expect(pipeReply([cut]).outcome).toBe('failed');
  });

  test('truncated gzip that is declared complete is malformed', () => {
    const cut = zlib.gzipSync(PLAIN).subarray(0, -9);
    const piped = pipeReply([plainReply(cut, '\ncontent-encoding: gzip')], { isStreaming: false });
    expect(piped).toMatchObject({ outcome: 'failed', kind: 'malformed' });
  });
});

describe('a bomb of compressed nothing', () => {
  const BOMB = zlib.gzipSync(Buffer.alloc(256 * 1024 * 1024, 0x20), { level: 9 });

  test('is refused once, and no later read of it is inflated', () => {
    const decoder = new ContentDecoder(['gzip']);
    const problems = inPieces(BOMB, 1_024).map(piece => decoder.add(piece, 0, piece.length).kind);
    expect(problems.filter(kind => kind === 'wrong')).toHaveLength(1);
    expect(decoder.end().kind).toBe('bytes');
    expect(decoder.inflatedBytes).toBeLessThan(64 * 1024 * 1024);
  });

  test.each([true, false])('fails its sample, and reports why (streaming: %s)', isStreaming => {
    const piped = pipeReply(inPieces(plainReply(BOMB, '\ncontent-encoding: gzip'), 16_384), { isStreaming });
    expect(piped).toMatchObject({ outcome: 'failed', kind: 'malformed' });
    expect(piped.detail).toMatch(/inflates to more than/);
  });

  test('is not what an ordinary stream in small reads is', () => {
    const text = `${events(...Array(3_000).fill(chunk({ content: 'word ' })))}${STREAM}`;
    const reads = inPieces(plainReply(zlib.gzipSync(text), '\ncontent-encoding: gzip'), 100);
    expect(pipeReply(reads)).toMatchObject({ outcome: 'completed', chunks: 3_002 });
  });
});

test('a decoder is made only for what has to be decoded', () => {
  expect(contentDecoder('')).toBeUndefined();
  expect(contentDecoder('none')).toBeUndefined();
  expect(contentDecoder('GZip')).toBeInstanceOf(ContentDecoder);
});

describe('content in a list of parts', () => {
  test.each([
    ['text', [{ type: 'text', text: 'hi' }]],
    ['thinking with parts', [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }]],
    ['thinking as a text', [{ type: 'thinking', thinking: 'hm' }]],
    ['reasoning', [{ type: 'reasoning', text: 'hm' }]],
    ['plain texts', ['hi']],
  ])('of %s counts', (_, content) => {
    const text = events(chunk({ content }), FINISH, '[DONE]');
    expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'completed', chunks: 1 });
    const whole = JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] });
    expect(pipeReply([plainReply(whole)], { isStreaming: false })).toMatchObject({ outcome: 'completed' });
  });

  test('without a text in any of them is no content', () => {
    const content = [{ type: 'text', text: '' }, { type: 'thinking', thinking: [] }, {}, null];
    const text = events(chunk({ content }), FINISH, '[DONE]');
    expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'failed', kind: 'empty' });
  });
});

describe('a byte order mark', () => {
  test('before JSON is no part of it', () => {
    expect(pipeReply([plainReply(`\ufeff${PLAIN}`)], { isStreaming: false })).toMatchObject({
      outcome: 'completed',
      outputTokens: 3,
    });
    const text = events(`\ufeff${chunk({ content: 'a' })}`, FINISH, '[DONE]');
    expect(pipeReply([chunkedStream(text)])).toMatchObject({ outcome: 'completed', chunks: 1 });
  });
});
