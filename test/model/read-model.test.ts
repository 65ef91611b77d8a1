import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readModel } from '../../src/model/read-model.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { headerBytes } from './made-headers.ts';

const NEVER = new AbortController().signal;

describe('a model on disk', () => {
  test('is a file', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'llama.gguf');
    await writeFile(path, headerBytes('llama2-7b'));
    const facts = await readModel(path, NEVER);
    expect(facts).toMatchObject({
      architecture: 'llama',
      layers: 32,
      source: { kind: 'gguf', location: path },
    });
  });

  test('is all files that it was split into, and reports which one is missing', async () => {
    using folder = temporaryDirectory();
    const part = (number: number): string => join(folder.path, `m-0000${number}-of-00002.gguf`);
    await writeFile(part(1), headerBytes('llama2-7b'));
    await expect(readModel(part(1), NEVER)).rejects.toThrow(/m-00002-of-00002\.gguf.*there is no such file/);
    await writeFile(part(2), headerBytes('llama32-1b-tied'));
    const both = await readModel(folder.path, NEVER);
    const [whole, one, two] = [both, await bytesOf('llama2-7b'), await bytesOf('llama32-1b-tied')];
    expect(whole.weights).toMatchObject({ totalBytes: { low: one + two } });
  });

  test('is a folder with a config and its weights', async () => {
    using folder = temporaryDirectory();
    const model = join(folder.path, 'made-model');
    await mkdir(model);
    await writeFile(join(model, 'config.json'), JSON.stringify(CONFIG));
    const alone = await readModel(model, NEVER);
    expect(alone).toMatchObject({ name: 'made-model', source: { kind: 'config' } });
    await writeFile(join(model, 'model.safetensors'), oneTensor());
    const facts = await readModel(model, NEVER);
    expect(facts).toMatchObject({
      source: { kind: 'safetensors' },
      weights: { totalBytes: { low: 64 * 32 * 2 } },
    });
  });

  test('is a folder with more tensors than one call takes as arguments', async () => {
    using folder = temporaryDirectory();
    const tensors = Array.from({ length: 150_000 }, (_, index) => [
      `t${index}`,
      { dtype: 'BF16', shape: [1], data_offsets: [0, 2] },
    ]);
    await writeFile(join(folder.path, 'config.json'), JSON.stringify(CONFIG));
    await writeFile(join(folder.path, 'model.safetensors'), tensorFile(Object.fromEntries(tensors), 2));
    const facts = await readModel(folder.path, NEVER);
    expect(facts.weights).toMatchObject({ totalBytes: { low: 300_000 } });
  });

  test.each([
    ['nothing', async (path: string) => join(path, 'missing'), /there is no such file/],
    ['an empty folder', async (path: string) => path, /neither config\.json nor a \.gguf file/],
    [
      'a config that is no JSON',
      async (path: string) => {
        await writeFile(join(path, 'config.json'), '{');
        return path;
      },
      /not the config of a model/,
    ],
  ])('that is %s is refused in words', async (_, make, problem) => {
    using folder = temporaryDirectory();
    await expect(readModel(await make(folder.path), NEVER)).rejects.toThrow(problem);
  });
});

describe('a model behind HTTP', () => {
  const requested: string[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void = ranges;
  const server = createServer((request, response) => {
    requested.push(request.headers.range ?? 'all of it');
    answer(request, response);
  });
  let url = '';

  beforeEach(async () => {
    requested.length = 0;
    answer = ranges;
    await new Promise<void>(done => server.listen(0, '127.0.0.1', () => done()));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/m.gguf?key=secret`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise(done => server.close(done));
  });

  test('is read by ranges, and its address keeps no key', async () => {
    const facts = await readModel(url, NEVER);
    expect(facts).toMatchObject({ architecture: 'llama', layers: 32 });
    expect(JSON.stringify(facts)).not.toContain('secret');
    expect(requested[0]).toBe('bytes=0-0');
    expect(requested).not.toContain('all of it');
  });

  test.each([
    [
      'sends all of it',
      (_: IncomingMessage, response: ServerResponse) => response.end('GGUF'),
      /sends the whole file/,
    ],
    [
      'has it not',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(404).end(),
      /cannot be fetched: status 404/,
    ],
    [
      'does not report its length',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(206, { 'content-range': 'bytes 0-0/*' }).end('G'),
      /does not report how long the file is/,
    ],
    ['hangs up', (request: IncomingMessage) => request.socket.destroy(), /cannot be fetched/],
  ])('of a server that %s is refused in words', async (_, behaviour, problem) => {
    answer = behaviour;
    await expect(readModel(url, NEVER)).rejects.toThrow(problem);
  });

  test('follows a redirect within its host, and none to another host', async () => {
    const { port } = new URL(url);
    const leadTo = (location: string) => (request: IncomingMessage, response: ServerResponse) =>
      request.url?.startsWith('/moved') === true
        ? ranges(request, response)
        : response.writeHead(302, { location }).end();
    answer = leadTo('/moved.gguf');
    expect(await readModel(url, NEVER)).toMatchObject({ architecture: 'llama' });
    for (const location of [`http://localhost:${port}/moved.gguf`, 'http://169.254.169.254/latest/moved']) {
      requested.length = 0;
      answer = leadTo(location);
      await expect(readModel(url, NEVER)).rejects.toThrow(
        `redirects to another host, ${new URL(location).origin}, and is not followed there. If you trust that host, name it yourself: ${location}`,
      );
      expect(requested).toHaveLength(1);
    }
  });

  test('that is redirected in a circle is refused in words', async () => {
    answer = (_, response) => response.writeHead(302, { location: '/again.gguf' }).end();
    await expect(readModel(url, NEVER)).rejects.toThrow('it is redirected more than 3 times');
  });

  test('of a server that never answers ends when it is asked to', async () => {
    const stop = new AbortController();
    answer = () => stop.abort(new Error('stopped'));
    await expect(readModel(url, stop.signal)).rejects.toThrow('stopped');
  });
});

const ranges = (request: IncomingMessage, response: ServerResponse): void => {
  const bytes = headerBytes('llama2-7b');
  const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const part = bytes.subarray(Number(from), Number(to) + 1);
  response
    .writeHead(206, {
      'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`,
    })
    .end(part);
};

const bytesOf = async (name: string): Promise<number> => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'm.gguf');
  await writeFile(path, headerBytes(name));
  const { weights } = await readModel(path, NEVER);
  return 'totalBytes' in weights ? weights.totalBytes.low : 0;
};

const oneTensor = (): Uint8Array =>
  tensorFile(
    { 'model.embed_tokens.weight': { dtype: 'BF16', shape: [64, 32], data_offsets: [0, 4_096] } },
    4_096,
  );

const tensorFile = (tensors: object, dataBytes: number): Uint8Array => {
  const header = JSON.stringify(tensors);
  const bytes = new Uint8Array(8 + header.length + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(new TextEncoder().encode(header), 8);
  return bytes;
};

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
