// A cable between two sockets that a test can cut: connections to it are forwarded; while it is cut nothing moves and
// neither end is notified.

import { connect, createServer, type Socket } from 'node:net';

export interface TcpCable extends AsyncDisposable {
  readonly port: number;
  cut(): void;
  heal(): void;
  /** Every connection is reset, and nobody is reached any more: the process behind it is gone. */
  breakOff(): void;
  readonly connectionCount: number;
}

export const tcpCable = async (sinkPort: number, host = '127.0.0.1'): Promise<TcpCable> => {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isBroken = false;
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    if (isCut) socket.pause();
  };
  const server = createServer({ allowHalfOpen: true }, near => {
    if (isBroken) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: sinkPort, host, allowHalfOpen: true });
    for (const [source, sink] of [
      [near, far],
      [far, near],
    ] as const) {
      hold(source);
      source.on('data', chunk => {
        if (!sink.write(chunk)) source.pause();
      });
      sink.on('drain', () => {
        if (!isCut) source.resume();
      });
      source.on('end', () => sink.end());
      source.on('close', () => {
        if (!isCut) sink.destroy();
      });
    }
  });
  await new Promise<void>(resolve => {
    server.listen(0, host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    heal: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    breakOff: () => {
      isBroken = true;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    get connectionCount() {
      return sockets.size / 2;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>(resolve => {
        server.close(() => resolve());
      });
    },
  };
};
