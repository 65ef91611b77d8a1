// A Unix socket in a folder, for tests of what is no file.

import { once } from 'node:events';
import { createServer } from 'node:net';

export const socketFile = async (path: string): Promise<AsyncDisposable & { readonly path: string }> => {
  const server = createServer();
  server.listen(path);
  await once(server, 'listening');
  return { path, [Symbol.asyncDispose]: () => new Promise(done => void server.close(() => done())) };
};
