import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { queryServer } from '../../../src/bench/target/query-server.ts';
import { parseTargetUrl } from '../../../src/bench/target/target-url.ts';

/** Answers each connection's first bytes with what is given; undefined: never. */
const server = async (reply: string | Buffer | undefined) => {
  const sockets = new Set<Socket>();
  let received = '';
  const listening = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', chunk => {
      received += chunk;
      if (reply !== undefined) socket.write(reply);
    });
  });
  await new Promise<void>(resolve => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    received: () => received,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => listening.close(resolve));
    },
  };
};

const http = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const request = (url: string, model?: string) => {
  const target = parseTargetUrl(url);
  if (target.kind === 'wrong') throw new Error(target.problem);
  const headers = [{ name: 'authorization', value: 'Bearer s3cret' }];
  return queryServer({
    api: SERVER_APIS[0],
    target: target.value,
    headers,
    model,
    timeoutMs: 300,
    signal: new AbortController().signal,
  });
};

const encoded = (encoding: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ]);

describe('a server that is asked', () => {
  test.each([
    [502, /^A proxy answered, and the server behind it did not/],
    [503, /^The server is starting, stopped or full/],
    [500, /^The server failed/],
    [401, /--api-key-file/],
    [404, /^Check the URL, or name the model/],
  ])('for its models and returns status %d is advised as requests that fail so', async (status, advice) => {
    await using requested = await server(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`);
    await expect(request(`http://127.0.0.1:${requested.port}`)).rejects.toMatchObject({
      problem: {
        problem: expect.stringContaining(`status ${status}`),
        advice: expect.stringMatching(advice),
      },
    });
  });

  const LIST = JSON.stringify({ data: [{ id: 'a', owned_by: 'vllm' }] });

  test.each([
    ['compressed by a proxy that was asked not to', encoded('gzip', gzipSync(LIST))],
    ['under an encoding that changes nothing', encoded('none', Buffer.from(LIST))],
    ['behind a byte order mark', http(`\ufeff${LIST}`)],
  ])('may answer with its list %s', async (_, reply) => {
    await using there = await server(reply);
    expect(await request(`http://127.0.0.1:${there.port}/v1`)).toMatchObject({
      model: 'a',
      serverKind: 'vLLM',
    });
    expect(there.received().toLowerCase()).toContain('accept-encoding: identity');
  });

  test('with a list that cannot be inflated reports it', async () => {
    await using there = await server(encoded('gzip', Buffer.from(LIST)));
    await expect(request(`http://127.0.0.1:${there.port}/v1`)).rejects.toThrow(
      /gzip body cannot be inflated/,
    );
  });

  test.each([
    ['vllm', 'vLLM'],
    ['library', 'Ollama'],
    ['llamacpp', 'llama.cpp'],
    ['sglang', 'SGLang'],
  ])('and has models of %s is %s', async (owner, kind) => {
    await using there = await server(
      http(JSON.stringify({ data: [{ id: 'a', owned_by: owner }, { id: 'b' }] })),
    );
    const answer = await request(`http://127.0.0.1:${there.port}/v1`);
    expect(answer).toMatchObject({
      model: 'a',
      serverKind: kind,
      notices: ['the server has 2 models; this run uses "a"'],
    });
    expect(there.received()).toMatch(
      /^GET \/v1\/models HTTP\/1\.1\r\n[\s\S]*authorization: Bearer s3cret\r\n/i,
    );
  });

  test('for a model that it does not list is asked for it all the same, with a notice', async () => {
    await using there = await server(http('{"data":[{"id":"a"}]}'));
    const answer = await request(`http://127.0.0.1:${there.port}`, 'mine');
    expect(answer).toMatchObject({ model: 'mine', serverKind: { kind: 'unknown' } });
    expect(answer.notices.join()).toContain('does not list the model "mine"; it has "a"');
  });

  test('takes a name without a tag for its tag "latest", as Ollama does', async () => {
    await using there = await server(http('{"data":[{"id":"tiny:latest"}]}'));
    const answer = await request(`http://127.0.0.1:${there.port}`, 'tiny');
    expect(answer).toMatchObject({ model: 'tiny', notices: [] });
  });

  test.each([
    ['nothing', undefined, 'no answer within 300 ms'],
    ['what is no HTTP', 'SSH-2.0-x\r\n', 'what it answers is not HTTP'],
    ['HTML', http('<html>'), 'its list of models is not JSON'],
    ['no list', http('{"data":5}'), 'its list of models has no "data"'],
    ['an empty list', http('{"data":[]}'), 'lists no model'],
    ['401', 'HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n', 'status 401 to GET /v1/models'],
    [
      'a redirect',
      'HTTP/1.1 302 Found\r\nlocation: http://elsewhere/\r\ncontent-length: 0\r\n\r\n',
      'status 302',
    ],
  ])('and replies %s leaves the model unknown, which --model fixes', async (_, reply, reason) => {
    await using there = await server(reply);
    const url = `http://127.0.0.1:${there.port}`;
    const refusal: unknown = await request(url).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'unreachable' });
    expect(String(refusal)).toContain(reason);
    expect(String(refusal)).not.toContain('s3cret');
    expect(await request(url, 'm')).toMatchObject({ model: 'm', serverKind: { kind: 'unknown' } });
  });

  test('over TLS though it has none is reported as such', async () => {
    await using there = await server('HTTP/1.1 400 Bad\r\ncontent-length: 0\r\n\r\n');
    await expect(request(`https://127.0.0.1:${there.port}`, 'm')).rejects.toThrow(/does not use TLS/);
  });
});
