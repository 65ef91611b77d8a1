import { describe, expect, test } from 'vitest';
import { startMock } from '../../src/mock/mock-server.ts';
import type { MockOptions } from '../../src/mock/mock-settings.ts';
import { post, rawConnection, wholeReply } from '../support/raw-http.ts';
import { mockLogOf, question, request } from './requesting.ts';

const QUICK: MockOptions = { ttftMs: 0, gapMs: 0, outputTokens: 3 };

/** So many replies, one after another in the bytes. */
const replies = (bytes: Buffer, count: number): readonly number[] | undefined => {
  const statuses: number[] = [];
  let rest = bytes;
  while (statuses.length < count) {
    const reply = wholeReply(rest);
    if (reply === undefined) return undefined;
    statuses.push(reply.status);
    rest = reply.rest;
  }
  return statuses;
};

describe('a connection', () => {
  test('serves one request after another', async () => {
    await using mock = await startMock(QUICK);
    using connection = rawConnection(mock);
    for (let count = 1; count <= 5; count += 1) {
      connection.send(question({ stream: count % 2 === 0 }));
      const bytes = await connection.until(received => replies(received, count) !== undefined);
      expect(replies(bytes, count)).toEqual(Array(count).fill(200));
    }
    expect(mock.log().connections.opened).toBe(1);
  });

  test('answers what was pipelined, in order', async () => {
    await using mock = await startMock({ ...QUICK, ttftMs: 2, gapMs: 1 });
    using connection = rawConnection(mock);
    const requested = [
      question(),
      'GET /health HTTP/1.1\r\n\r\n',
      question({ model: 'mock-fail-http-500' }),
      question({ stream: false }),
    ];
    connection.send(requested.join(''));
    const bytes = await connection.until(received => replies(received, 4) !== undefined);
    expect(replies(bytes, 4)).toEqual([200, 200, 500, 200]);
  });

  test('takes thousands of pipelined requests without nesting them', async () => {
    await using mock = await startMock(QUICK);
    using connection = rawConnection(mock);
    const count = 5_000;
    connection.send(question({ stream: false }).repeat(count));
    await connection.until(() => mock.log().outcomes['completed'] === count);
    expect(mock.log()).toMatchObject({ requests: count, running: 0 });
  });

  test('is closed by who asks for it, and by HTTP/1.0 without keep-alive', async () => {
    await using mock = await startMock(QUICK);
    for (const request of [
      question({ headers: ['connection: close'] }),
      question().replace('HTTP/1.1', 'HTTP/1.0'),
      question({ stream: false }).replace('HTTP/1.1', 'HTTP/1.0'),
    ]) {
      using connection = rawConnection(mock);
      connection.send(request);
      expect(await connection.ended()).toBe('closed');
      const reply = wholeReply(connection.received(), true);
      expect(reply?.head).toContain('connection: close');
      expect(reply?.chunkSizes.length === 0).toBe(request.includes('HTTP/1.0'));
    }
  });

  test('ends after the configured number of replies, the last one with a header for it', async () => {
    await using mock = await startMock({ ...QUICK, repliesPerConnection: 2 });
    using connection = rawConnection(mock);
    connection.send(question({ stream: false }));
    const first = wholeReply(await connection.until(received => wholeReply(received) !== undefined));
    expect(first?.head).not.toContain('connection: close');
    connection.send(question({ stream: false }));
    expect(await connection.ended()).toBe('closed');
    expect(wholeReply(wholeReply(connection.received())?.rest ?? Buffer.alloc(0))?.head).toContain(
      'connection: close',
    );
  });

  test('is closed without a word when it is idle for too long', async () => {
    await using mock = await startMock({ ...QUICK, idleCloseMs: 20 });
    using connection = rawConnection(mock);
    connection.send(question({ stream: false }));
    expect(await connection.ended()).toBe('closed');
    expect(wholeReply(connection.received())?.rest).toHaveLength(0);
  });

  test('gets 100 Continue before its body where it expects it', async () => {
    await using mock = await startMock(QUICK);
    using connection = rawConnection(mock);
    const [head = '', body = ''] = question({ stream: false, headers: ['expect: 100-continue'] }).split(
      '\r\n\r\n',
    );
    connection.send(`${head}\r\n\r\n`);
    const hint = await connection.until(received => received.includes('\r\n\r\n'));
    expect(hint.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send(body);
    await connection.until(received => wholeReply(received) !== undefined);
    expect(wholeReply(connection.received())?.status).toBe(200);
  });

  test('may send its body in chunks with extensions and trailers', async () => {
    await using mock = await startMock(QUICK);
    using connection = rawConnection(mock);
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'one two' }] });
    const chunk = (part: string): string => `${part.length.toString(16)};a=b\r\n${part}\r\n`;
    connection.send(
      `POST /v1/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n${chunk(text.slice(0, 9))}${chunk(text.slice(9))}0\r\nx-end: 1\r\n\r\n`,
    );
    await connection.until(received => wholeReply(received) !== undefined);
    expect(JSON.parse(wholeReply(connection.received())?.body ?? '').usage.prompt_tokens).toBe(2);
  });
});

describe('the server refuses', () => {
  test.each([
    ['a line that is no request', 'hello\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
    ['a length that is no number', 'POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n', 400],
    ['a chunk size that is not a number', 'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 400],
    ['another transfer coding', 'POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n', 501],
    ['a huge head', `GET / HTTP/1.1\r\nx: ${'y'.repeat(70_000)}`, 431],
    ['too many headers', `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(500)}\r\n`, 431],
    ['a huge body', 'POST / HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n', 413],
    ['a huge chunk', 'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffff\r\n', 413],
  ])('%s and closes', async (_, request, status) => {
    await using mock = await startMock(QUICK);
    using connection = rawConnection(mock);
    connection.send(request);
    expect(await connection.ended()).toBe('closed');
    expect(wholeReply(connection.received())?.status).toBe(status);
    expect(mock.log()).toMatchObject({ requests: 0, refusedRequests: 1 });
  });

  test.each([
    ['what is not JSON', 'nonsense', 400],
    ['a list', '[]', 400],
    ['no messages', '{}', 400],
    ['a model that is no text', '{"model":1,"messages":[{}]}', 400],
    ['max_tokens of 0', '{"max_tokens":0,"messages":[{}]}', 400],
    ['a model it does not have', '{"model":"other","messages":[{}]}', 404],
    ['a failure it does not know', '{"model":"mock-fail-other","messages":[{}]}', 404],
  ])('%s and stays', async (_, body, status) => {
    await using mock = await startMock(QUICK);
    using connection = rawConnection(mock);
    connection.send(post('/v1/chat/completions', body));
    connection.send('GET /health HTTP/1.1\r\n\r\n');
    const bytes = await connection.until(received => replies(received, 2) !== undefined);
    expect(replies(bytes, 2)).toEqual([status, 200]);
  });

  test.each([
    ['a head', 'GET /health HT'],
    ['a body', 'POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 10\r\n\r\nabc'],
  ])('to wait for ever for %s', async (_, start) => {
    await using mock = await startMock({ ...QUICK, headTimeoutMs: 20, bodyTimeoutMs: 20 });
    using connection = rawConnection(mock);
    connection.send(start);
    expect(await connection.ended()).toBe('closed');
    expect(wholeReply(connection.received())?.status).toBe(408);
  });

  test('to wait for ever for a client that drips its head', async () => {
    await using mock = await startMock({ ...QUICK, headTimeoutMs: 30 });
    using connection = rawConnection(mock);
    connection.send('GET /health HTTP/1.1\r\nx: ');
    const drip = setInterval(() => connection.send('y'), 5);
    await connection.ended();
    clearInterval(drip);
    expect(wholeReply(connection.received())?.status).toBe(408);
  });

  test('to hold more than a bounded part of a reply for who does not read', async () => {
    await using mock = await startMock({
      ...QUICK,
      outputTokens: 100_000,
      eventBytes: 2_000,
      stallTimeoutMs: 50,
    });
    using connection = rawConnection(mock);
    connection.socket.pause();
    connection.send(question());
    while (mock.log().requests === 0 || mock.log().running > 0) await mockLogOf(mock, '?entries=0');
    const [entry] = (await mockLogOf(mock)).entries;
    expect(entry).toMatchObject({ outcome: 'cancelled', isClientGone: true });
    // 1 MiB of its own, and what the kernel buffers for a loopback connection.
    expect(entry?.bytes).toBeLessThan(32 * 1024 * 1024);
  });
});

test('a reader that was slow gets the whole stream once it reads', async () => {
  await using mock = await startMock({ ...QUICK, outputTokens: 20_000, eventBytes: 1_000 });
  using connection = rawConnection(mock);
  connection.socket.pause();
  connection.send(question());
  while (mock.log().requests === 0) await mockLogOf(mock, '?entries=0');
  await mockLogOf(mock, '?entries=0');
  connection.socket.resume();
  const bytes = await connection.until(received => received.subarray(-5).toString() === '0\r\n\r\n');
  expect(wholeReply(bytes)?.chunkSizes.filter(size => size === 1_000)).toHaveLength(20_000);
});

test('other paths and methods are answered as servers do', async () => {
  await using mock = await startMock({ ...QUICK, models: ['one', 'two'] });
  const get = async (path: string) => {
    const response = await fetch(mock.url + path);
    return { status: response.status, text: await response.text() };
  };
  const models: { readonly data: readonly { readonly id: string }[] } = JSON.parse(
    (await get('/v1/models')).text,
  );
  expect(models.data.map(({ id }) => id)).toEqual(['one', 'two']);
  expect((await get('/health')).status).toBe(200);
  expect((await get('/metrics')).text).toContain('vllm:num_requests_running{model_name="one"} 0\n');
  expect((await get('/elsewhere')).status).toBe(404);
  expect((await get('/v1/chat/completions')).status).toBe(405);
  for (const path of ['/v1/models', '/ping', '/version', '/mock/log'])
    expect((await fetch(mock.url + path, { method: 'POST', body: '{}' })).status).toBe(405);
});

test('a text completion is served as well', async () => {
  await using mock = await startMock(QUICK);
  using connection = rawConnection(mock);
  connection.send(
    post('/v1/completions', {
      prompt: 'one two three',
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
  const bytes = await connection.until(received => wholeReply(received) !== undefined);
  const body = wholeReply(bytes)?.body ?? '';
  expect(body).toContain('"object":"text_completion"');
  expect(body).toContain('"prompt_tokens":3,"completion_tokens":3');
});

test('requests past the concurrency wait their turn', async () => {
  // Long enough that they are seen waiting on a busy machine.
  await using mock = await startMock({ ttftMs: 200, gapMs: 1, outputTokens: 3, concurrencyMax: 2 });
  const requested = Array.from({ length: 6 }, () => request(mock));
  while (mock.log().running < 2 || mock.log().waiting === 0) await mockLogOf(mock, '?entries=0');
  await Promise.all(requested);
  const { entries } = await mockLogOf(mock);
  const most = entries.map(
    ({ firstByteNs }) =>
      entries.filter(
        other => (other.firstByteNs ?? 0) <= (firstByteNs ?? 0) && (other.lastNs ?? 0) > (firstByteNs ?? 0),
      ).length,
  );
  expect(Math.max(...most)).toBeLessThanOrEqual(2);
  expect(mock.log()).toMatchObject({ running: 0, waiting: 0, outcomes: { completed: 6 } });
});
