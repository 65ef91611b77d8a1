// A TLS server a round trip away that closes its connection after each reply without announcing it, as llama-server
// does. A relay delays bytes and ends in each direction equally; the TCP handshake with the relay itself takes no
// time.

import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import type { Certificate } from '../../support/certificate.ts';

interface FarServer extends AsyncDisposable {
  readonly port: number;
  /** In the order of their arrival: the number of their connection. */
  readonly requests: readonly number[];
  /** Requests that came on a connection behind the end of its only reply. */
  readonly lostRequests: number;
}

export const farTlsServer = async (
  reply: Buffer,
  {
    certificate,
    roundTripMs,
    firstByteMs,
  }: { readonly certificate: Certificate; readonly roundTripMs: number; readonly firstByteMs: number },
): Promise<FarServer> => {
  const requests: number[] = [];
  let lostRequests = 0;
  let connections = 0;
  const sockets = new Set<net.Socket>();
  const server = tls.createServer(certificate, socket => {
    const connection = connections;
    connections += 1;
    let replies = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', bytes => {
      if (!bytes.includes('POST ')) return;
      if (replies > 0) {
        lostRequests += 1;
        return;
      }
      replies += 1;
      requests.push(connection);
      setTimeout(() => {
        socket.write(reply);
        socket.end();
      }, firstByteMs);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const inside = portOf(server);
  const relay = net.createServer({ allowHalfOpen: true }, near => {
    const far = net.connect({ port: inside, host: '127.0.0.1', allowHalfOpen: true });
    delayed(near, far, roundTripMs / 2);
    delayed(far, near, roundTripMs / 2);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    port: portOf(relay),
    requests,
    get lostRequests() {
      return lostRequests;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = [server, relay].map(each => once(each, 'close'));
      server.close();
      relay.close();
      await Promise.all(closed);
    },
  };
};

const delayed = (from: net.Socket, to: net.Socket, ms: number): void => {
  from.on('data', bytes => setTimeout(() => to.destroyed || to.write(bytes), ms));
  from.on('end', () => setTimeout(() => to.destroyed || to.end(), ms));
  from.on('error', () => setTimeout(() => to.destroy(), ms));
  from.on('close', () => setTimeout(() => to.destroyed || to.end(), ms));
};

const portOf = (server: net.Server): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};
