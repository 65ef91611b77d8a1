// A server that replies to each completion as a test specifies, after it has read the whole request. To everything
// else it replies as a server with one model and no metrics.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject } from '../../../src/core/json.ts';

interface AnsweringServer extends AsyncDisposable {
  readonly url: string;
  /** Bodies of completions, in the order in which they came. */
  readonly requested: readonly JsonObject[];
}

export interface Completion {
  /** From 0. */
  readonly number: number;
  readonly path: string;
  readonly body: JsonObject;
  readonly response: ServerResponse;
}

export const answeringServer = async (
  answer: (completion: Completion) => void | Promise<void>,
): Promise<AnsweringServer> => {
  const requested: JsonObject[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    if (request.method !== 'POST') {
      const isList = request.url === '/v1/models';
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      response.end(isList ? '{"object":"list","data":[{"id":"stub","object":"model"}]}' : '{}');
      return;
    }
    const body: unknown = JSON.parse(Buffer.concat(parts).toString());
    if (!isJsonObject(body)) throw new Error('a request that is no object');
    const number = requested.push(body) - 1;
    await answer({ number, path: request.url ?? '', body, response });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requested,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** A stream of events, each written for itself; `tail` follows as it is. */
export const streamed = (response: ServerResponse, events: readonly (object | string)[], tail = ''): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events)
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  response.end(tail);
};

export const reported = (delta: object, index = 0): object => ({ choices: [{ index, delta }] });
export const finished = (reason: string, index = 0): object => ({
  choices: [{ index, delta: {}, finish_reason: reason }],
});
export const used = (input: number, output: number, more: object = {}): object => ({
  choices: [],
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...more },
});
