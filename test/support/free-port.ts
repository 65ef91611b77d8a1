// For programs that take the number of a port and cannot report which one they got.

import { once } from 'node:events';
import { createServer } from 'node:net';

/** Free a moment ago: another program may take it before the one that it is for. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
};
