// The way by which a run reaches the daemon of its machine: the socket of the home, and TCP only where nobody listens on it.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DaemonAddress, DaemonRequests } from '../../../src/bench/announce/daemon-requests.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const REQUEST = { method: 'POST', path: '/api/runs', body: {} } as const;

const listeningOn = async (address: string | number) => {
  let requests = 0;
  const server = createServer((_request, reply) => {
    requests += 1;
    reply.writeHead(204).end();
  });
  if (typeof address === 'string') server.listen(address);
  else server.listen(address, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

test('a request goes over the socket, and over TCP where there is none or nobody listens on it', async () => {
  using folder = temporaryDirectory();
  const socket = join(folder.path, 'daemon.sock');
  const port = await freePort();
  const daemon = { url: `http://127.0.0.1:${port}`, token: 't' };
  await using tcp = await listeningOn(port);
  // Of another run each: a kept connection that is gone is no reason to send again.
  const sent = async (over: Pick<DaemonAddress, 'socket'>): Promise<number | undefined> => {
    const requests = new DaemonRequests();
    const status = await requests.send({ ...daemon, ...over }, REQUEST);
    requests.close();
    return status;
  };
  {
    await using unix = await listeningOn(socket);
    expect(await sent({ socket })).toBe(204);
    expect([unix.requests(), tcp.requests()]).toEqual([1, 0]);
  }
  expect(await sent({ socket })).toBe(204);
  expect(await sent({ socket: unknown('an older daemon') })).toBe(204);
  expect(tcp.requests()).toBe(2);
});

test('a request that may have been taken over the socket is not sent once more over TCP', async () => {
  using folder = temporaryDirectory();
  const socket = join(folder.path, 'daemon.sock');
  const port = await freePort();
  await using tcp = await listeningOn(port);
  const cutting = createServer(request => request.socket.destroy()).listen(socket);
  await once(cutting, 'listening');
  const requests = new DaemonRequests();
  const daemon = { url: `http://127.0.0.1:${port}`, token: 't', socket };
  expect(await requests.send(daemon, REQUEST)).toBeUndefined();
  expect(tcp.requests()).toBe(0);
  requests.close();
  cutting.close();
});
