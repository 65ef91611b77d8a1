// What a client and a server see of a capture between them: nothing.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type CaptureHere,
  captureHere,
  chatEvent,
  chatReply,
  chatRequest,
  serverHere,
} from './capture-here.ts';

const CHAT = '/v1/chat/completions';

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
};

/** Each request in one write on one connection; what came back until `count` replies of OpenAI's chat had ended. */
const rawReplies = async ({ port }: CaptureHere, text: string, until: RegExp): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    if (until.test(received)) break;
  }
  socket.destroy();
  return received;
};

describe('a capture passes on', () => {
  test('requests and replies with their headers as they were written, but those of a connection', async () => {
    let raw: readonly string[] = [];
    let url: string | undefined;
    await using server = await serverHere(async (request, response) => {
      ({ rawHeaders: raw, url } = request);
      await bodyOf(request);
      response.sendDate = false;
      response
        .writeHead(201, 'Made', ['X-One', '1', 'X-Many', 'a', 'X-Many', 'b', 'Content-Length', '2'])
        .end('ok');
    });
    await using capture = await captureHere(`${server.url}/base`);
    const head =
      'POST /v1/other?q=1 HTTP/1.1\r\nHost: here\r\nX-Key: v\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\n';
    const reply = await rawReplies(capture, `${head}Content-Length: 3\r\n\r\nabc`, /ok$/);
    expect(reply).toMatch(
      /^HTTP\/1\.1 201 Made\r\nX-One: 1\r\nX-Many: a\r\nX-Many: b\r\nContent-Length: 2\r\n/,
    );
    expect(url).toBe('/base/v1/other?q=1');
    expect(raw.slice(0, 6)).toEqual(['Host', new URL(server.url).host, 'X-Key', 'v', 'Content-Length', '3']);
    expect(raw).not.toContain('X-Hop');
  });

  test('the length of a body, named by Connection or after 2,000 other headers', async () => {
    const received: string[] = [];
    await using server = await serverHere(async (request, response) => {
      received.push(`${request.url} ${(await bodyOf(request)).toString()}`);
      response.end('ok');
    });
    await using capture = await captureHere(server.url);
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n';
    for (const head of [
      'Connection: close, Content-Length\r\n',
      `Connection: close\r\n${'a:b\r\n'.repeat(2_100)}`,
    ])
      await rawReplies(
        capture,
        `POST / HTTP/1.1\r\nHost: h\r\n${head}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
        /ok/,
      );
    expect(received).toEqual([`/ ${smuggled}`, `/ ${smuggled}`]);
  });

  test('a stream as it is sent: each part before the next exists', async () => {
    const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using server = await serverHere(async (request, response) => {
      await bodyOf(request);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      await arrived[0]?.promise;
      response.write(chatEvent('one'));
      await arrived[1]?.promise;
      response.end(`${chatEvent(' two', 'stop')}data: [DONE]\n\n`);
    });
    await using capture = await captureHere(server.url);
    const reply = await fetch(`${capture.url}${CHAT}`, chatRequest('hello', { stream: true }));
    arrived[0]?.resolve();
    let text = '';
    for await (const part of reply.body ?? []) {
      text += Buffer.from(part).toString();
      if (text.includes('one')) arrived[1]?.resolve();
    }
    expect(text).toBe(`${chatEvent('one')}${chatEvent(' two', 'stop')}data: [DONE]\n\n`);
    expect(await capture.lines()).toMatchObject([
      { outcome: 'completed', streamed: true, finish: 'stop', status: 200, output_length: 2 },
    ]);
  });

  test('replies with a length, in chunks, compressed, and until the end of a connection', async () => {
    const text = chatReply('one two three', { input: 5, output: 3 });
    const packed = gzipSync(text);
    await using server = await serverHere(async (request, response) => {
      const { messages } = JSON.parse((await bodyOf(request)).toString());
      const type = { 'content-type': 'application/json' };
      switch (messages[0].content) {
        case 'length':
          response.writeHead(200, { ...type, 'content-length': Buffer.byteLength(text) }).end(text);
          break;
        case 'chunks':
          response.writeHead(200, type).write(text.slice(0, 20));
          response.end(text.slice(20));
          break;
        case 'gzip':
          response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(packed);
          break;
        default:
          response.socket?.end(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${text}`);
      }
    });
    await using capture = await captureHere(server.url);
    for (const form of ['length', 'chunks', 'gzip', 'close']) {
      const reply = await fetch(`${capture.url}${CHAT}`, chatRequest(form));
      expect(await reply.text(), form).toBe(text);
    }
    const unread = send(`${capture.url}${CHAT}`, { method: 'POST' });
    unread.end(JSON.stringify({ messages: [{ role: 'user', content: 'gzip' }] }));
    const [raw]: IncomingMessage[] = await once(unread, 'response');
    if (raw === undefined) throw new Error('no reply');
    expect(await bodyOf(raw)).toEqual(packed);
    const lines = await capture.lines();
    expect(lines).toHaveLength(5);
    for (const line of lines)
      expect(line).toMatchObject({ outcome: 'completed', input_length: 5, output_length: 3 });
  });

  test('trailers of requests', async () => {
    let trailers: NodeJS.Dict<string> = {};
    await using server = await serverHere(async (request, response) => {
      await bodyOf(request);
      ({ trailers } = request);
      response.end('seen');
    });
    await using capture = await captureHere(server.url);
    const head = 'POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n';
    await rawReplies(capture, `${head}3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n`, /seen/);
    expect(trailers).toEqual({ 'x-sum': '6' });
  });

  test('bodies of 10 MB both ways', async () => {
    const content = 'word '.repeat(2 ** 21);
    let received = '';
    await using server = await serverHere(async (request, response) => {
      received = createHash('sha256')
        .update(await bodyOf(request))
        .digest('hex');
      response.writeHead(200, { 'content-type': 'application/json' }).end(chatReply(content));
    });
    await using capture = await captureHere(server.url);
    const request = chatRequest(content);
    const reply = await fetch(`${capture.url}${CHAT}`, request);
    expect(await reply.text()).toBe(chatReply(content));
    expect(received).toBe(createHash('sha256').update(String(request.body)).digest('hex'));
    const [line] = await capture.lines();
    expect(line).toMatchObject({ outcome: 'completed', estimated: ['input', 'output'] });
    expect(line?.input_length).toBeGreaterThan(2 ** 21);
  });

  test('requests of one connection over one connection, and closes it when the server does', async () => {
    await using server = await serverHere(async (request, response) => {
      const isLast = (await bodyOf(request)).toString().includes('last');
      response.writeHead(200, isLast ? { connection: 'close' } : {}).end('ok');
    });
    await using capture = await captureHere(server.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const replyTo = async (body: string): Promise<Socket> => {
      const request = send(capture.url, { agent, method: 'POST' });
      request.end(body);
      const [reply]: IncomingMessage[] = await once(request, 'response');
      if (reply === undefined) throw new Error('no reply');
      const { socket } = reply;
      await bodyOf(reply);
      return socket;
    };
    await replyTo('first');
    await replyTo('second');
    expect(server.connections).toBe(1);
    const socket = await replyTo('last');
    if (!socket.destroyed) await once(socket, 'close');
    agent.destroy();
  });

  test('the rest of a body whose reply came early, before the next request', async () => {
    const early = Promise.withResolvers<string>();
    await using server = await serverHere(async (request, response) => {
      response.end(`reply to ${request.url}`);
      const body = (await bodyOf(request)).toString();
      if (request.url === '/early') early.resolve(body);
    });
    await using capture = await captureHere(server.url);
    const socket = connect(capture.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /early HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nfirst');
    let received = '';
    let isSent = false;
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.includes('reply to /next')) break;
      if (isSent || !received.includes('reply to /early')) continue;
      isSent = true;
      socket.write('after');
      socket.write('GET /next HTTP/1.1\r\nHost: h\r\n\r\n');
    }
    expect(received).toContain('reply to /next');
    expect(await early.promise).toBe('firstafter');
  });

  test('requests that come without waiting for replies, whose replies keep their order', async () => {
    await using server = await serverHere(async (request, response) => {
      const { url } = request;
      await bodyOf(request);
      response.end(`reply to ${url}`);
    });
    await using capture = await captureHere(server.url);
    const requests = ['/a', '/b', '/c'].map(path => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    const replies = await rawReplies(capture, requests.join(''), /reply to \/c/);
    expect([...replies.matchAll(/reply to (\/\w)/g)].map(([, path]) => path)).toEqual(['/a', '/b', '/c']);
  });

  test('a reply to a client that reads late, whole, and others in the meantime', async () => {
    const large = Buffer.alloc(2 ** 25, 'x');
    await using server = await serverHere((request, response) => {
      request.resume();
      response.end(request.url === '/large' ? large : 'small');
    });
    await using capture = await captureHere(server.url);
    const late = send(`${capture.url}/large`);
    late.end();
    const [reply]: IncomingMessage[] = await once(late, 'response');
    for (let round = 0; round < 20; round += 1)
      expect(await (await fetch(`${capture.url}/small`)).text()).toBe('small');
    if (reply === undefined) throw new Error('no reply');
    expect((await bodyOf(reply)).equals(large)).toBe(true);
  });
});

describe('where the server fails', () => {
  test('and nothing listens, the client gets a 502 with the reason, and the line has it', async () => {
    await using capture = await captureHere('http://127.0.0.1:1');
    const reply = await fetch(`${capture.url}${CHAT}`, chatRequest('hello'));
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({
      error: {
        message: 'plimsoll capture: http://127.0.0.1:1 does not answer: connection refused (ECONNREFUSED)',
        code: 502,
      },
    });
    expect(capture.figures.proxy.unanswered).toBe(1);
    expect(await capture.lines()).toMatchObject([{ outcome: 'failed', failure: 'connect', status: 0 }]);
  });

  test('and nothing listens, a client that sends a large body can send all of it', async () => {
    await using capture = await captureHere('http://127.0.0.1:1');
    const request = send(capture.url, { method: 'POST' });
    const replied = once(request, 'response');
    const sent = once(request, 'finish');
    request.end(Buffer.alloc(2 ** 25, 'x'));
    const [reply]: IncomingMessage[] = await replied;
    expect(reply?.statusCode).toBe(502);
    reply?.resume();
    await sent;
  });

  test('and resets before it answers, the client gets a 502', async () => {
    const server = createServer(socket => socket.once('data', () => socket.resetAndDestroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    await using capture = await captureHere(`http://127.0.0.1:${address.port}`);
    const reply = await fetch(`${capture.url}${CHAT}`, chatRequest('hello'));
    expect(reply.status).toBe(502);
    expect(await reply.text()).toContain('the connection was reset');
    expect(await capture.lines()).toMatchObject([{ outcome: 'failed', failure: 'reset' }]);
    await new Promise(resolve => server.close(resolve));
  });

  test('and resets in the middle of a stream, the client loses its connection, too', async () => {
    await using server = await serverHere(async (request, response) => {
      await bodyOf(request);
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(chatEvent('half'), () => response.socket?.resetAndDestroy());
    });
    await using capture = await captureHere(server.url);
    const reply = await fetch(`${capture.url}${CHAT}`, chatRequest('hello', { stream: true }));
    await expect(reply.text()).rejects.toThrow();
    expect(await capture.lines()).toMatchObject([{ outcome: 'failed', failure: 'reset', status: 200 }]);
  });

  test('and refuses a body that is not JSON, its refusal passes, and the line has no blocks', async () => {
    await using server = await serverHere(async (request, response) => {
      await bodyOf(request);
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"not JSON"}}');
    });
    await using capture = await captureHere(server.url);
    const reply = await fetch(`${capture.url}${CHAT}`, { method: 'POST', body: '{"messages": [' });
    expect([reply.status, await reply.text()]).toEqual([400, '{"error":{"message":"not JSON"}}']);
    expect(await capture.lines()).toMatchObject([
      { outcome: 'failed', failure: 'http-status', status: 400, block_ids: [] },
    ]);
    expect(capture.figures.recorded).toMatchObject({ failed: 1, unread: 1 });
  });
});

test('a client that leaves closes the connection to the server, and its line is cancelled', async () => {
  const left = Promise.withResolvers<void>();
  await using server = await serverHere(async (request, response) => {
    await bodyOf(request);
    response.once('close', left.resolve);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chatEvent('one two three'));
  });
  await using capture = await captureHere(server.url);
  const leaving = new AbortController();
  const reply = await fetch(`${capture.url}${CHAT}`, {
    ...chatRequest('hello', { stream: true }),
    signal: leaving.signal,
  });
  for await (const _ of reply.body ?? []) break;
  leaving.abort();
  await left.promise;
  expect(await capture.lines()).toMatchObject([
    { outcome: 'cancelled', output_length: 3, estimated: ['input', 'output'] },
  ]);
});
