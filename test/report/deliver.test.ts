// What a receiver may do to the one that delivers: lead elsewhere, reply without an end or not at all, or request a pause.

import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { DELIVERY_ANSWER_MS_MAX, type Delivered, deliver } from '../../src/report/deliver.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const listening = async (server: Server) => {
  const sockets = new Set<Socket>();
  server.on('connection', socket => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    origin: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const replying = async (reply: RequestListener) => await listening(createHttpServer(reply));

const sent = async (url: string, clock = systemClock, untilMs = 30_000): Promise<Delivered> =>
  await deliver(new URL(url), {
    clock,
    signal: new AbortController().signal,
    body: Buffer.from('{}'),
    untilMs: clock.nowMs() + untilMs,
  });

test('a redirect is not followed, wherever it leads', async () => {
  let requests = 0;
  await using inner = await replying((_, reply) => {
    requests += 1;
    reply.end();
  });
  await using outer = await replying((_, reply) => {
    reply.writeHead(307, { location: `http://${inner.origin}/admin` }).end();
  });
  expect(await sent(`http://${outer.origin}/`)).toMatchObject({ kind: 'dropped', failure: 'status 307' });
  expect(requests).toBe(0);
});

test('a reply of any length counts by its status, and is not read beyond its limit', async () => {
  await using endless = await replying((_, reply) => {
    reply.writeHead(200);
    const part = Buffer.alloc(65_536);
    const more = (): void => {
      while (reply.write(part));
      reply.once('drain', more);
    };
    more();
  });
  expect(await sent(`http://${endless.origin}/`)).toEqual({ kind: 'taken', body: '' });
});

test('one that accepts a connection and never replies on TLS costs only its time', async () => {
  await using silent = await listening(createTcpServer());
  const clock = new VirtualClock();
  const server = silent.sockets;
  const delivered = sent(`https://${silent.origin}/`, clock, DELIVERY_ANSWER_MS_MAX);
  await expect.poll(() => server.size, { timeout: 30_000 }).toBe(1);
  await clock.advance(DELIVERY_ANSWER_MS_MAX);
  expect(await delivered).toMatchObject({ failure: 'no answer in time', isSilent: true });
});

test('a receiver that asks for a longer pause than any message waits is not tried again, however much time there is', async () => {
  await using busy = await replying((_, reply) => {
    reply.writeHead(503, { 'retry-after': '999999999' }).end();
  });
  const delivered = await sent(`http://${busy.origin}/`, systemClock, Number.POSITIVE_INFINITY);
  expect(delivered).toMatchObject({ failure: 'status 503', isSilent: true });
});

test('a receiver that asks for a pause is not tried again before, and the pause is reported', async () => {
  let requests = 0;
  await using busy = await replying((_, reply) => {
    requests += 1;
    reply.writeHead(429, { 'retry-after': '120' }).end();
  });
  expect(await sent(`http://${busy.origin}/`)).toEqual({
    kind: 'dropped',
    failure: 'status 429',
    isSilent: true,
    isBodyRefused: false,
    retryAfterMs: 120_000,
  });
  expect(requests).toBe(1);
});

test('what failed is named by its code, without the address', async () => {
  const gone = await replying(() => undefined);
  await gone[Symbol.asyncDispose]();
  const delivered = await sent(`http://${gone.origin}/hooks/secret`, systemClock, 100);
  expect(delivered).toMatchObject({ kind: 'dropped', failure: 'ECONNREFUSED' });
});
