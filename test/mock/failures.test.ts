import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FAILURES } from '../../src/mock/failures.ts';
import { type Mock, startMock } from '../../src/mock/mock-server.ts';
import type { MockOptions } from '../../src/mock/mock-settings.ts';
import { rawConnection, wholeReply } from '../support/raw-http.ts';
import { dataOf, mockLogOf, question, request } from './requesting.ts';

const QUICK: MockOptions = { ttftMs: 1, gapMs: 1, outputTokens: 6 };
const CONTENT = /"content":"[^"]/g;

/** Everything the server sends until it ends the connection. */
const untilEnd = async (mock: Mock, failure: string, stream = true) => {
  using connection = rawConnection(mock);
  connection.send(question({ model: `mock-fail-${failure}`, stream }));
  const ending = await connection.ended();
  const bytes = connection.received();
  return { ending, bytes, text: bytes.toString(), content: [...bytes.toString().matchAll(CONTENT)].length };
};

/** What was sent once it holds, the server still being there. */
const sofar = async (mock: Mock, failure: string, holds: (text: string) => boolean, stream = true) => {
  using connection = rawConnection(mock);
  connection.send(question({ model: `mock-fail-${failure}`, stream }));
  const bytes = await connection.until(received => holds(received.toString()));
  return bytes.toString();
};

const requestCompletion = (mock: Mock, failure: string, stream = true) =>
  request(mock, { model: `mock-fail-${failure}`, stream });

describe.each([true, false])('with stream: %s', stream => {
  test.each(FAILURES.filter(({ name }) => name.startsWith('http-')).map(({ name }) => name))(
    '%s is that status with an error',
    async name => {
      await using mock = await startMock(QUICK);
      const reply = await requestCompletion(mock, name, stream);
      expect(`http-${reply.status}`).toBe(name);
      expect(JSON.parse(reply.body).error.code).toBe(reply.status);
      expect(reply.head.includes('retry-after: 1')).toBe(name === 'http-429');
    },
  );

  test('a redirect reports where to', async () => {
    await using mock = await startMock(QUICK);
    expect(await requestCompletion(mock, 'redirect', stream)).toMatchObject({
      status: 307,
      head: expect.stringContaining('\r\nlocation: /v1/elsewhere'),
    });
  });

  test('204 has no body', async () => {
    await using mock = await startMock(QUICK);
    expect((await requestCompletion(mock, 'no-content', stream)).bytes.toString()).toBe(
      'HTTP/1.1 204 No Content\r\n\r\n',
    );
  });

  test.each([
    ['close-before-headers', 'closed'],
    ['reset-before-headers', 'reset'],
  ])('%s sends no byte', async (failure, ending) => {
    await using mock = await startMock(QUICK);
    expect(await untilEnd(mock, failure, stream)).toMatchObject({ ending, text: '' });
  });

  test('reset-after-headers sends the head and resets', async () => {
    await using mock = await startMock(QUICK);
    const { ending, text } = await untilEnd(mock, 'reset-after-headers', stream);
    expect(ending).toBe('reset');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^{]*\r\n\r\n$/);
  });

  test('reset-mid-stream resets in the middle of the body', async () => {
    await using mock = await startMock(QUICK);
    const { ending, content, bytes } = await untilEnd(mock, 'reset-mid-stream', stream);
    expect(ending).toBe('reset');
    expect(content).toBe(stream ? 3 : 0);
    expect(bytes.length).toBeGreaterThan(100);
    expect(wholeReply(bytes)).toBeUndefined();
  });

  test('truncated-content-length ends before the length it promised', async () => {
    await using mock = await startMock(QUICK);
    const { ending, text, bytes } = await untilEnd(mock, 'truncated-content-length', stream);
    expect(ending).toBe('closed');
    expect(text).toMatch(/\r\ncontent-length: \d+\r\n/);
    expect(wholeReply(bytes)).toBeUndefined();
  });

  test.each(['truncated-no-last-chunk', 'truncated-mid-chunk'])(
    '%s ends without a last chunk',
    async failure => {
      await using mock = await startMock(QUICK);
      const { ending, text, bytes } = await untilEnd(mock, failure, stream);
      expect(ending).toBe('closed');
      expect(text).toContain('\r\ntransfer-encoding: chunked\r\n');
      expect(text).not.toContain('\r\n0\r\n');
      expect(text.endsWith('ff\r\ndata: {"')).toBe(failure === 'truncated-mid-chunk');
      expect(wholeReply(bytes)).toBeUndefined();
    },
  );

  test('html is a page', async () => {
    await using mock = await startMock(QUICK);
    expect(await requestCompletion(mock, 'html', stream)).toMatchObject({
      status: 200,
      head: expect.stringContaining('\r\ncontent-type: text/html\r\n'),
      body: expect.stringMatching(/^<!doctype html>/),
    });
  });

  test('empty-body has a length of 0', async () => {
    await using mock = await startMock(QUICK);
    const reply = await requestCompletion(mock, 'empty-body', stream);
    expect(reply).toMatchObject({
      status: 200,
      body: '',
      head: expect.stringContaining('\r\ncontent-length: 0'),
    });
  });

  test('silent never answers, and is counted when its client leaves', async () => {
    await using mock = await startMock(QUICK);
    {
      using connection = rawConnection(mock);
      connection.send(question({ model: 'mock-fail-silent', stream }));
      // A second connection is answered, so the first request has long been read.
      expect((await request(mock)).status).toBe(200);
      expect(connection.received()).toHaveLength(0);
      expect(mock.log().running).toBe(1);
    }
    while (mock.log().running > 0) await mockLogOf(mock);
    expect(mock.log().outcomes).toEqual({ completed: 1, timeout: 1 });
  });

  test('stall-after-headers sends a head and nothing more', async () => {
    await using mock = await startMock(QUICK);
    const text = await sofar(mock, 'stall-after-headers', received => received.includes('\r\n\r\n'), stream);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^{]*\r\n\r\n$/);
  });

  test('endless sends on and on', async () => {
    await using mock = await startMock(QUICK);
    const text = await sofar(mock, 'endless', received => received.length > 3_000, stream);
    expect(text).toContain('\r\ntransfer-encoding: chunked\r\n');
    expect(text).not.toContain('\r\n0\r\n');
    expect(text).not.toContain('finish_reason":"');
  });

  test('not-http is something else', async () => {
    await using mock = await startMock(QUICK);
    const { ending, text } = await untilEnd(mock, 'not-http', stream);
    expect(ending).toBe('closed');
    expect(text).toMatch(/^SSH-2\.0/);
  });

  test('header-too-large has a head of 256 KiB', async () => {
    await using mock = await startMock(QUICK);
    expect((await requestCompletion(mock, 'header-too-large', stream)).head.length).toBeGreaterThan(262_144);
  });

  test('bad-chunk-size has a size that is no number', async () => {
    await using mock = await startMock(QUICK);
    expect((await untilEnd(mock, 'bad-chunk-size', stream)).text).toContain(
      '\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    );
  });

  test('two-lengths has two that differ', async () => {
    await using mock = await startMock(QUICK);
    const text = await sofar(mock, 'two-lengths', received => received.endsWith('}'), stream);
    expect([...text.matchAll(/\r\ncontent-length: (\d+)/g)].map(([, length]) => length)).toEqual([
      '14',
      '99',
    ]);
  });

  test('switching-protocols is a 101', async () => {
    await using mock = await startMock(QUICK);
    expect(
      await sofar(mock, 'switching-protocols', received => received.endsWith('\r\n\r\n'), stream),
    ).toMatch(/^HTTP\/1\.1 101 /);
  });

  test('gzip is the healthy body, compressed', async () => {
    await using mock = await startMock({ ...QUICK, models: ['mock-fail-gzip'] });
    using connection = rawConnection(mock);
    connection.send(question({ model: 'mock-fail-gzip', stream }));
    const bytes = await connection.until(received => wholeReply(received) !== undefined);
    expect(bytes.toString('latin1')).toContain('\r\ncontent-encoding: gzip\r\n');
    const body = gunzipSync(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)).toString();
    if (stream) expect(dataOf(body).at(-1)).toBe('[DONE]');
    else expect(JSON.parse(body).choices).toHaveLength(1);
  });

  test('slow-bytes is the healthy reply, a byte a write', async () => {
    await using mock = await startMock({ ...QUICK, outputTokens: 2 });
    const slow = await requestCompletion(mock, 'slow-bytes', stream);
    const healthy = await request(mock, { stream });
    expect(slow.body.replaceAll('mock-fail-slow-bytes', 'mock-model')).toBe(healthy.body);
    expect(slow.reads.length).toBeGreaterThan(slow.bytes.length / 2);
  });

  test('stale-connection answers a first request, and a second one by closing', async () => {
    await using mock = await startMock(QUICK);
    using connection = rawConnection(mock);
    const requested = question({ model: 'mock-fail-stale-connection', stream });
    connection.send(requested);
    const first = await connection.until(received => wholeReply(received) !== undefined);
    expect(wholeReply(first)?.status).toBe(200);
    connection.send(requested);
    expect(await connection.ended()).toBe('closed');
    expect(connection.received()).toHaveLength(first.length);
  });

  test('chatter-on-idle reports 408 after the reply and closes', async () => {
    await using mock = await startMock(QUICK);
    const { ending, bytes } = await untilEnd(mock, 'chatter-on-idle', stream);
    expect(ending).toBe('closed');
    const reply = wholeReply(bytes);
    expect(reply?.status).toBe(200);
    expect(reply?.rest.toString()).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('a stream', () => {
  test('whose last event is cut ends HTTP properly', async () => {
    await using mock = await startMock(QUICK);
    const { body } = await requestCompletion(mock, 'truncated-last-event');
    expect(body).toMatch(/"finish_reason":"st$/);
    expect(body).not.toContain('[DONE]');
  });

  test('without [DONE] has no finish reason either, and ends HTTP properly', async () => {
    await using mock = await startMock(QUICK);
    const { body } = await requestCompletion(mock, 'truncated-no-done');
    expect(dataOf(body)).toHaveLength(1 + 6);
    expect(body).not.toMatch(/\[DONE\]|"finish_reason":"/);
  });

  test.each(['malformed-event', 'malformed-shape'])(
    '%s is wrong in one event and whole around it',
    async failure => {
      await using mock = await startMock(QUICK);
      const data = dataOf((await requestCompletion(mock, failure)).body);
      expect(data).toHaveLength(1 + 6 + 1 + 2);
      expect(data.at(-1)).toBe('[DONE]');
      const odd = data.slice(0, -1).filter(text => !isObject(text));
      expect(odd).toHaveLength(1);
    },
  );

  test.each([
    ['error-frame', 3, 'data: {"error"'],
    ['error-frame-first', 0, 'data: {"error"'],
    ['error-event', 3, 'event: error\ndata: {"error"'],
  ])('%s has an error in a 200 after %i chunks', async (failure, content, frame) => {
    await using mock = await startMock(QUICK);
    const { status, body } = await requestCompletion(mock, failure);
    expect(status).toBe(200);
    expect([...body.matchAll(CONTENT)]).toHaveLength(content);
    expect(body).toContain(frame);
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('empty-done is [DONE] alone', async () => {
    await using mock = await startMock(QUICK);
    expect((await requestCompletion(mock, 'empty-done')).body).toBe('data: [DONE]\n\n');
  });

  test('empty-role-only has a role, a finish reason and no content', async () => {
    await using mock = await startMock(QUICK);
    const { body } = await requestCompletion(mock, 'empty-role-only');
    expect(dataOf(body)).toHaveLength(3);
    expect(body).not.toMatch(CONTENT);
  });

  test('stall-mid-stream falls silent after half of its content', async () => {
    await using mock = await startMock(QUICK);
    await sofar(mock, 'stall-mid-stream', received => [...received.matchAll(CONTENT)].length === 3);
    while (mock.log().running > 0) await mockLogOf(mock);
    expect(await mockLogOf(mock)).toMatchObject({
      entries: [{ chunks: 3, outcome: 'timeout', isClientGone: true }],
    });
  });
});

describe('a whole completion', () => {
  test.each([
    ['malformed-event', undefined],
    ['malformed-shape', '42'],
  ])('%s is no completion', async (failure, text) => {
    await using mock = await startMock(QUICK);
    const { status, body } = await requestCompletion(mock, failure, false);
    expect(status).toBe(200);
    expect(isObject(body)).toBe(false);
    if (text !== undefined) expect(body).toBe(text);
  });

  test.each(['error-frame', 'error-frame-first', 'error-event'])('%s is an error in a 200', async failure => {
    await using mock = await startMock(QUICK);
    const { status, body } = await requestCompletion(mock, failure, false);
    expect(status).toBe(200);
    expect(JSON.parse(body).error.code).toBe(500);
  });

  test.each(['empty-done', 'empty-role-only'])('%s has no content', async failure => {
    await using mock = await startMock(QUICK);
    expect(JSON.parse((await requestCompletion(mock, failure, false)).body).choices[0].message.content).toBe(
      '',
    );
  });

  test.each(['truncated-last-event', 'truncated-no-done'])('%s lacks half of its bytes', async failure => {
    await using mock = await startMock(QUICK);
    const { ending, bytes } = await untilEnd(mock, failure, false);
    expect(ending).toBe('closed');
    expect(wholeReply(bytes)).toBeUndefined();
  });
});

describe('failures', () => {
  test('come to each n-th request, in their order', async () => {
    await using mock = await startMock({ ...QUICK, failure: 'http-503', failEvery: 3 });
    const statuses: number[] = [];
    for (let at = 0; at < 7; at += 1) statuses.push((await request(mock)).status);
    expect(statuses).toEqual([200, 200, 503, 200, 200, 503, 200]);
    expect(mock.log().outcomes).toEqual({ completed: 5, 'http-status': 2 });
    await fetch(`${mock.url}/mock/reset`, { method: 'POST' });
    expect((await request(mock)).status).toBe(200);
  });

  test('each have a unique name, and every kind that a server can cause is among them', () => {
    const names = FAILURES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const kinds = new Set(
      FAILURES.map(({ streaming }) => (streaming.outcome === 'failed' ? streaming.kind : 'completed')),
    );
    // No server can make a client fail by itself, nor refuse a connection that it takes.
    expect([...kinds].sort()).toEqual([
      'completed',
      'empty',
      'error-frame',
      'http-status',
      'malformed',
      'reset',
      'timeout',
      'truncated',
    ]);
  });
});

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
};
