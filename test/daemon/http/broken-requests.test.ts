import { describe, expect, test } from 'vitest';
import {
  closeOf,
  exchangeRaw,
  fetchJson,
  openSocket,
  postJson,
  sendRequest,
  statusOf,
  until,
} from './http-exchange.ts';
import { identityFact, SELF, serveCluster } from './served-cluster.ts';
import { openStream } from './stream-reader.ts';

const head = (line: string, ...headers: readonly string[]): string =>
  `${[line, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

describe('bytes that are no request', () => {
  test.each([
    ['noise', Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])],
    ['a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n'],
    ['a header with a line feed in its name', 'GET / HTTP/1.1\r\nHost: localhost\r\nA\nB: c\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n'],
  ])('%s get an answer that reports it, and the daemon goes on', async (_what, bytes) => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(served.port, bytes);
    expect(statusOf(raw)).toBe(400);
    expect(JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4)).code).toBe('bad-request');
    expect(raw).not.toMatch(/\r\n(server|x-powered-by):/i);
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
  });

  test('after an answer end the connection without a word', async () => {
    await using served = await serveCluster();
    const socket = await openSocket(served.port);
    const closed = closeOf(socket);
    socket.resume().write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n\0\0\0\0');
    await closed;
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
  });
});

describe('requests that are too much', () => {
  test('headers past the bound', async () => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(served.port, head('GET / HTTP/1.1', `X: ${'x'.repeat(20_000)}`));
    expect(statusOf(raw)).toBe(431);
  });

  test('ten thousand headers', async () => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(
      served.port,
      head('GET / HTTP/1.1', ...Array.from({ length: 10_000 }, (_, i) => `X${i}: 1`)),
    );
    expect(statusOf(raw)).toBe(431);
  });

  test('a URL past the bound', async () => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(served.port, head(`GET /${'x'.repeat(5_000)} HTTP/1.1`));
    expect(statusOf(raw)).toBe(414);
  });

  test('a body that reports it is past the bound is not waited for', async () => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(
      served.port,
      'POST /api/access/code HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{',
    );
    expect(statusOf(raw)).toBe(413);
  });

  test('a body that grows past the bound is cut', async () => {
    await using served = await serveCluster();
    const chunk = `${(8_192).toString(16)}\r\n${'x'.repeat(8_192)}\r\n`;
    const raw = await exchangeRaw(
      served.port,
      `POST /api/access/code HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
    );
    expect(statusOf(raw)).toBe(413);
  });

  test('more connections than the bound take the places of those that wait for a request', async () => {
    await using served = await serveCluster({ limits: { connectionsMax: 3, connectionsKept: 0 } });
    const idle = [
      await openSocket(served.port),
      await openSocket(served.port),
      await openSocket(served.port),
    ];
    const closed = idle[0] === undefined ? undefined : closeOf(idle[0].resume());
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
    await closed;
    for (const socket of idle) socket.destroy();
  });
});

describe('answers that nobody reads', () => {
  test('are bounded in number, and make room again', async () => {
    await using served = await serveCluster({ limits: { answersMax: 2, requestsPerSecondMax: 10_000 } });
    // Larger than what the kernel takes for a reader that reads nothing.
    served.report(SELF, identityFact('x'.repeat(16 * 1024 * 1024)));
    const deaf = [await openSocket(served.port), await openSocket(served.port)];
    for (const socket of deaf) {
      socket.pause();
      socket.write('GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n');
    }
    const statusNow = async () => (await sendRequest({ port: served.port, path: '/api/daemon' })).status;
    await until(async () => (await statusNow()) === 503);
    for (const socket of deaf) socket.destroy();
    await until(async () => (await statusNow()) === 200);
  });

  test('pipelined behind a stream cost nothing for good', async () => {
    await using served = await serveCluster({ limits: { answersMax: 2, streamsMax: 3 } });
    const stream = 'GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const daemon = 'GET /api/daemon HTTP/1.1\r\nHost: localhost\r\n\r\n';
    for (let round = 0; round < 5; round += 1) {
      const socket = await openSocket(served.port);
      socket.write(stream + daemon + stream + daemon);
      await new Promise(resolve => socket.once('data', resolve));
      socket.destroy();
      await closeOf(socket);
      await until(
        async () => (await fetchJson({ port: served.port, path: '/api/daemon' })).json.streams?.clients === 0,
      );
    }
    using reader = await openStream(served.port);
    await reader.need('snapshot');
  });
});

describe('requests that never end', () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, connectionsCheckMs: 20 };

  test.each([
    ['nothing at all', ''],
    ['half a header', 'GET / HTTP/1.1\r\nHost: loc'],
    [
      'half a body',
      'POST /api/access/code HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
  ])('are given up: %s', async (_what, bytes) => {
    await using served = await serveCluster({ limits });
    expect(statusOf(await exchangeRaw(served.port, bytes))).toBe(408);
  });

  test('a header that comes byte by byte does not buy time', async () => {
    await using served = await serveCluster({ limits });
    const socket = await openSocket(served.port);
    let text = '';
    socket.on('data', chunk => {
      text += chunk.toString();
    });
    const closed = closeOf(socket);
    const drip = setInterval(() => socket.writable && socket.write('X'), 10);
    socket.write('GET / HTTP/1.1\r\nX');
    await closed;
    clearInterval(drip);
    expect(statusOf(text)).toBe(408);
  });
});

describe('bodies that are not what was asked for', () => {
  const post =
    (body: string, type = 'application/json') =>
    async (port: number) =>
      sendRequest({
        port,
        path: '/api/access/code',
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });

  test.each([
    ['half JSON', post('{"code":'), 400],
    ['nothing', post(''), 400],
    ['a prototype', post('{"__proto__":{"code":"x"}}'), 400],
    ['a constructor', post('{"constructor":{"prototype":{"code":"x"}}}'), 400],
    ['very deep', post('['.repeat(60_000)), 400],
    ['a form', post('code=x', 'application/x-www-form-urlencoded'), 415],
    ['plain text, which a foreign form may send', post('{"code":"x"}', 'text/plain'), 415],
    ['bytes', post('x', 'application/octet-stream'), 415],
    ['another encoding of characters', post('{"code":"x"}', 'application/json; charset=utf-16'), 415],
  ])('%s', async (_what, send, status) => {
    await using served = await serveCluster();
    const answer = await send(served.port);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(answer.body)).toMatchObject({ status, detail: expect.stringMatching(/./) });
    expect(served.warnings).toEqual([]);
  });
});

describe('a body', () => {
  test('that is not JSON is refused as such, and one that is compressed is not taken for broken', async () => {
    await using served = await serveCluster();
    const detailOf = async (body: string, headers: Readonly<Record<string, string>> = {}) =>
      (
        await fetchJson({
          port: served.port,
          path: '/api/access/code',
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
      ).json;
    for (const body of ['', '{"code":', '{} x'])
      expect(await detailOf(body)).toMatchObject({
        code: 'bad-request',
        detail: 'The body is not valid JSON.',
      });
    expect(await detailOf('{"code":"x"}', { 'content-encoding': 'gzip' })).toMatchObject({
      code: 'not-json',
      status: 415,
      detail: 'The body is encoded as gzip.',
    });
    expect(await detailOf('{"code":"x"}', { 'content-encoding': 'identity' })).toMatchObject({ status: 403 });
  });

  test('that is announced by an expectation which is unknown is answered as any other', async () => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(served.port, head('GET /healthz HTTP/1.1', 'Expect: 200-ok'));
    expect(statusOf(raw)).toBe(200);
  });
});

describe('targets that are no path of ours', () => {
  test.each([
    ['absolute form', 'GET http://localhost/api/state HTTP/1.1', 400],
    ['a proxy request', 'GET http://evil.example/ HTTP/1.1', 400],
    ['no slash', 'GET api/state HTTP/1.1', 400],
    ['a star', 'OPTIONS * HTTP/1.1', 400],
    ['a malformed escape', 'GET /api/nodes/%zz HTTP/1.1', 400],
    ['a cut escape', 'GET /api/state/%e0%a4%a HTTP/1.1', 400],
    ['a malformed escape of the page', 'GET /nodes/%ff HTTP/1.1', 400],
    ['backslashes', 'GET /..\\..\\etc\\passwd HTTP/1.1', 400],
    ['a null byte', 'GET /api/nodes/%00 HTTP/1.1', 404],
    ['two slashes', 'GET //api/state HTTP/1.1', 404],
    ['another case', 'GET /API/state HTTP/1.1', 404],
    ['a trailing slash', 'GET /api/nodes/ HTTP/1.1', 404],
  ])('%s', async (_what, line, status) => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(served.port, head(line));
    expect(statusOf(raw)).toBe(status);
  });

  test('a tunnel is not opened', async () => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(served.port, 'CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect([0, 400, 404, 405]).toContain(statusOf(raw));
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
  });

  test('an upgrade is answered as the plain request that it is', async () => {
    await using served = await serveCluster();
    const raw = await exchangeRaw(
      served.port,
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    );
    expect(statusOf(raw)).toBe(200);
  });

  test.each([
    ['POST', '/api/state', 'GET, HEAD'],
    ['DELETE', '/api/nodes/self', 'GET, HEAD'],
    ['PUT', '/', 'GET, HEAD'],
    ['GET', '/api/access/code', 'POST'],
    ['PATCH', '/api/state/nodeMemories/x', 'GET, HEAD'],
    ['OPTIONS', '/api/state', 'GET, HEAD'],
    ['PROPFIND', '/metrics', 'GET, HEAD'],
    ['TRACE', '/healthz', 'GET, HEAD'],
  ])('%s %s is refused with the methods that are allowed', async (method, path, allow) => {
    await using served = await serveCluster();
    const answer = await sendRequest({ port: served.port, path, method });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
  });
});

test('every kind of answer carries the security headers and names no server', async () => {
  await using served = await serveCluster();
  const answers = await Promise.all([
    sendRequest({ port: served.port, path: '/' }),
    sendRequest({ port: served.port, path: '/api/state' }),
    sendRequest({ port: served.port, path: '/nothing' }),
    sendRequest({ port: served.port, path: '/api/nodes/%zz' }),
    sendRequest({ port: served.port, path: '/api/state', headers: { host: 'evil.example' } }),
    sendRequest({ port: served.port, path: '/api/stream', method: 'HEAD' }),
    postJson(served.port, '/api/access/code', { code: 'x' }),
  ]);
  for (const { headers } of answers) {
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['server']).toBeUndefined();
    expect(headers['x-powered-by']).toBeUndefined();
  }
});

test('bodies that do not come hold a bounded room, and who needs little of it is answered', async () => {
  await using served = await serveCluster({ limits: { bodiesBytesMax: 300_000 } });
  const half = `POST /api/access/code HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`;
  const sockets = await Promise.all(Array.from({ length: 12 }, () => openSocket(served.port)));
  let closed = 0;
  const seven = Promise.withResolvers<void>();
  for (const socket of sockets) {
    socket.once('close', () => {
      closed += 1;
      if (closed === 7) seven.resolve();
    });
    socket.write(half);
  }
  await seven.promise;
  const answer = await postJson(served.port, '/api/access/code', { code: 'x' });
  expect(answer.status).toBe(403);
  expect(closed).toBeLessThanOrEqual(8);
  for (const socket of sockets) socket.destroy();
});
