// A benchmark that is started before its server.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

/** A port that nothing listens on now. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

test('waits for the server with --wait, and measures then', async () => {
  using folder = temporaryDirectory();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await using servers = new AsyncDisposableStack();
  const run = await benchHere(folder.path, [url, '--requests', '3', '--events', 'off', '--wait', '30s'], {
    during: async () => {
      servers.use(
        await spawnMock(
          { port, ttftMs: 20, gapMs: 1, outputTokens: 5 },
          { nodePath: process.execPath, env: process.env },
        ),
      );
    },
  });
  expect(run.exit).toBe('ok');
  expect(run.report().counts).toMatchObject({ completed: 3, failed: 0 });
});

test('gives up after --wait, and names the URL and the time', async () => {
  using folder = temporaryDirectory();
  const url = `http://127.0.0.1:${await freePort()}`;
  const run = await benchHere(folder.path, [url, '--requests', '3', '--wait', '300ms']);
  expect(run.exit).toBe('benchUnreachable');
  expect(run.stderr).toContain(`${url} did not answer within 0.3 s`);
  expect(run.stderr).toContain('--wait 10m');
});
