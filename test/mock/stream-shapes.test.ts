import { describe, expect, test } from 'vitest';
import { startMock } from '../../src/mock/mock-server.ts';
import type { MockOptions } from '../../src/mock/mock-settings.ts';
import { rawConnection, wholeReply } from '../support/raw-http.ts';
import { chunksOf, contentOf, dataOf, mockLogOf, question, request } from './requesting.ts';

const QUICK: MockOptions = { ttftMs: 0, gapMs: 0, outputTokens: 8 };
const plainText = async (options: MockOptions = {}): Promise<string> => {
  await using mock = await startMock({ ...QUICK, ...options });
  return JSON.parse((await request(mock, { stream: false })).body).choices[0].message.content;
};

describe('a stream', () => {
  test('has a role, one chunk a token, a finish reason and [DONE]', async () => {
    await using mock = await startMock(QUICK);
    const reply = await request(mock);
    const chunks = chunksOf(reply.body);
    expect(reply.head).toBe(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked',
    );
    expect(chunks[0]?.choices?.[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.filter(chunk => chunk.choices?.[0]?.delta?.content)).toHaveLength(8);
    expect(chunks.at(-1)?.choices?.[0]?.finish_reason).toBe('stop');
    expect(dataOf(reply.body).at(-1)).toBe('[DONE]');
    expect(reply.chunkSizes).toHaveLength(dataOf(reply.body).length);
  });

  test('reports usage only on request, unless configured otherwise', async () => {
    await using requested = await startMock(QUICK);
    await using always = await startMock({ ...QUICK, usage: 'always' });
    await using never = await startMock({ ...QUICK, usage: 'never' });
    const extra = { stream_options: { include_usage: true } };
    const usageOf = (body: string) => chunksOf(body).find(chunk => chunk.usage !== undefined);
    expect(usageOf((await request(requested)).body)).toBeUndefined();
    expect(usageOf((await request(requested, { extra })).body)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 4, completion_tokens: 8, total_tokens: 12 },
    });
    expect(usageOf((await request(always)).body)).toBeDefined();
    expect(usageOf((await request(never, { extra })).body)).toBeUndefined();
  });

  test('is cut short by max_tokens and reports length', async () => {
    await using mock = await startMock(QUICK);
    const chunks = chunksOf((await request(mock, { extra: { max_tokens: 3 } })).body);
    expect(chunks.filter(chunk => chunk.choices?.[0]?.delta?.content)).toHaveLength(3);
    expect(chunks.at(-1)?.choices?.[0]?.finish_reason).toBe('length');
  });

  test('carries several tokens a chunk, the last one fewer', async () => {
    await using mock = await startMock({ ...QUICK, tokensPerChunk: 3 });
    const { body } = await request(mock);
    expect(chunksOf(body).filter(chunk => chunk.choices?.[0]?.delta?.content)).toHaveLength(3);
    expect(contentOf(body)).toBe(await plainText());
  });

  test('begins with reasoning where there is some', async () => {
    await using mock = await startMock({ ...QUICK, reasoningTokens: 3 });
    const chunks = chunksOf((await request(mock)).body).map(chunk => chunk.choices?.[0]?.delta);
    expect(chunks.filter(delta => delta?.reasoning_content)).toHaveLength(3);
    expect(chunks.findIndex(delta => delta?.content)).toBe(4);
  });

  test('gives tool calls whose arguments are JSON once joined', async () => {
    await using mock = await startMock({ ...QUICK, outputTokens: 9, toolCalls: 2 });
    const chunks = chunksOf((await request(mock)).body);
    const joined = ['', ''];
    for (const chunk of chunks)
      for (const call of chunk.choices?.[0]?.delta?.tool_calls ?? [])
        joined[call.index] += call.function.arguments;
    expect(joined.map(text => Object.keys(JSON.parse(text)))).toEqual([['cargo'], ['cargo']]);
    expect(chunks.at(-1)?.choices?.[0]?.finish_reason).toBe('tool_calls');
    const plain = JSON.parse((await request(mock, { stream: false })).body);
    expect(
      plain.choices[0].message.tool_calls.map(
        (call: { function: { arguments: string } }) => call.function.arguments,
      ),
    ).toEqual(joined);
  });

  test('leaves out role, [DONE] and space if configured, and takes any finish reason', async () => {
    await using mock = await startMock({
      ...QUICK,
      hasRoleDelta: false,
      hasDone: false,
      hasSpaceAfterData: false,
      finishReason: 'content_filter',
    });
    const { body } = await request(mock);
    expect(body).not.toContain('"role"');
    expect(body).not.toContain('[DONE]');
    expect(body.split('\n\n').every(block => block === '' || block.startsWith('data:{'))).toBe(true);
    expect(body).toContain('"finish_reason":"content_filter"');
  });

  test.each([
    ['lf', '\n'],
    ['crlf', '\r\n'],
    ['cr', '\r'],
  ] as const)('is framed by %s', async (framing, end) => {
    await using mock = await startMock({ ...QUICK, framing });
    const { body } = await request(mock);
    const blocks = body.split(end + end);
    expect(blocks).toHaveLength(1 + 8 + 1 + 1 + 1);
    expect(blocks.at(-2)).toBe('data: [DONE]');
    expect(body.replaceAll(end, '')).not.toMatch(/[\r\n]/);
  });

  test('has comments, data over two lines and a byte order mark if configured', async () => {
    await using mock = await startMock({ ...QUICK, hasComments: true, hasMultiLineData: true, hasBom: true });
    const { body } = await request(mock);
    expect(body.startsWith('\ufeff: the mock is running\ndata: {"id":')).toBe(true);
    for (const block of body.slice(1).split('\n\n').slice(0, -2)) {
      const [comment, ...data] = block.split('\n');
      expect(comment).toBe(': the mock is running');
      expect(data).toHaveLength(2);
      JSON.parse(data.map(line => line.slice('data: '.length)).join('\n'));
    }
  });

  test('pads each event with content to the size asked for', async () => {
    await using mock = await startMock({ ...QUICK, eventBytes: 400, transfer: 'chunked' });
    expect((await request(mock)).chunkSizes.filter(size => size === 400)).toHaveLength(8);
  });
});

describe('on the wire a stream', () => {
  test('is cut into HTTP chunks of the size asked for', async () => {
    await using mock = await startMock({ ...QUICK, chunkBytes: 50 });
    const { body, chunkSizes } = await request(mock);
    expect(Math.max(...chunkSizes)).toBe(50);
    expect(contentOf(body)).toBe(await plainText());
  });

  test('has chunk extensions and trailers if configured', async () => {
    await using mock = await startMock({ ...QUICK, hasChunkExtensions: true, hasTrailers: true });
    const { bytes, trailers, head } = await request(mock);
    expect(bytes.toString()).toMatch(/\r\n[0-9a-f]+;mock="a;b"\r\ndata: /);
    expect(trailers).toBe('x-mock-trailer: end\r\nserver-timing: total\r\n');
    expect(head).toContain('\r\ntrailer: x-mock-trailer');
  });

  test('has a length if configured', async () => {
    await using mock = await startMock({ ...QUICK, transfer: 'content-length' });
    const { head, body } = await request(mock);
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(dataOf(body).at(-1)).toBe('[DONE]');
  });

  test.each([
    ['close-delimited', 'HTTP/1.1 200 OK'],
    ['http/1.0', 'HTTP/1.0 200 OK'],
  ] as const)('ends with its connection: %s', async (transfer, statusLine) => {
    await using mock = await startMock({ ...QUICK, transfer });
    using connection = rawConnection(mock);
    connection.send(question());
    expect(await connection.ended()).toBe('closed');
    const reply = wholeReply(connection.received(), true);
    expect(reply?.head).toBe(
      `${statusLine}\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close`,
    );
    expect(dataOf(reply?.body ?? '').at(-1)).toBe('[DONE]');
  });

  test('joins events in a write if configured', async () => {
    await using mock = await startMock({ ...QUICK, gapMs: 5, eventsPerWrite: 4 });
    const { body, chunkSizes } = await request(mock);
    // The role, two fours, finish reason and [DONE].
    expect(chunkSizes).toHaveLength(5);
    expect(contentOf(body)).toBe(await plainText());
  });

  test.each([{ writesPerEvent: 5 }, { splitsUtf8: true }, { writesPerEvent: 3, splitsUtf8: true }])(
    'is the same stream however it is cut: %o',
    async cutting => {
      await using mock = await startMock({ ...QUICK, outputTokens: 64, gapMs: 3, ...cutting });
      const { body, reads } = await request(mock);
      expect(contentOf(body)).toBe(await plainText({ outputTokens: 64 }));
      expect(reads.length).toBeGreaterThan(64);
    },
  );

  test('cuts inside a character if configured', async () => {
    await using mock = await startMock({ ...QUICK, outputTokens: 64, ttftMs: 1, gapMs: 2, splitsUtf8: true });
    const { bytes, reads } = await request(mock);
    let at = 0;
    const cuts = reads.map(size => {
      at += size;
      return at;
    });
    // A continuation byte of UTF-8 begins with the bits 10.
    expect(cuts.some(cut => ((bytes[cut] ?? 0) & 0xc0) === 0x80)).toBe(true);
  });

  test('is announced by informational heads if configured, also with stamps', async () => {
    for (const stampsWrites of [false, true]) {
      await using mock = await startMock({ ...QUICK, informational: [100, 103], stampsWrites });
      const { bytes, status } = await request(mock);
      expect(bytes.toString()).toMatch(
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 103 Early Hints\r\nlink: [^\r]+\r\n\r\nHTTP\/1\.1 200 OK/,
      );
      expect(status).toBe(200);
      expect((await request(mock, { stream: false })).status).toBe(200);
    }
  });

  test('delays its head until the first token if configured', async () => {
    await using mock = await startMock({ ...QUICK, ttftMs: 30, isHeadEarly: false });
    await using early = await startMock({ ...QUICK, ttftMs: 30 });
    await request(mock);
    await request(early);
    const [late] = (await mockLogOf(mock)).entries;
    const [soon] = (await mockLogOf(early)).entries;
    // Nothing is ever written before its time.
    expect(late?.firstByteNs).toBeGreaterThanOrEqual((late?.readNs ?? 0) + 30e6);
    expect(soon?.firstByteNs).toBeLessThan(soon?.firstContentNs ?? 0);
  });
});
