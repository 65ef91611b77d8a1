// Engines found on this machine, against servers at real ports of loopback.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { enginesGatherer } from '../../src/daemon/engines-gatherer.ts';
import { directoryFiles } from '../../src/gather/directory-files.ts';
import { unreadable } from '../../src/gather/machine-files.ts';
import { readModelAt } from '../../src/model/read-model.ts';
import { isReading, runForTest } from '../gather/gatherer-run.ts';
import { startEngineStub } from '../support/engine-stub.ts';
import { madeUpModel } from '../support/made-up-model.ts';
import { ENGINE_PAGES, type PageServer, startPageServer } from '../support/page-server.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const INTERVAL_MS = 5_000;
/** As on macOS, where no file lists sockets. */
const NO_FILES = { text: async (path: string) => unreadable('ENOENT', path) };

type Parts = Parameters<typeof enginesGatherer>[0];

const runOf = (
  settings: { isEnabled: boolean; readonly ports: readonly number[] },
  files: Parts['files'] = directoryFiles('/'),
  readFacts: Parts['readFacts'] = async () => madeUpModel({ layers: 32, weightBytes: 4e9 }),
) => {
  const clock = new VirtualClock();
  const gatherer = enginesGatherer({
    files,
    settings: () => ({ ...settings, intervalMs: INTERVAL_MS }),
    readFacts,
    intervalMs: INTERVAL_MS,
  });
  return { clock, run: runForTest([gatherer], clock) };
};

const ofPorts = (ports: readonly number[], items: readonly { readonly origin: string }[]) =>
  items.filter(({ origin }) => ports.includes(Number(new URL(origin).port)));

test('an engine appears with its model and requests, and disappears with its process', async () => {
  const stub = await startPageServer(ENGINE_PAGES.vLLM);
  const { clock, run: started } = runOf({ isEnabled: true, ports: [stub.port] });
  await using run = started;
  const first = await run.waitFor(isReading('engines'), 'from start');
  expect(ofPorts([stub.port], first.reading.value.engines)).toEqual([
    {
      origin: stub.origin,
      listensOn: '127.0.0.1',
      engine: 'vLLM',
      version: '0.33.0',
      models: [{ name: 'Qwen/Qwen3-32B' }],
      requestsInFlight: 5,
      facts: { kind: 'unknown', reason: 'it is being read' },
    },
  ]);
  await stub[Symbol.asyncDispose]();
  const gone = run.waitFor(isReading('engines'));
  await clock.advance(INTERVAL_MS);
  expect(ofPorts([stub.port], (await gone).reading.value.engines)).toEqual([]);
});

test('between two looks only its requests are read, and a program that replaces it is identified at once', async () => {
  const stub = await startEngineStub({ kind: 'llama.cpp' });
  const port = Number(new URL(stub.url).port);
  const { clock, run: started } = runOf({ isEnabled: true, ports: [port] });
  await using run = started;
  await run.waitFor(isReading('engines'), 'from start');
  const identified = stub.requests.length;
  const second = run.waitFor(isReading('engines'));
  await clock.advance(INTERVAL_MS);
  await second;
  expect(stub.requests.slice(identified)).toEqual(['GET /props', 'GET /metrics']);
  await stub[Symbol.asyncDispose]();
  await using other = await startPageServer(ENGINE_PAGES.Ollama, { port });
  const third = run.waitFor(isReading('engines'));
  await clock.advance(INTERVAL_MS);
  expect(ofPorts([port], (await third).reading.value.engines)).toMatchObject([
    { engine: 'Ollama', origin: other.origin, models: [{ name: 'gemma3:4b' }] },
  ]);
});

test('an engine that could sleep is counted only while a client is connected', async () => {
  const pages = ENGINE_PAGES['llama.cpp'];
  await using stub = await startPageServer({
    ...pages,
    '/props': { ...pages['/props'], is_sleeping: false },
  });
  const { clock, run: started } = runOf({ isEnabled: true, ports: [stub.port] });
  await using run = started;
  const first = await run.waitFor(isReading('engines'), 'from start');
  expect(ofPorts([stub.port], first.reading.value.engines)).toMatchObject([{ requestsInFlight: 0 }]);
  expect(stub.requests.map(({ line }) => line)).not.toContain('GET /slots');
  const client = connect(stub.port, '127.0.0.1');
  await once(client, 'connect');
  const second = run.waitFor(isReading('engines'));
  await clock.advance(INTERVAL_MS);
  expect(ofPorts([stub.port], (await second).reading.value.engines)).toMatchObject([{ requestsInFlight: 1 }]);
  client.destroy();
});

test('what is not an engine has a reason and is left alone for a while, and switched off nothing is requested', async () => {
  await using site = await startPageServer({ '/': '<html>' });
  await using silent = await startPageServer({ '/v1/models': () => undefined });
  const settings = { isEnabled: true, ports: [site.port, silent.port] };
  const { clock, run: started } = runOf(settings);
  await using run = started;
  const { reading } = await run.waitFor(isReading('engines'), 'from start');
  const reasons = new Map(reading.value.others.map(({ origin, reason }) => [origin, reason]));
  expect(reasons.get(site.origin)).toBe('GET /v1/models returned status 404');
  expect(reasons.get(silent.origin)).toBe('no answer within 1000 ms');
  const requested = countOf(site, silent);
  const second = run.waitFor(isReading('engines'));
  await clock.advance(INTERVAL_MS);
  await second;
  expect(countOf(site, silent)).toBe(requested);
  settings.isEnabled = false;
  const off = run.waitUntil(({ kind }) => kind === 'absence');
  await clock.advance(INTERVAL_MS);
  await off;
});

test('where the system has no list of sockets, ports are tried, and an engine that has gone is missed soon', async () => {
  const stub = await startPageServer(ENGINE_PAGES.Ollama);
  const { clock, run: started } = runOf({ isEnabled: true, ports: [stub.port] }, NO_FILES);
  await using run = started;
  const { reading } = await run.waitFor(isReading('engines'), 'from start');
  expect(ofPorts([stub.port], reading.value.engines)).toMatchObject([
    { engine: 'Ollama', listensOn: { kind: 'unknown' } },
  ]);
  await stub[Symbol.asyncDispose]();
  const later = [run.waitFor(isReading('engines')), clock.advance(2 * INTERVAL_MS)];
  await Promise.all(later);
  const last = run.waitFor(isReading('engines'));
  await clock.advance(INTERVAL_MS);
  expect(ofPorts([stub.port], (await last).reading.value.engines)).toEqual([]);
});

test('facts of the model are read once, and a failure does not name a file', async () => {
  await using good = await startPageServer(ENGINE_PAGES.vLLM);
  await using bad = await startPageServer(ENGINE_PAGES.SGLang);
  await using ollama = await startPageServer(ENGINE_PAGES.Ollama);
  const read: string[] = [];
  const { clock, run: started } = runOf(
    { isEnabled: true, ports: [good.port, bad.port, ollama.port] },
    directoryFiles('/'),
    async (origin, model) => {
      read.push(`${origin} ${model}`);
      if (origin === bad.origin) throw new Error('/root/secret.gguf is not a model');
      return madeUpModel({ layers: 32, weightBytes: 4e9 });
    },
  );
  await using run = started;
  await run.waitFor(isReading('engines'), 'from start');
  const next = run.waitFor(isReading('engines'));
  await clock.advance(INTERVAL_MS);
  const { reading } = await next;
  const factsAt = (origin: string) => reading.value.engines.find(one => one.origin === origin)?.facts;
  expect(factsAt(good.origin)).toMatchObject({
    layers: 32,
    source: { kind: 'gguf', location: '' },
    notes: [],
  });
  expect(factsAt(bad.origin)).toMatchObject({
    reason: expect.stringMatching(/^the server reports neither a file/),
  });
  const ours = [good, bad].map(({ origin }) => origin);
  expect(read.filter(one => ours.some(origin => one.startsWith(origin))).toSorted()).toEqual(
    [`${good.origin} Qwen/Qwen3-32B`, `${bad.origin} qwen/qwen3-8b`].toSorted(),
  );
});

test('Ollama is asked once for the model in memory, by a POST that loads nothing', async () => {
  const model = {
    details: { quantization_level: 'Q4_K_M' },
    model_info: {
      'general.architecture': 'gemma3',
      'gemma3.context_length': 131_072,
      'tokenizer.ggml.tokens': null,
    },
    tensors: [{ name: 'blk.0.attn_k.weight', type: 'Q4_K', shape: [2_560, 1_024] }],
  };
  const list = { models: ['qwen3:32b', 'gemma3:4b'].map(name => ({ name, size: 3_338_801_804 })) };
  await using ollama = await startPageServer({
    ...ENGINE_PAGES.Ollama,
    '/api/tags': list,
    '/api/show': model,
  });
  const { clock, run: started } = runOf(
    { isEnabled: true, ports: [ollama.port] },
    directoryFiles('/'),
    async (origin, served, signal) => (await readModelAt(origin, { served, signal })).facts,
  );
  await using run = started;
  await run.waitFor(isReading('engines'), 'from start');
  const look = async () => {
    const next = run.waitFor(isReading('engines'));
    await clock.advance(INTERVAL_MS);
    return JSON.stringify(ofPorts([ollama.port], (await next).reading.value.engines));
  };
  while (!(await look()).includes('"contextMax":131072'));
  await look();
  const posts = ollama.requests.filter(({ line }) => !line.startsWith('GET '));
  expect(posts.map(({ line }) => line)).toEqual(['POST /api/show']);
});

const countOf = (...servers: readonly PageServer[]): number =>
  servers.reduce((sum, { requests }) => sum + requests.length, 0);
