// Requests to an HTTP server of this process without TCP: a million connections would use up the machine's ports, and most of the time
// would pass in the kernel. What Node's parser and everything behind it see is the same.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { get, IncomingMessage, Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

/** The server behind a port. Node passes it to a listener when a request starts. */
export const serverBehind = async (port: number): Promise<Server> => {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const look = (message: unknown): void => {
    if (typeof message !== 'object' || message === null) return;
    const server: unknown = Reflect.get(message, 'server');
    if (server instanceof Server) resolve(server);
  };
  subscribe(BEGINS, look);
  try {
    get({ port, host: '127.0.0.1', path: '/', agent: false }, response => response.resume()).on(
      'error',
      reject,
    );
    return await promise;
  } finally {
    unsubscribe(BEGINS, look);
  }
};

/** Bytes on a connection of their own: the first piece of the answer; '' where the connection was closed without one. */
export const answerOf = async (server: Server, bytes: Uint8Array): Promise<string> => {
  const [client, socket] = duplexPair();
  let reported = '';
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  Object.defineProperties(socket, {
    remoteAddress: { value: '127.0.0.1' },
    bytesWritten: { get: () => reported.length },
  });
  let isWhole = false;
  let first: unknown;
  const look = (message: unknown): void => {
    if (typeof message === 'object' && message !== null) first ??= Reflect.get(message, 'request');
  };
  subscribe(BEGINS, look);
  for (const side of [client, socket]) side.on('error', () => resolve()).on('close', resolve);
  client.on('data', (chunk: Buffer) => {
    reported += chunk.toString('latin1');
    resolve();
  });
  server.emit('connection', socket);
  client.write(bytes);
  for (let turns = 0; turns < TURNS && reported === '' && !isWhole; turns += 1) {
    await turn();
    isWhole = first instanceof IncomingMessage && first.complete;
  }
  // A whole request is answered before its client leaves, however long that takes: the watch over the thread waits for a minute.
  if (!isWhole) client.end();
  await answered;
  unsubscribe(BEGINS, look);
  client.destroy();
  socket.destroy();
  return reported;
};

const BEGINS = 'http.server.request.start';
/** In which bytes come from one end to the other and are parsed. */
const TURNS = 2;
