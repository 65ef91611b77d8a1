import { createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { httpUrl } from '../../../src/daemon/http/host.ts';
import { HttpServerError } from '../../../src/daemon/http/listen.ts';
import { sendRequest } from './http-exchange.ts';
import { serveCluster } from './served-cluster.ts';

describe('a port', () => {
  test('that is a default and taken gives the next free one, reported in a line', async () => {
    await using taken = await takePort();
    await using served = await serveCluster({ port: taken.port, isExplicitPort: false });
    expect(served.port).toBeGreaterThan(taken.port);
    expect(served.notice).toMatchObject({
      code: 'http-port-taken',
      problem: `HTTP port ${taken.port} is taken; using ${served.port}.`,
    });
    expect((await sendRequest({ port: served.port, path: '/healthz' })).status).toBe(200);
  });

  test('that a person asked for and is taken is an error that reports what to do', async () => {
    await using taken = await takePort();
    const error = await failureOf(serveCluster({ port: taken.port, isExplicitPort: true }));
    expect(error.problem).toEqual({
      code: 'port-taken',
      host: '127.0.0.1',
      port: taken.port,
      problem: `Port ${taken.port} of 127.0.0.1 is taken by another program.`,
      advice: 'Stop it, or choose another port with --http 127.0.0.1:PORT.',
    });
  });

  test('that is free is used without a word', async () => {
    await using served = await serveCluster({ port: 0 });
    expect(served.notice).toBeUndefined();
  });
});

test.each(['203.0.113.77', '2001:db8::77', 'no-such-name.invalid'])(
  '%s is no address of this machine',
  async host => {
    expect((await failureOf(serveCluster({ host }))).code).toBe('address-unavailable');
  },
);

test('a server that never listened closes', async () => {
  await using taken = await takePort();
  const error = await failureOf(serveCluster({ port: taken.port }));
  expect(error).toBeInstanceOf(HttpServerError);
});

test('IPv6 loopback is loopback, and its URL has brackets', async context => {
  let served: Awaited<ReturnType<typeof serveCluster>>;
  try {
    served = await serveCluster({ host: '::1' });
  } catch {
    return context.skip('this machine has no IPv6 loopback');
  }
  await using kept = served;
  expect(httpUrl({ host: '::1', port: kept.port })).toBe(`http://[::1]:${kept.port}`);
  expect((await fetch(`${httpUrl({ host: '::1', port: kept.port })}/api/state`)).status).toBe(200);
});

const failureOf = async (work: Promise<AsyncDisposable>): Promise<HttpServerError> => {
  try {
    await using _unwanted = await work;
  } catch (error) {
    if (error instanceof HttpServerError) return error;
    throw error;
  }
  throw new Error('it listens');
};

const takePort = async (): Promise<AsyncDisposable & { readonly port: number }> => {
  const server: Server = createServer();
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        server.close(() => resolve());
      }),
  };
};
