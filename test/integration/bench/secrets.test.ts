// Secrets go to the server and nowhere else.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExitName } from '../../../src/cli/exit-codes.ts';
import { longCases } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

const SECRET = 'pl4nted-s3cret';

/** Replies to everything with an error that repeats the request, and records it. */
const echoServer = async (): Promise<{ readonly port: number; received(): string } & AsyncDisposable> => {
  let received = '';
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', chunk => {
      received += chunk;
      const lines = String(chunk)
        .split('\r\n')
        .filter(line => /authorization|x-team/i.test(line));
      const body = JSON.stringify({ error: { message: `I do not know you: ${lines.join(' ')}` } });
      socket.write(
        `HTTP/1.1 401 No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received: () => received,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

const everyByteIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())
    .map(path => `${path}\n${readFileSync(path, 'latin1')}`)
    .join('\n');

test.each([
  ['a key of the environment', [], { OPENAI_API_KEY: SECRET }, ''],
  ['a key file', ['--api-key-file', 'KEY'], {}, ''],
  ['a header', ['--header', `X-Team: ${SECRET}`], {}, ''],
  ['a header file', ['--header-file', 'HEADERS'], {}, ''],
  ['credentials of the URL', [], {}, `user:${SECRET}@`],
  ['a query of the URL', [], {}, '?'],
])('%s is sent, and written nowhere, though the server echoes it', async (_, options, env, credentials) => {
  using outside = temporaryDirectory();
  writeFileSync(join(outside.path, 'key'), `${SECRET}\n`);
  writeFileSync(join(outside.path, 'headers'), `# who asks\nX-Team: ${SECRET}\n`);
  await using server = await echoServer();
  const url =
    credentials === '?'
      ? `http://127.0.0.1:${server.port}/v1/chat/completions?key=${SECRET}`
      : `http://${credentials}127.0.0.1:${server.port}`;
  const words = options.map(word =>
    word.replace('KEY', join(outside.path, 'key')).replace('HEADERS', join(outside.path, 'headers')),
  );
  for (const [more, exit] of longCases([STOPPED_BY_WARMUP], [SENT_ALL_THE_SAME])) {
    using folder = temporaryDirectory();
    const args = [url, '--model', 'm', '--requests', '3', ...more, ...words];
    const run = await benchHere(folder.path, args, { env });
    expect(run.exit).toBe(exit);
    const encoded = Buffer.from(`user:${SECRET}`).toString('base64');
    expect(server.received().includes(SECRET) || server.received().includes(encoded)).toBe(true);
    expect(everyByteIn(folder.path)).toContain('I do not know you');
    for (const text of [everyByteIn(folder.path), run.stdout, run.stderr]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(encoded);
    }
  }
});

type Ending = readonly [more: readonly string[], exit: ExitName];
const STOPPED_BY_WARMUP: Ending = [[], 'benchStopped'];
const SENT_ALL_THE_SAME: Ending = [['--keep-going'], 'benchFailures'];

test('a proxy of the environment is named as ignored, without what is in it', async () => {
  using folder = temporaryDirectory();
  await using server = await echoServer();
  const run = await benchHere(
    folder.path,
    [`http://127.0.0.1:${server.port}`, '--model', 'm', '--requests', '1'],
    {
      env: { HTTP_PROXY: `http://me:${SECRET}@127.0.0.1:9`, NODE_USE_ENV_PROXY: '1' },
    },
  );
  expect(run.stderr).toContain('HTTP_PROXY is set and ignored');
  expect(run.stderr + run.stdout + everyByteIn(folder.path)).not.toContain(SECRET);
});
