// Sessions played by whole load generators against a server that keeps what it was asked.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { Session, Turn } from '../../../src/bench/dataset/session.ts';
import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { NO_REQUEST_FIELDS } from '../../../src/bench/target/request-fields.ts';
import { sessionBodies } from '../../../src/bench/target/session-bodies.ts';
import type { SessionPlaces } from '../../../src/core/run/run-shape.ts';
import { loadPlan } from '../load/load-plan.ts';
import { runLoad } from './run-load.ts';

interface Said {
  readonly role: string;
  readonly content: string;
}

interface Asking extends AsyncDisposable {
  readonly port: number;
  readonly asked: readonly (readonly Said[])[];
  readonly inFlightMax: number;
}

/**
 * Answers each request with its number and what could break a JSON text; refuses one that says FAIL. So many requests are held
 * back until as many are in flight, so that they are so at the same moment whatever the machine does.
 */
const askingServer = async (heldTogether = 0): Promise<Asking> => {
  const together = Promise.withResolvers<void>();
  if (heldTogether === 0) together.resolve();
  const asked: Said[][] = [];
  let inFlight = 0;
  let inFlightMax = 0;
  const server = createServer(async (request, response) => {
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const { messages }: { readonly messages: Said[] } = JSON.parse(Buffer.concat(parts).toString());
    const number = asked.push(messages);
    if (inFlight >= heldTogether) together.resolve();
    await together.promise;
    // Whatever has arrived by now is counted before this one is answered.
    await new Promise(resolve => setImmediate(resolve));
    inFlight -= 1;
    if (messages.at(-1)?.content.includes('FAIL') === true) {
      response.writeHead(500).end('{"error":{"message":"as asked"}}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const delta = (content: string): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    response.write(delta('"answer"\n'));
    response.write(delta(`${number} ✓`));
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    asked,
    get inFlightMax() {
      return inFlightMax;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

const turn = (text: string, more: Partial<Turn> = {}): Turn => ({
  after: [],
  delayMs: 0,
  continues: undefined,
  messages: [{ role: 'user', content: text }],
  maxTokens: 9,
  answer: { kind: 'live' },
  ...more,
});

const chat = (id: string, ...texts: readonly string[]): Session => ({
  id,
  startOffsetMs: undefined,
  turns: texts.map((text, index) =>
    index === 0 ? turn(text) : turn(text, { after: [index - 1], continues: index - 1, delayMs: 10 }),
  ),
});

const planOf = (
  port: number,
  sessions: readonly Session[],
  plan: Partial<LoadPlan> & { readonly places?: number; readonly placesOf?: SessionPlaces },
): LoadPlan => {
  const { places = 1, placesOf = 'sessions', ...more } = plan;
  const bodies = sessionBodies(sessions, {
    api: serverApi('chat'),
    model: 'm',
    isStreaming: true,
    noncePrefix: '0badcafe',
    fields: NO_REQUEST_FIELDS,
  });
  return loadPlan({
    host: '127.0.0.1',
    port,
    pattern: { kind: 'concurrency', concurrency: places },
    limits: { samplesMax: sessions.length, durationNs: undefined },
    sessions: { bodies, placesOf },
    warmupRequests: 0,
    connections: { opened: places, max: 32 },
    ...more,
  });
};

test('a turn carries the answers that really came, and starts its delay after the one before has ended', async () => {
  await using server = await askingServer();
  const told = await runLoad(planOf(server.port, [chat('a', 'one', 'two', 'three')], {}));
  expect(told.result).toMatchObject({ kind: 'complete', reasons: [] });
  const [first = [], , third = []] = server.asked;
  const nonce = first[0]?.content ?? '';
  expect(nonce).toMatch(/^\[0badcafe[0-9a-f]{8}\] one$/);
  expect(third).toEqual([
    { role: 'user', content: nonce },
    { role: 'assistant', content: '"answer"\n1 ✓' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: '"answer"\n2 ✓' },
    { role: 'user', content: 'three' },
  ]);
  const [one, two] = told.samples;
  expect(two?.intendedNs).toBe((one?.endNs ?? 0) + 10e6);
  expect(two?.sentNs).toBeGreaterThanOrEqual(two?.intendedNs ?? 0);
  expect(told.samples.map(({ turn: place }) => place)).toEqual(
    [0, 1, 2].map(index => ({ session: 0, turn: index, turns: 3 })),
  );
});

test('behind a turn that failed the rest is skipped, and every planned turn has one outcome', async () => {
  await using server = await askingServer();
  const sessions = Array.from({ length: 8 }, (_, index) =>
    chat(`s${index}`, 'a', index % 3 === 1 ? 'FAIL' : 'b', 'c', 'd'),
  );
  const told = await runLoad(planOf(server.port, sessions, { places: 3, threads: { load: 2, parse: 1 } }));
  const issued = told.samples.map(({ sampleId }) => sampleId);
  const skipped = told.skipped.map(({ sampleId }) => sampleId);
  expect([...issued, ...skipped].sort((a, b) => a - b)).toEqual([...Array(32).keys()]);
  expect(told.skipped).toHaveLength(6);
  expect(new Set(told.skipped.map(({ reason }) => reason))).toEqual(new Set(['turn-failed']));
  expect(told.records.filter(({ kind }) => kind === 'sample.skipped')).toHaveLength(6);
  expect(told.samples.filter(({ outcome }) => outcome === 'failed')).toHaveLength(3);
});

test('subagents run beside each other in one place, with caches of their own, and recorded answers are sent as they were', async () => {
  await using server = await askingServer();
  const agent: Session = {
    id: 'agent',
    startOffsetMs: undefined,
    turns: [
      turn('plan', { answer: { kind: 'recorded', text: 'as "recorded"' } }),
      turn('left', { after: [0] }),
      turn('right', { after: [0], cacheScope: 'session' }),
      turn('sum up', { after: [1, 2], continues: 0 }),
    ],
  };
  const told = await runLoad(planOf(server.port, [agent], {}));
  expect(told.samples.every(({ outcome }) => outcome === 'completed')).toBe(true);
  const [plan, ...subagents] = told.samples.toSorted((a, b) => a.sampleId - b.sampleId);
  expect(subagents.slice(0, 2).map(({ intendedNs }) => intendedNs)).toEqual([plan?.endNs, plan?.endNs]);
  const marks = server.asked.map(([message]) => message?.content.slice(0, 18));
  expect(marks[2]).not.toBe(marks[1]);
  expect(new Set(marks).size).toBe(2);
  expect(server.asked[3]?.slice(1)).toEqual([
    { role: 'assistant', content: 'as "recorded"' },
    { role: 'user', content: 'sum up' },
  ]);
});

test('places of requests are all used and never exceeded, whatever the number of sessions', async () => {
  await using server = await askingServer(2);
  const sessions = Array.from({ length: 10 }, (_, index) => chat(`s${index}`, 'a', 'b', 'c'));
  const told = await runLoad(planOf(server.port, sessions, { places: 2, placesOf: 'requests' }));
  expect(told.samples).toHaveLength(30);
  expect(server.inFlightMax).toBe(2);
});

test('at the end of the duration what was not begun is skipped', async () => {
  await using server = await askingServer();
  const told = await runLoad(
    planOf(server.port, [chat('a', ...Array(60).fill('more'))], {
      limits: { samplesMax: 1, durationNs: 150e6 },
    }),
  );
  expect(told.samples.length + told.skipped.length).toBe(60);
  expect(told.skipped.length).toBeGreaterThan(40);
  expect(told.skipped.every(({ reason }) => reason === 'run-ended')).toBe(true);
});

test('sessions arrive at their rate, and a stop leaves every planned turn with one outcome', async () => {
  await using server = await askingServer();
  const sessions = Array.from({ length: 5 }, (_, index) => chat(`s${index}`, 'a', 'b', 'c', 'd'));
  let ended = 0;
  const plan = planOf(server.port, sessions, {
    pattern: { kind: 'constant', requestsPerSecond: 100 },
    limits: { samplesMax: undefined, durationNs: 60e9 },
  });
  const told = await runLoad(plan, {
    onRecord: ({ kind }, generator) => {
      if (kind !== 'sample.complete') return;
      ended += 1;
      if (ended === 20) generator.stop();
    },
  });
  expect(told.result.kind).toBe('stopped');
  const begun = new Set([
    ...told.samples.map(({ turn: place }) => place?.session),
    ...told.skipped.map(({ session }) => session),
  ]);
  const all = [...told.samples, ...told.skipped].map(({ sampleId }) => sampleId).sort((a, b) => a - b);
  expect(all).toEqual([...Array(begun.size * 4).keys()]);
});
