// Requests that are sent faster than they are served: ahead on one connection, and on many at once.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { RequestTurns } from '../../../src/daemon/http/request-turns.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { bearer, closeOf, exchangeRaw, openSocket, sendRequest } from './http-exchange.ts';
import { identityFact, SELF, serveCluster, TOKEN } from './served-cluster.ts';

const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`;

describe('a connection on which requests are sent ahead', () => {
  test('gets one reply after the other, in their order', async () => {
    await using served = await serveCluster();
    const ended = get('/healthz', 'Connection: close\r\n');
    const replies = await exchangeRaw(served.port, get('/api/daemon') + get('/nothing') + ended);
    expect([...replies.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual([
      '200',
      '404',
      '200',
    ]);
  });

  test('has one reply in memory, however many requests wait for a reader that does not read', async () => {
    await using served = await serveCluster({ limits: { answersMax: 4 } });
    served.report(SELF, identityFact('x'.repeat(16 * 1024 * 1024)));
    const deaf = await openSocket(served.port);
    deaf.pause().write(get('/api/state').repeat(16));
    const status = async () => (await sendRequest({ port: served.port, path: '/api/daemon' })).status;
    // One reply waits of the four that may: more would have taken the other slots.
    for (let count = 0; count < 32; count += 1) expect(await status()).toBe(200);
    deaf.destroy();
  });

  test('has no more replies in memory than their bytes may have, with others whose readers do not read', async () => {
    await using served = await serveCluster({ limits: { answersBytesMax: 1024 * 1024 } });
    served.report(SELF, identityFact('x'.repeat(16 * 1024 * 1024)));
    const deaf = await openSocket(served.port);
    deaf.pause().write(get('/api/state'));
    const status = async (headers = {}) =>
      (await sendRequest({ port: served.port, path: '/api/daemon', headers })).status;
    while ((await status()) !== 503);
    expect(await status(bearer(TOKEN))).toBe(200);
    deaf.destroy();
  });

  test('is cut off past the limit of requests that wait', async () => {
    await using served = await serveCluster({ limits: { pipelinedMax: 4 } });
    const kept = await openSocket(served.port);
    kept.write(get('/api/daemon').repeat(5));
    expect(String(await new Promise(resolve => kept.once('data', resolve)))).toMatch(/^HTTP\/1\.1 200 /);
    kept.destroy();
    const cut = await openSocket(served.port);
    const closed = closeOf(cut.resume());
    cut.write(get('/api/daemon').repeat(6));
    await closed;
    expect((await sendRequest({ port: served.port, path: '/api/daemon' })).status).toBe(200);
  });
});

describe('requests without the token', () => {
  test('wait for their turns, and those of the owner and of health checks pass them', async () => {
    await using served = await serveCluster();
    // The daemon has accepted each before the requests that count are sent.
    const opened = async () => {
      const socket = await openSocket(served.port);
      const replied = new Promise(resolve => socket.once('data', resolve));
      socket.write(get('/healthz'));
      await replied;
      return socket;
    };
    const others = await Promise.all(Array.from({ length: 40 }, opened));
    const [owner, watch] = await Promise.all([opened(), opened()]);
    const replies: string[] = [];
    const replied = [
      ...others.map(socket => [socket, 'other'] as const),
      [owner, 'owner'] as const,
      [watch, 'watch'] as const,
    ].map(
      ([socket, of]) =>
        new Promise<void>(resolve => {
          socket.once('data', () => {
            replies.push(of);
            resolve();
          });
        }),
    );
    for (const socket of others) socket.write(get('/api/state'));
    owner.write(get('/api/state', `Authorization: ${bearer(TOKEN)['authorization']}\r\n`));
    watch.write(get('/healthz'));
    await Promise.all(replied);
    expect(replies.indexOf('owner')).toBeLessThan(20);
    expect(replies.indexOf('watch')).toBeLessThan(20);
    for (const socket of [...others, owner, watch]) socket.destroy();
  });

  test('have no more than half of the time: a pause follows that is as long as each took', async () => {
    const clock = new VirtualClock();
    await using turns = new RequestTurns({ clock, pipelinedMax: 4 });
    const served: string[] = [];
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      const serve = (): void => {
        served.push(path);
        if (path === '/dear') void clock.advance(300);
        response.end();
      };
      turns.add({ request, response, isAhead: path === '/owner', serve });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('it listens on a port');
    const reply = (path: string) =>
      sendRequest({ port: address.port, path, headers: { connection: 'close' } });
    await reply('/dear');
    const next = reply('/next');
    await reply('/owner');
    await clock.advance(299);
    expect(served).toEqual(['/dear', '/owner']);
    await clock.advance(1);
    await next;
    expect(served).toEqual(['/dear', '/owner', '/next']);
    server.close();
  });
});
