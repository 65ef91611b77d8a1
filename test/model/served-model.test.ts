// Servers as the source of a model's facts: stand-ins that answer in the shapes of Ollama, llama.cpp, vLLM and SGLang, and some
// that mean no good.

import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelFacts } from '../../src/core/model/model-facts.ts';
import { isUnknown } from '../../src/core/unknown.ts';
import { readModelAt } from '../../src/model/read-model.ts';
import type { ServersModel } from '../../src/model/server/servers-model.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { headerBytes, madeFacts, madeHeader } from './made-headers.ts';

type Answer = unknown | ((request: IncomingMessage, response: ServerResponse) => void);

let answers: Readonly<Record<string, Answer>> = {};
let url = '';
const server = createServer((request, response) => {
  const answer = answers[(request.url ?? '').replace(/\?.*/, '')];
  if (answer === undefined) response.writeHead(404).end('{}');
  else if (typeof answer === 'function') answer(request, response);
  else if (typeof answer === 'string') response.end(answer);
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});
beforeEach(async () => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', () => done()));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise(done => server.close(done));
});

const read = (served?: string, hub?: string): Promise<ServersModel> =>
  readModelAt(`${url}/v1/?key=secret`, { served, hub, signal: AbortSignal.timeout(60_000) });

const structure = ({ architecture, layers, hiddenSize, weights, cache, experts }: ModelFacts): unknown => ({
  architecture,
  layers,
  hiddenSize,
  weights,
  cache,
  experts: experts === undefined || isUnknown(experts) ? experts : { ...experts, layers: 0 },
});

describe('a model of Ollama', () => {
  test.each(['qwen3-30b-a3b', 'gemma3-27b', 'deepseek-v3', 'nemotron-h-8b'])(
    'has the facts of its file, %s, from metadata and tensors',
    async name => {
      answers = await ollama(name, { hasTensors: true });
      const { facts, engine } = await read();
      expect(engine).toBe('llama.cpp');
      expect(structure(facts)).toEqual(structure(await madeFacts(name)));
      expect(JSON.stringify(facts)).not.toContain('secret');
      expect(facts.notes).toContain(
        'only 60 % of it is in GPU memory now: the rest runs on the processor, which makes it slower than any figure here',
      );
    },
  );

  test('on a machine without a GPU runs on the processor, and is in no share of GPU memory', async () => {
    const loaded = { name: 'made:latest', model: 'made:latest', size: 100, size_vram: 0 };
    answers = { ...(await ollama('llama3-8b', { hasTensors: true })), '/api/ps': { models: [loaded] } };
    const { facts } = await read();
    expect(facts.notes).toContain('no part of it is in GPU memory now: it runs on the processor');
  });

  test.each(['llama3-8b', 'llama32-1b-tied', 'qwen25-7b', 'qwen3-30b-a3b'])(
    'without its tensors has an interval around the facts of %s, and reports it',
    async name => {
      const exact = await madeFacts(name);
      answers = await ollama(name, { hasTensors: false });
      const { facts } = await read();
      expect(facts.cache).toEqual(exact.cache);
      expect(facts.notes).toContainEqual(expect.stringContaining('does not report its tensors'));
      if (isUnknown(exact.weights)) throw new Error('the file has weights');
      if (isUnknown(facts.weights)) throw new Error(facts.weights.reason);
      for (const part of ['totalBytes', 'denseBytes', 'expertBytes'] as const) {
        expect(facts.weights[part].low).toBeLessThanOrEqual(exact.weights[part].low * 1.001);
        expect(facts.weights[part].high).toBeGreaterThanOrEqual(exact.weights[part].high * 0.999);
      }
    },
  );

  test('with states in some blocks keeps its cache unknown where no tensor reports which', async () => {
    answers = await ollama('nemotron-h-8b', { hasTensors: false });
    expect((await read()).facts.cache).toMatchObject({ kind: 'unknown' });
  });

  test('that is one of several has to be named', async () => {
    const one = await ollama('llama3-8b', { hasTensors: true });
    const models = [{ name: 'made:latest' }, { name: 'other:8b' }];
    answers = { ...one, '/api/ps': { models: [] }, '/api/tags': { models } };
    await expect(read()).rejects.toThrow(/has 2 models.*/);
    expect((await read('made')).facts).toMatchObject({ name: 'made:latest', layers: 32 });
    await expect(read('third')).rejects.toThrow(/no model "third"/);
  });
});

describe('a model of llama-server', () => {
  test('has the facts of the file that it reports it has loaded, where that is on this machine', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'llama.gguf');
    await writeFile(path, headerBytes('llama3-8b'));
    answers = llama(path);
    const { facts, engine } = await read();
    expect(engine).toBe('llama.cpp');
    expect(structure(facts)).toEqual(structure(await madeFacts('llama3-8b')));
    expect(facts.notes).toContain('it has 4 slots of 8\u00a0192 tokens');
  });

  test('has its size alone, and unknown structure, where the file is not to be had', async () => {
    answers = llama('/models/not-here.gguf');
    const { facts } = await read();
    expect(facts).toMatchObject({
      layers: { kind: 'unknown' },
      cache: { kind: 'unknown' },
      hiddenSize: 4_096,
      contextMax: 131_072,
      weights: { totalBytes: { low: 4_920_000_000 } },
    });
    expect(facts.notes).toContainEqual(expect.stringContaining('cannot be read from here'));
  });

  test('that is still loading is described without what it does not report yet', async () => {
    answers = { ...llama('/x.gguf'), '/v1/models': { data: [{ id: 'x', meta: null }] } };
    expect((await read()).facts.weights).toMatchObject({ kind: 'unknown' });
  });
});

describe('a model of vLLM or SGLang', () => {
  test('has the config of the folder that vLLM serves, and what its cache holds', async () => {
    using folder = temporaryDirectory();
    const model = join(folder.path, 'made');
    await mkdir(model);
    await writeFile(join(model, 'config.json'), JSON.stringify(CONFIG));
    answers = {
      '/v1/models': {
        data: [{ id: 'served', object: 'model', owned_by: 'vllm', root: model, max_model_len: 32_768 }],
      },
      '/metrics': `# HELP vllm:cache_config_info x\nvllm:cache_config_info{block_size="16",cache_dtype="fp8",num_gpu_blocks="4000"} 1.0\n`,
    };
    const { facts, engine } = await read();
    expect(engine).toBe('vllm');
    expect(facts).toMatchObject({ name: 'served', layers: 2, source: { kind: 'server', location: url } });
    expect(facts.notes).toContain('its cache holds 64\u00a0000 tokens of all requests together');
    expect(facts.notes).toContain('type of its cache: fp8');
  });

  test.each([
    ['the id that vLLM serves', { id: 'Qwen/Qwen3-8B', owned_by: 'vllm', root: 'Qwen/Qwen3-8B' }],
    ['the id behind a name of its own', { id: 'qwen', owned_by: 'vllm', root: 'Qwen/Qwen3-8B' }],
  ])("has the config of %s from the hub's cache of this machine", async (_, entry) => {
    using hub = temporaryDirectory();
    const snapshot = join(hub.path, 'models--Qwen--Qwen3-8B', 'snapshots', 'c'.repeat(40));
    await mkdir(snapshot, { recursive: true });
    await writeFile(join(snapshot, 'config.json'), JSON.stringify(CONFIG));
    answers = { '/v1/models': { data: [{ object: 'model', ...entry }] } };
    const { facts } = await read(undefined, hub.path);
    expect(facts).toMatchObject({ name: entry.id, layers: 2 });
    expect(facts.notes).toContain(
      `layers, cache and tensors are those of Qwen/Qwen3-8B in the hub's cache of this machine, ${snapshot}`,
    );
    const { facts: without } = await read();
    expect(isUnknown(without.layers)).toBe(true);
  });

  test('of which only a name is reported has no structure, and notes where to get it', async () => {
    answers = {
      '/v1/models': { data: [{ id: 'Qwen/Qwen3-32B', owned_by: 'sglang', max_model_len: 40_960 }] },
      '/get_server_info': {
        model_path: 'Qwen/Qwen3-32B-FP8',
        tp_size: 2,
        kv_cache_dtype: 'auto',
        max_total_num_tokens: 180_000,
      },
    };
    const { facts, engine } = await read();
    expect(engine).toBe('sglang');
    expect(facts).toMatchObject({
      contextMax: 40_960,
      layers: { kind: 'unknown' },
      weights: { kind: 'unknown' },
    });
    expect(facts.notes).toContain('it runs on 2 devices (tensor parallel)');
    expect(facts.notes).toContainEqual(
      expect.stringContaining('config.json contains what the server does not report'),
    );
  });
});

describe('a server that means no good', () => {
  const endless = (_: IncomingMessage, response: ServerResponse): void => {
    const part = Buffer.alloc(1 << 20, 'a');
    const more = (): void => {
      while (!response.destroyed && response.write(part));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  test.each<readonly [string, Readonly<Record<string, Answer>>, RegExp]>([
    ['never ends its answer', { '/v1/models': endless }, /more than 33554432 bytes/],
    [
      'leads elsewhere',
      {
        '/v1/models': (_: IncomingMessage, response: ServerResponse) =>
          response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      },
      /leads elsewhere \(status 302\)/,
    ],
    ['answers a page', { '/v1/models': '<html>' }, /answers no JSON object/],
    ['answers a list', { '/v1/models': [1, 2] }, /answers no JSON object/],
    ['answers other types', { '/v1/models': { data: 'many' } }, /has no list/],
    ['has models that are none', { '/v1/models': { data: [null, 1, [], { id: 7 }] } }, /has no model/],
    [
      'hangs up',
      { '/v1/models': (request: IncomingMessage) => request.socket.destroy() },
      /is no server of a model/,
    ],
  ])('and %s is refused in words', async (_, behaviour, problem) => {
    answers = behaviour;
    await expect(read()).rejects.toThrow(problem);
  });

  test('and reports Ollama figures of wrong types gives nothing that was not reported', async () => {
    answers = {
      '/api/tags': { models: [{ name: 'm', size: 'large' }] },
      '/api/ps': { models: 'none' },
      '/api/show': {
        details: [],
        model_info: {
          'general.architecture': 'llama',
          'llama.block_count': -3,
          'llama.embedding_length': 1e300,
        },
        tensors: [{ name: 'a', type: 'F16', shape: [1e200, 1e200] }, { name: 1 }, null],
      },
    };
    const { facts } = await read();
    expect(facts).toMatchObject({ layers: { kind: 'unknown' }, weights: { kind: 'unknown' } });
  });

  test('and sends us to files of this machine that are no models is not followed to them', async () => {
    answers = llama('/etc/hostname');
    const { facts } = await read();
    expect(facts.layers).toMatchObject({ kind: 'unknown' });
  });

  test('and sends us to a pipe or a device of this machine does not make us wait for it', async () => {
    for (const path of ['/dev/zero', '/dev/tty', '/proc/self/fd/0']) {
      answers = llama(path);
      expect((await read()).facts.layers).toMatchObject({ kind: 'unknown' });
    }
  });

  test('ends when it is asked to', async () => {
    const stop = new AbortController();
    answers = { '/api/tags': () => stop.abort(new Error('stopped')) };
    await expect(readModelAt(url, { signal: stop.signal })).rejects.toThrow('stopped');
  });
});

/** The answers of Ollama for a model whose file has this header. */
const ollama = async (
  name: string,
  { hasTensors }: { readonly hasTensors: boolean },
): Promise<Readonly<Record<string, Answer>>> => {
  const { metadata, tensors } = await madeHeader(name);
  const weights = tensors.reduce((sum, tensor) => sum + tensor.weights, 0);
  const size = tensors.reduce((sum, tensor) => sum + tensor.bytes, 0);
  const model_info = {
    ...Object.fromEntries([...metadata].map(([key, value]) => [key, isSkipped(value) ? null : value])),
    'general.parameter_count': weights,
    'qwen3moe.expert_feed_forward_length': 768,
  };
  return {
    '/api/tags': { models: [{ name: 'made:latest', model: 'made:latest', size, digest: 'x' }] },
    '/api/ps': {
      models: [
        { name: 'made:latest', model: 'made:latest', size: 100, size_vram: 60, context_length: 4_096 },
      ],
    },
    '/api/show': {
      details: { format: 'gguf', family: 'x', quantization_level: 'Q4_K_M' },
      model_info,
      ...(hasTensors
        ? {
            tensors: tensors.map(({ name: tensor, typeName, shape }) => ({
              name: tensor,
              type: typeName,
              shape,
            })),
          }
        : {}),
    },
  };
};

const isSkipped = (value: unknown): boolean => typeof value === 'object' && value !== null && 'kind' in value;

const llama = (path: string): Readonly<Record<string, Answer>> => ({
  '/v1/models': {
    object: 'list',
    data: [
      {
        id: path,
        object: 'model',
        owned_by: 'llamacpp',
        meta: {
          vocab_type: 2,
          n_vocab: 128_256,
          n_ctx_train: 131_072,
          n_embd: 4_096,
          n_params: 8_030_000_000,
          size: 4_920_000_000,
        },
      },
    ],
  },
  '/props': {
    default_generation_settings: { n_ctx: 8_192 },
    total_slots: 4,
    model_path: path,
    build_info: 'b6765-f9fb33f2',
  },
});

const CONFIG = {
  model_type: 'llama',
  hidden_size: 32,
  intermediate_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 64,
  tie_word_embeddings: true,
};
