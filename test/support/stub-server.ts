// A small inference server that lists two models and replies to each completion as the test defines.

import { once } from 'node:events';
import http from 'node:http';

export type StubReply =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown }
  | {
      readonly kind: 'text';
      readonly status: number;
      readonly type: string;
      readonly body: string;
      readonly afterMs?: number;
    }
  | { readonly kind: 'stream'; readonly events: readonly unknown[]; readonly afterMs?: number };

interface StubServer extends AsyncDisposable {
  readonly url: string;
  readonly requestCount: number;
  /** Before each reply. */
  onRequest(received: () => void): void;
  /** With its connections, as a process that dies. */
  kill(): void;
}

/** @param reply by the number of the completion, from 0 */
export const stubServer = async (
  reply: (index: number) => StubReply,
  {
    models = [{ id: 'tiny' }, { id: 'large' }],
    port = 0,
  }: { readonly models?: readonly object[]; readonly port?: number } = {},
): Promise<StubServer> => {
  let requestCount = 0;
  let received = (): void => undefined;
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.method === 'GET') {
        const isList = request.url === '/v1/models';
        response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isList ? { object: 'list', data: models } : { detail: 'Not Found' }));
        return;
      }
      received();
      write(response, reply(requestCount++));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const kill = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    get requestCount() {
      return requestCount;
    },
    onRequest: listener => {
      received = listener;
    },
    kill,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      kill();
      await once(server, 'close');
    },
  };
};

const write = (response: http.ServerResponse, reply: StubReply): void => {
  switch (reply.kind) {
    case 'json':
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply.body));
      return;
    case 'text':
      response.writeHead(reply.status, { 'content-type': reply.type });
      setTimeout(() => response.end(reply.body), reply.afterMs ?? 0);
      return;
    case 'stream':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      setTimeout(() => {
        for (const event of reply.events) response.write(`data: ${JSON.stringify(event)}\n\n`);
        response.end('data: [DONE]\n\n');
      }, reply.afterMs ?? 0);
      return;
    default:
      reply satisfies never;
  }
};
