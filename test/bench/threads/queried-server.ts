// A server that keeps what it was asked, in the shape of an API, and answers each request with its number and with what could
// break a JSON text. Load plans of sessions that ask it.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Session, Turn } from '../../../src/bench/dataset/session.ts';
import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { NO_REQUEST_FIELDS } from '../../../src/bench/target/request-fields.ts';
import { type SessionOptions, sessionBodies } from '../../../src/bench/target/session-bodies.ts';
import { isJsonObject } from '../../../src/core/json.ts';
import type { ConcurrencyUnit } from '../../../src/core/run/run-shape.ts';
import { loadPlan } from '../load/load-plan.ts';

/** How a server of an API writes an answer: a stream in its pieces, and a whole reply. */
export interface Dialect {
  readonly type: string;
  stream(pieces: readonly string[], id: string): string;
  whole(text: string, id: string): string;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly body: { readonly [key: string]: unknown };
}

export interface QueriedServer extends AsyncDisposable {
  readonly port: number;
  readonly requested: readonly ReceivedRequest[];
  readonly inFlightMax: number;
}

export const answerOf = (number: number): string => `"answer"\n${number} ✓`;

/**
 * Refuses a request that contains FAIL. Holds the first requests back until `heldTogether` are in flight, so that they overlap
 * on any machine, however busy it is.
 */
export const queriedServer = async (dialect: Dialect, overlapping = 0): Promise<QueriedServer> => {
  const together = Promise.withResolvers<void>();
  if (overlapping === 0) together.resolve();
  const requested: ReceivedRequest[] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  const server = createServer(async (request, response) => {
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const text = Buffer.concat(parts).toString();
    const body: unknown = JSON.parse(text);
    if (!isJsonObject(body)) throw new Error('no object');
    const number = requested.push({ path: request.url ?? '', body });
    if (inFlight >= overlapping) together.resolve();
    await together.promise;
    // Every request that has arrived by now is counted before the reply to this one.
    await new Promise(resolve => setImmediate(resolve));
    inFlight -= 1;
    if (text.includes('FAIL')) {
      response.writeHead(500).end('{"error":{"message":"as asked"}}');
      return;
    }
    const answer = answerOf(number);
    const cut = answer.indexOf('\n') + 1;
    if (body['stream'] === true) {
      response.writeHead(200, { 'content-type': dialect.type });
      response.end(dialect.stream([answer.slice(0, cut), answer.slice(cut)], `id-${number}`));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(dialect.whole(answer, `id-${number}`));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    requested,
    get inFlightMax() {
      return inFlightMax;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

const events = (...objects: readonly object[]): string =>
  objects.map(object => `data: ${JSON.stringify(object)}\n\n`).join('');

export const CHAT: Dialect = {
  type: 'text/event-stream',
  stream: pieces =>
    `${events(...pieces.map(content => ({ choices: [{ index: 0, delta: { content } }] })), {
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    })}data: [DONE]\n\n`,
  whole: content =>
    JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    }),
};

export const turn = (text: string, more: Partial<Turn> = {}): Turn => ({
  after: [],
  delayMs: 0,
  continues: undefined,
  messages: [{ role: 'user', content: text }],
  maxTokens: 9,
  answer: { kind: 'live' },
  ...more,
});

export const chat = (id: string, ...texts: readonly string[]): Session => ({
  id,
  startOffsetMs: undefined,
  turns: texts.map((text, index) =>
    index === 0 ? turn(text) : turn(text, { after: [index - 1], continues: index - 1, delayMs: 10 }),
  ),
});

export const sessionPlan = (
  port: number,
  sessions: readonly Session[],
  plan: Partial<LoadPlan> & {
    readonly slots?: number;
    readonly concurrencyOf?: ConcurrencyUnit;
    readonly session?: Partial<SessionOptions>;
  },
): LoadPlan => {
  const { slots = 1, concurrencyOf = 'sessions', session, ...more } = plan;
  const options: SessionOptions = {
    api: serverApi('chat'),
    model: 'm',
    isStreaming: true,
    noncePrefix: '0badcafe',
    fields: NO_REQUEST_FIELDS,
    ...session,
  };
  return loadPlan({
    host: '127.0.0.1',
    port,
    pattern: { kind: 'concurrency', concurrency: slots },
    limits: { samplesMax: sessions.length, durationNs: undefined },
    sessions: { bodies: sessionBodies(sessions, options), concurrencyOf },
    warmupRequests: 0,
    connections: { opened: slots, max: 32 },
    ...more,
  });
};
