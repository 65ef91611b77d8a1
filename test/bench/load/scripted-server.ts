// A server that does what a test specifies, byte for byte: it receives requests and writes anything at any time.

import { once } from 'node:events';
import net from 'node:net';

interface ScriptedServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Requests received so far, as text. */
  readonly requests: readonly string[];
  readonly connectionCount: number;
}

interface SeenRequest {
  /** Of all requests, from 0. */
  readonly index: number;
  /** Of its connection, from 0. */
  readonly onConnection: number;
  readonly socket: net.Socket;
  readonly text: string;
}

interface ServerOptions {
  readonly host?: string;
  readonly listen?: (server: net.Server) => void;
  readonly createServer?: (onConnection: (socket: net.Socket) => void) => net.Server;
}

export const scriptedServer = async (
  respond: (request: SeenRequest) => void,
  { host = '127.0.0.1', createServer = onConnection => net.createServer(onConnection) }: ServerOptions = {},
): Promise<ScriptedServer> => {
  const requests: string[] = [];
  const sockets = new Set<net.Socket>();
  let connectionCount = 0;
  const server = createServer(socket => {
    connectionCount += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The other side may cut whenever it likes.
    socket.on('error', () => socket.destroy());
    let text = '';
    let onConnection = 0;
    socket.on('data', bytes => {
      text += bytes.toString('latin1');
      for (let size = requestSize(text); size > 0 && size <= text.length; size = requestSize(text)) {
        const request = text.slice(0, size);
        text = text.slice(size);
        requests.push(request);
        respond({ index: requests.length - 1, onConnection, socket, text: request });
        onConnection += 1;
      }
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    host,
    port: address.port,
    requests,
    get connectionCount() {
      return connectionCount;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const requestSize = (text: string): number => {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return 0;
  return end + 4 + Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
};
