// Files by the id of a hub: from a cache, and from a hub on loopback that breaks off, refuses, is slow and redirects.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { HubError } from '../../src/model/hub-download.ts';
import { hubFiles, parseHubId } from '../../src/model/hub-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const COMMIT = 'c'.repeat(40);
const ROWS = Buffer.from(Array.from({ length: 2_000 }, (_, at) => `{"prompt": "question ${at}"}\n`).join(''));
const SHA256 = createHash('sha256').update(ROWS).digest('hex');
const GIT_SHA1 = createHash('sha1').update(`blob ${ROWS.length}\0`).update(ROWS).digest('hex');

interface StartedServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly string[];
}

/** Lines of what was requested: "GET /path bytes=5- Bearer x". */
const serverOf = async (reply: RequestListener): Promise<StartedServer> => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    seen.push(
      [method, url, headers.range, headers.authorization].filter(part => part !== undefined).join(' '),
    );
    reply(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** A repository with one file, of which `content` sends the bytes. */
const hub =
  (
    content: (request: IncomingMessage, response: ServerResponse) => void,
    { names = ['README.md', 'data/train.jsonl'], bytes = ROWS.length } = {},
  ): RequestListener =>
  (request, response) => {
    if (request.url?.startsWith('/api/') === true) {
      const siblings = names.map(rfilename => ({ rfilename }));
      response.end(JSON.stringify({ sha: COMMIT, siblings }));
    } else if (request.method === 'HEAD') {
      response.writeHead(200, { etag: `"${GIT_SHA1}"`, 'content-length': bytes }).end();
    } else content(request, response);
  };

const whole: RequestListener = (_, response) => {
  response.end(ROWS);
};

interface Request {
  readonly env?: Readonly<Record<string, string>>;
  readonly revision?: string;
  readonly signal?: AbortSignal;
  readonly progress?: () => void;
}

const filesFrom = async (
  cache: string,
  url: string,
  {
    env = {},
    revision = 'main',
    signal = new AbortController().signal,
    progress = () => undefined,
  }: Request = {},
) =>
  await hubFiles(
    {
      id: 'org/rows',
      revision,
      path: undefined,
      kind: 'datasets',
      input: 'dataset',
      choose: () => ['data/train.jsonl'],
    },
    {
      env: { HF_HUB_CACHE: cache, HF_ENDPOINT: url, ...env },
      clock: systemClock,
      signal,
      progress,
    },
  );

const refusal = async (download: Promise<unknown>): Promise<HubError> => {
  const error: unknown = await download.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof HubError) return error;
  throw new Error(`no HubError: ${String(error)}`);
};

describe('a file that is not in the cache', () => {
  test('is downloaded once, into the layout of the cache, and is then read without the hub', async () => {
    using cache = temporaryDirectory();
    await using server = await serverOf(hub(whole));
    const files = await filesFrom(cache.path, server.url);
    expect(files).toMatchObject({ revision: COMMIT, names: ['data/train.jsonl'] });
    const path = join(files.folder, 'data', 'train.jsonl');
    expect(readFileSync(path)).toEqual(ROWS);
    expect(readlinkSync(path)).toBe(`../../../blobs/${GIT_SHA1}`);
    expect(readFileSync(join(cache.path, 'datasets--org--rows', 'refs', 'main'), 'utf8')).toBe(COMMIT);
    const requests = server.seen.length;
    expect(await filesFrom(cache.path, server.url)).toEqual(files);
    expect(await filesFrom(cache.path, 'http://127.0.0.1:9', { env: { HF_HUB_OFFLINE: '1' } })).toEqual(
      files,
    );
    expect(server.seen).toHaveLength(requests);
  });

  test('that breaks off is resumed where it ended', async () => {
    using cache = temporaryDirectory();
    const half = ROWS.length >> 1;
    // Only what was read before the connection breaks is here.
    let cut = (): unknown => undefined;
    await using server = await serverOf(
      hub((request, response) => {
        if (request.headers.range === undefined) {
          response.writeHead(200, { 'content-length': ROWS.length });
          response.write(ROWS.subarray(0, half));
          cut = () => response.destroy();
          return;
        }
        const from = Number(/\d+/.exec(request.headers.range)?.[0]);
        response.writeHead(206, { 'content-range': `bytes ${from}-${ROWS.length - 1}/${ROWS.length}` });
        response.end(ROWS.subarray(from));
      }),
    );
    const files = await filesFrom(cache.path, server.url, { progress: () => void cut() });
    expect(readFileSync(join(files.folder, 'data', 'train.jsonl'))).toEqual(ROWS);
    const ranges = server.seen.filter(line => line.includes('bytes='));
    expect(ranges).toHaveLength(1);
    expect(ranges[0]).toMatch(/bytes=\d+-$/);
  });

  test('starts again where a server sends the whole instead of the rest', async () => {
    using cache = temporaryDirectory();
    const blobs = join(cache.path, 'datasets--org--rows', 'blobs');
    mkdirSync(blobs, { recursive: true });
    writeFileSync(join(blobs, `${GIT_SHA1}.incomplete`), ROWS.subarray(0, 100));
    await using server = await serverOf(hub(whole));
    const files = await filesFrom(cache.path, server.url);
    expect(readFileSync(join(files.folder, 'data', 'train.jsonl'))).toEqual(ROWS);
    expect(server.seen.some(line => line.endsWith('bytes=100-'))).toBe(true);
  });

  test('with another digest is removed', async () => {
    using cache = temporaryDirectory();
    const other = Buffer.from(ROWS);
    other[7] = 0x20;
    await using server = await serverOf(hub((_, response) => void response.end(other)));
    const error = await refusal(filesFrom(cache.path, server.url));
    expect(error.problem.problem).toContain('hf:org/rows:data/train.jsonl is damaged');
    expect(existsSync(join(cache.path, 'datasets--org--rows', 'blobs', `${GIT_SHA1}.incomplete`))).toBe(
      false,
    );
  });

  test('that is too large is not requested', async () => {
    using cache = temporaryDirectory();
    await using server = await serverOf(hub(whole, { bytes: 300_000_000 }));
    const error = await refusal(filesFrom(cache.path, server.url));
    expect(error.problem.problem).toContain('more than 268435456');
    expect(server.seen.every(line => !line.startsWith('GET /datasets'))).toBe(true);
  });

  test('of which nothing arrives fails after a few tries, with how to go on', async () => {
    using cache = temporaryDirectory();
    await using server = await serverOf(hub((_, response) => response.destroy()));
    const error = await refusal(filesFrom(cache.path, server.url));
    expect(error.problem).toMatchObject({
      problem: expect.stringContaining('did not arrive'),
      advice: expect.stringContaining('the part that is here is kept'),
    });
    expect(server.seen.filter(line => line.startsWith('GET /datasets')).length).toBe(5);
  });

  test('of a slow hub ends as soon as the person stops it', async () => {
    using cache = temporaryDirectory();
    const stop = new AbortController();
    await using server = await serverOf(
      hub((_, response) => {
        response.writeHead(200, { 'content-length': ROWS.length });
        response.write(ROWS.subarray(0, 10), () => stop.abort(new Error('stopped')));
      }),
    );
    await expect(filesFrom(cache.path, server.url, { signal: stop.signal })).rejects.toThrow('stopped');
  });
});

describe('redirects', () => {
  test('lead to where the bytes are, and the token goes to the hub alone', async () => {
    using cache = temporaryDirectory();
    await using store = await serverOf(whole);
    await using server = await serverOf((request, response) => {
      if (request.url?.startsWith('/api/') === true) return hub(whole)(request, response);
      response
        .writeHead(302, {
          location: `${store.url}/bytes`,
          'x-linked-etag': `"${SHA256}"`,
          'x-linked-size': String(ROWS.length),
        })
        .end();
    });
    const files = await filesFrom(cache.path, server.url, { env: { HF_TOKEN: 'secret' } });
    expect(readFileSync(join(files.folder, 'data', 'train.jsonl'))).toEqual(ROWS);
    expect(server.seen.every(line => line.endsWith('Bearer secret'))).toBe(true);
    expect(store.seen).toEqual(['GET /bytes']);
  });

  test('without an end are refused', async () => {
    using cache = temporaryDirectory();
    await using server = await serverOf((request, response) => {
      response.writeHead(302, { location: request.url ?? '/' }).end();
    });
    expect((await refusal(filesFrom(cache.path, server.url))).problem.problem).toContain('more than 5 times');
  });
});

describe('a hub that refuses', () => {
  test.each([
    [401, 'HF_TOKEN', {}],
    [403, 'this token', { HF_TOKEN: 'secret' }],
    [404, 'has no hf:org/rows', {}],
    [500, 'does not list the files', {}],
  ])('with status %i is reported with what to do', async (status, part, env) => {
    using cache = temporaryDirectory();
    await using server = await serverOf((_, response) => {
      response.writeHead(status).end();
    });
    const { problem } = await refusal(filesFrom(cache.path, server.url, { env }));
    expect(`${problem.problem} ${problem.advice}`).toContain(part);
    expect(`${problem.problem} ${problem.advice}`).not.toContain('secret');
  });

  test('or that is not there is named, and so is HF_HUB_OFFLINE', async () => {
    using cache = temporaryDirectory();
    let url = '';
    {
      await using server = await serverOf(whole);
      ({ url } = server);
    }
    expect((await refusal(filesFrom(cache.path, url))).problem.problem).toContain('cannot be reached');
    const offline = await refusal(filesFrom(cache.path, url, { env: { HF_HUB_OFFLINE: 'yes' } }));
    expect(offline.problem.problem).toContain('HF_HUB_OFFLINE forbids');
  });

  test('has no file of that name', async () => {
    using cache = temporaryDirectory();
    await using server = await serverOf(hub(whole, { names: ['README.md'] }));
    const { problem } = await refusal(filesFrom(cache.path, server.url));
    expect(problem).toMatchObject({
      problem: 'hf:org/rows has no data/train.jsonl',
      advice: 'It has README.md.',
    });
  });
});

test.each([
  ['hf:org/name', { id: 'org/name', revision: 'main', path: undefined }],
  ['hf:gpt2', { id: 'gpt2', revision: 'main', path: undefined }],
  ['hf:org/name@v1.0:a/b.jsonl', { id: 'org/name', revision: 'v1.0', path: 'a/b.jsonl' }],
  ['hf:org/name@refs/convert/parquet', { id: 'org/name', revision: 'refs/convert/parquet', path: undefined }],
])('%s is an id', (text, id) => {
  expect(parseHubId(text)).toEqual({ kind: 'ok', value: id });
});

test.each([
  'hf:',
  'hf:/etc',
  'hf:a/b/c',
  'hf:org/..',
  'hf:org/name:../x',
  'hf:org/name@../x',
  'hf:org/na me',
])('%s is none', text => {
  expect(parseHubId(text)).toMatchObject({ kind: 'wrong' });
});
