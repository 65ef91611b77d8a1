// Which engine listens at an address: in the dialect of each, and for servers that are hostile.

import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { countRequests, readEngine } from '../../../src/bench/target/read-engine.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { startEngineStub } from '../../support/engine-stub.ts';
import { ENGINE_PAGES, type ServedPage, startPageServer } from '../../support/page-server.ts';

const { signal } = new AbortController();

const readPages = async (pages: Readonly<Record<string, ServedPage>>, headers?: Record<string, string>) => {
  await using server = await startPageServer(pages, headers === undefined ? {} : { headers });
  return { reply: await readEngine({ origin: server.origin, signal }), requests: server.requests };
};

const because = (reason: RegExp) => ({ kind: 'unknown', reason: expect.stringMatching(reason) });
const models = (...names: readonly string[]) => names.map(name => ({ name }));

test.for([
  ['vLLM', '0.33.0', models('Qwen/Qwen3-32B'), 5],
  ['SGLang', '0.5.6', models('qwen/qwen3-8b'), because(/--enable-metrics/)],
  ['llama.cpp', 'b11434-0a1b2c3d', models('stub.gguf'), 1],
  // Those in memory, not those on disk.
  ['Ollama', '0.40.12', models('gemma3:4b'), because(/does not report/)],
  ['LM Studio', because(/does not report/), models('a'), because(/does not report/)],
  ['TGI', '3.3.6', models('HuggingFaceH4/zephyr-7b'), 1],
  ['exo', 'exo v1.0', models('mlx-community/Qwen3-30B-A3B-4bit'), because(/does not report/)],
  ['Triton', '2.63.0', because(/reply to a POST/), because(/another port/)],
] as const)('recognizes %s by its pages', async ([engine, version, loaded, requestsInFlight]) => {
  const { reply, requests } = await readPages(ENGINE_PAGES[engine]);
  expect(reply).toEqual({ kind: 'engine', found: { engine, version, models: loaded, requestsInFlight } });
  // Nothing but reading, and none of this machine's secrets.
  expect(requests.filter(({ line }) => !line.startsWith('GET '))).toEqual([]);
  expect(requests.flatMap(({ headers }) => headers)).not.toContain('authorization');
});

test('recognizes mlx_lm.server by the header of its library', async () => {
  const pages = { '/v1/models': { object: 'list', data: [{ id: 'mlx-community/x', object: 'model' }] } };
  const { reply } = await readPages(pages, { server: 'BaseHTTP/0.6 Python/3.12.11' });
  expect(reply).toMatchObject({
    kind: 'engine',
    found: { engine: 'MLX', models: models('mlx-community/x') },
  });
});

test.for(['vLLM', 'llama.cpp'] as const)('counts the requests of a %s that works', async kind => {
  await using stub = await startEngineStub({ kind });
  const reply = await readEngine({ origin: stub.url, signal });
  expect(reply).toMatchObject({ kind: 'engine', found: { requestsInFlight: 0 } });
});

test('reads the mock of this project', async () => {
  await using mock = await spawnMock({ otherRequests: 7 }, { nodePath: process.execPath, env: process.env });
  const reply = await readEngine({ origin: new URL(mock.url).origin, signal });
  expect(reply).toMatchObject({
    kind: 'engine',
    found: { engine: 'Plimsoll mock', models: models('mock-model'), requestsInFlight: 7 },
  });
});

test('an engine behind a key is recognized, and its models are unknown', async () => {
  const { reply } = await readPages({
    ...ENGINE_PAGES.vLLM,
    '/v1/models': response => {
      response.writeHead(401);
      response.end('{"error":"Unauthorized"}');
    },
  });
  expect(reply).toMatchObject({
    kind: 'engine',
    found: { engine: 'vLLM', version: '0.33.0', models: because(/those with a key/), requestsInFlight: 5 },
  });
});

test.for<[string, ServedPage, RegExp]>([
  ['HTML', '<!doctype html><h1>It works</h1>', /not JSON/],
  ['JSON that is no list', { data: 'none' }, /no "data"/],
  [
    'a redirect',
    response => response.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
    /leads elsewhere/,
  ],
  ['a status', response => response.writeHead(500).end(), /status 500/],
  ['more than it may', 'x'.repeat(3 * 1_024 * 1_024), /longer than 1 MiB/],
  ['nested brackets', '['.repeat(1_000_000), /not JSON/],
  ['nothing, for ever', () => undefined, /no answer within 1000 ms/],
  [
    'a byte now and then',
    response => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    },
    /no answer within 1000 ms/,
  ],
])('a server that replies with %s is not an engine, with the reason', async ([, page, reason]) => {
  const { reply, requests } = await readPages({ '/v1/models': page });
  expect(reply).toMatchObject({ kind: 'other', reason: expect.stringMatching(reason) });
  expect(requests.length).toBeLessThan(12);
});

test('names are shortened to one line, and only some of many are read', async () => {
  const data = Array.from({ length: 1_000 }, (_, at) => ({
    id: `m${at}\u001b[31m\n${'y'.repeat(400)}`,
    owned_by: 'vllm',
  }));
  const { reply } = await readPages({ '/v1/models': { data: [{ id: 12 }, null, ...data] } });
  if (reply.kind !== 'engine' || isUnknown(reply.found.models)) throw new Error('not read');
  expect(reply.found.models).toHaveLength(32);
  expect(reply.found.models[0]?.name).toMatch(/^m0\[31my+$/);
  expect(reply.found.models[0]?.name.length).toBeLessThanOrEqual(300);
});

test.for([
  ['sleeps', { isAsleep: true, isInUse: false }, 0],
  ['sleeps while a client is connected', { isAsleep: true, isInUse: true }, 0],
  ['could sleep soon, without a client', { isAsleep: false, isInUse: false }, 0],
  ['could sleep soon', { isAsleep: false, isInUse: undefined }, because(/could not sleep/)],
  ['is in use', { isAsleep: false, isInUse: true }, 1],
] as const)(
  'a llama.cpp that %s is neither woken nor kept awake',
  async ([, { isAsleep, isInUse }, requestsInFlight]) => {
    const pages = ENGINE_PAGES['llama.cpp'];
    await using server = await startPageServer({
      ...pages,
      '/props': { ...pages['/props'], is_sleeping: isAsleep },
    });
    const reply = await readEngine({ origin: server.origin, isInUse, signal });
    expect(reply).toMatchObject({ kind: 'engine', found: { engine: 'llama.cpp', requestsInFlight } });
    const waking = server.requests.filter(({ line }) => /\/slots|\/metrics/.test(line));
    expect(waking.length > 0).toBe(requestsInFlight === 1);
  },
);

test('counts that are no counts are unknown', async () => {
  await using server = await startPageServer({ '/metrics': 'vllm:num_requests_running NaN\n' });
  expect(await countRequests({ origin: server.origin, signal }, 'vLLM')).toMatchObject({ kind: 'unknown' });
});

test('where something else than HTTP listens, or nothing, no engine is found', async () => {
  const server = createServer(socket => socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n'));
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const origin = `http://127.0.0.1:${port}`;
  expect(await readEngine({ origin, signal })).toMatchObject({ kind: 'other' });
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  expect(await readEngine({ origin, signal })).toEqual({ kind: 'nothing' });
});
