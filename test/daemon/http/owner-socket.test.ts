// The Unix socket in the home: who may use it, what it replaces, and what happens where there can be none.

import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { bearer, closeOf, sendRequest } from './http-exchange.ts';
import { serveCluster, TOKEN } from './served-cluster.ts';

const statusOver = (socketPath: string, path: string, method = 'GET', headers = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, method, headers, agent: false }, answer => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end();
  });

describe('the socket of the owner', () => {
  test('has the mode 0600, is alone in its folder, and is gone with the daemon', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'daemon.sock');
    {
      await using served = await serveCluster();
      expect(await served.server.listenForOwner(path)).toBe(path);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder.path)).toEqual(['daemon.sock']);
    }
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('reads without the token where TCP needs it, and changes nothing without it', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'daemon.sock');
    await using served = await serveCluster({ host: '0.0.0.0' });
    await served.server.listenForOwner(path);
    expect((await sendRequest({ port: served.port, path: '/api/state' })).status).toBe(401);
    expect(await statusOver(path, '/api/state')).toBe(200);
    expect(await statusOver(path, '/api/access/one-time-code', 'POST')).toBe(401);
    expect(await statusOver(path, '/api/access/one-time-code', 'POST', bearer(TOKEN))).toBe(201);
  });

  test('replaces the one that a killed daemon left', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'daemon.sock');
    const killed = createServer().listen(path);
    await using served = await serveCluster();
    expect(await served.server.listenForOwner(path)).toBe(path);
    expect(await statusOver(path, '/healthz')).toBe(200);
    killed.close();
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, 'mine'), 'is not a socket'],
    ['a folder', (path: string) => mkdirSync(path), 'is not a socket'],
  ])('leaves %s of its name alone, and reports it', async (_, occupy, reason) => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'daemon.sock');
    occupy(path);
    await using served = await serveCluster();
    const reported = await served.server.listenForOwner(path);
    expect(isUnknown(reported) && reported.reason).toContain(reason);
    expect(existsSync(path)).toBe(true);
  });

  test('is not made where its path is longer than the system allows, and TCP goes on', async () => {
    using folder = temporaryDirectory();
    const deep = join(folder.path, 'x'.repeat(120));
    mkdirSync(deep);
    await using served = await serveCluster();
    const reported = await served.server.listenForOwner(join(deep, 'daemon.sock'));
    expect(isUnknown(reported) && reported.reason).toMatch(
      /^its path would have \d+ bytes, and the system allows 10[37]$/,
    );
    expect(readdirSync(deep)).toEqual([]);
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
  });

  test('has so many connections at most, and closes those beyond', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'daemon.sock');
    await using served = await serveCluster({ limits: { connectionsOwnerMax: 2 } });
    await served.server.listenForOwner(path);
    const sockets = [connect(path), connect(path)];
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))));
    const extra = connect(path).on('error', () => undefined);
    await closeOf(extra.resume());
    for (const socket of sockets) socket.destroy();
  });
});
