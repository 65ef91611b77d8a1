// Another user of this machine takes everything that loopback gives without the token. What the owner does goes on.

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import { commandDaemon } from '../../support/command-daemon.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { bearer, closeOf, openSocket, sendRequest } from './http-exchange.ts';
import { identityFact, SELF, serveCluster, TOKEN } from './served-cluster.ts';

const STREAM = 'GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n';
const HALF = 'GET /api/state HTTP/1.1\r\nHost: local';

/** 256 streams that read nothing, then 700 connections that send half a head. */
const attack = async (port: number) => {
  const silent = await Promise.all(
    Array.from({ length: 256 }, async () => {
      const socket = await openSocket(port);
      const opened = new Promise(resolve => socket.once('data', resolve));
      socket.write(STREAM);
      await opened;
      return socket.pause();
    }),
  );
  const slow = await Promise.all(
    Array.from({ length: 700 }, async () => {
      const socket = await openSocket(port);
      socket.resume().write(HALF);
      return socket;
    }),
  );
  return {
    [Symbol.dispose]: () => {
      for (const socket of [...silent, ...slow]) socket.destroy();
    },
  };
};

describe('256 silent streams and 700 slow connections on loopback', () => {
  test('keep neither commands of the owner nor a page with the token from their answers', async () => {
    await using daemon = await commandDaemon();
    const { url, token } = JSON.parse(readFileSync(join(daemon.home, 'daemon.json'), 'utf8'));
    const port = Number(new URL(url).port);
    using _attack = await attack(port);
    const status = madeUpProcess(['status', '--home', daemon.home], { columns: 120 });
    expect([await status.run(), status.stderr.text]).toEqual([0, '']);
    expect(status.stdout.text).toMatch(/● atlas /);
    for (const path of ['/api/state', '/api/daemon', '/metrics'])
      expect([path, (await sendRequest({ port, path, headers: bearer(token) })).status]).toEqual([path, 200]);
    const socket = await openSocket(port);
    socket.write(STREAM.replace('\r\n\r\n', `\r\nAuthorization: Bearer ${token}\r\n\r\n`));
    const head = await new Promise<Buffer>(resolve => socket.once('data', resolve));
    expect(head.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    socket.destroy();
  });
});

describe('while others without the token take all of a kind', () => {
  test('a stream of theirs that reads nothing gives way within seconds', async () => {
    await using served = await serveCluster({ limits: { streamsMax: 1 } });
    const silent = await openSocket(served.port);
    silent.pause().write(STREAM);
    const wanted = async () => (await sendRequest({ port: served.port, path: '/api/daemon' })).body;
    for (let round = 0; !/"queuedBytes":[1-9]/.test(await wanted()); round += 1) {
      served.report(SELF, identityFact(`${round} `.padEnd(262_144, 'x')));
      await served.clock.advance(100);
    }
    const refused = await openSocket(served.port);
    refused.write(STREAM);
    expect(String(await new Promise(resolve => refused.once('data', resolve)))).toMatch(/^HTTP\/1\.1 503 /);
    await served.clock.advance(5_001);
    const next = await openSocket(served.port);
    next.write(STREAM);
    expect(String(await new Promise(resolve => next.once('data', resolve)))).toMatch(/^HTTP\/1\.1 200 /);
    await closeOf(silent.resume());
    for (const socket of [refused, next]) socket.destroy();
  });

  test('views of a fleet, the owner may have another one', async () => {
    await using served = await serveCluster();
    const statusOf = async (search: string, headers = '') => {
      const socket = await openSocket(served.port);
      socket.write(`GET /api/stream?view=links&q=${search} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
      const head = await new Promise<Buffer>(resolve => socket.once('data', resolve));
      sockets.push(socket);
      return Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString())?.[1]);
    };
    const sockets: Awaited<ReturnType<typeof openSocket>>[] = [];
    for (let view = 0; view < 64; view += 1) expect(await statusOf(`rack-${view}`)).toBe(200);
    expect(await statusOf('one-more')).toBe(503);
    expect(await statusOf('one-more', `Authorization: Bearer ${TOKEN}\r\n`)).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test('requests, the owner has a rate of their own', async () => {
    await using served = await serveCluster({ limits: { requestsPerSecondMax: 2 } });
    const statuses = async (headers = {}) =>
      (await sendRequest({ port: served.port, path: '/healthz', headers })).status;
    for (let count = 0; count < 4; count += 1) expect(await statuses()).toBe(200);
    expect(await statuses()).toBe(429);
    expect(await statuses(bearer(TOKEN))).toBe(200);
  });

  test('replies, one of theirs that nobody has read for seconds is cut off', async () => {
    await using served = await serveCluster({ limits: { answersMax: 1, requestsPerSecondMax: 10_000 } });
    served.report(SELF, identityFact('x'.repeat(16 * 1024 * 1024)));
    const deaf = await openSocket(served.port);
    deaf.pause().write('GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const status = async (headers = {}) =>
      (await sendRequest({ port: served.port, path: '/api/daemon', headers })).status;
    while ((await status()) !== 503);
    expect(await status(bearer(TOKEN))).toBe(200);
    await served.clock.advance(5_000);
    expect(await status()).toBe(200);
    deaf.destroy();
  });
});

test('of the whole state of a large cluster there are four streams without the token, and more with it or of a smaller cluster', async () => {
  await using served = await serveCluster();
  const reportNodes = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1)
      served.report(
        nodeId(`n${index}`.replace(/[0189]/g, digit => 'wxyz'['0189'.indexOf(digit)] ?? '').padEnd(26, 'a')),
        identityFact(`n${index}`),
      );
  };
  const opened: Socket[] = [];
  const headOf = async (header = '') => {
    const socket = await openSocket(served.port);
    opened.push(socket);
    socket.write(STREAM.replace('\r\n\r\n', `\r\n${header}\r\n`));
    return String(await new Promise(resolve => socket.once('data', resolve))).slice(0, 12);
  };
  reportNodes(0, 64);
  for (let count = 0; count < 5; count += 1) expect(await headOf()).toBe('HTTP/1.1 200');
  reportNodes(64, 65);
  expect(await headOf()).toBe('HTTP/1.1 503');
  expect(await headOf(`Authorization: Bearer ${TOKEN}\r\n`)).toBe('HTTP/1.1 200');
  for (const socket of opened) socket.destroy();
});
