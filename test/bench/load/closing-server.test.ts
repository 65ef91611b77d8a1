// A server over TLS that closes after each reply although it announces to keep the connection (llama-server), at 40 ms of round trip.

import { beforeAll, expect, test } from 'vitest';
import { ClosingServers } from '../../../src/bench/load/load-thread.ts';
import { type Certificate, makeCertificate } from '../../support/certificate.ts';
import { chunkedStream, STREAM } from '../target/reply-shapes.ts';
import { farTlsServer } from './far-tls-server.ts';
import { loadPlan } from './load-plan.ts';
import { runHere } from './run-here.ts';

let certificate: Certificate | undefined;
beforeAll(() => {
  certificate = makeCertificate();
});

const ahead = (run: Awaited<ReturnType<typeof runHere>>): number =>
  run.records.reduce(
    (sum, record) => sum + (record.kind === 'client.observed' ? record.connectionsAhead : 0),
    0,
  );

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

test.each([
  ['users', { pattern: { kind: 'concurrency', concurrency: 2 } }],
  [
    'arrivals',
    { pattern: { kind: 'constant', requestsPerSecond: 20 }, connections: { opened: 2, max: 100 } },
  ],
] as const)(
  'from the second close on no request of %s is written to a closing connection',
  async (_, load) => {
    if (certificate === undefined) return;
    await using server = await farTlsServer(chunkedStream(STREAM), {
      certificate,
      roundTripMs: 40,
      firstByteMs: 20,
    });
    const run = await runHere(
      loadPlan({
        host: '127.0.0.1',
        port: server.port,
        tls: { serverName: '', authorities: certificate.cert, isInsecure: false },
        limits: { samplesMax: 30, durationNs: undefined },
        ...load,
      }),
    );
    expect(run.samples.every(({ outcome }) => outcome === 'completed')).toBe(true);
    // Before it is known: two of each user's connections at most.
    expect(server.lostRequests).toBeLessThanOrEqual(4);
    expect(run.counts.stale).toBe(server.lostRequests);
    expect(server.requests).toHaveLength(30);
    expect(ahead(run)).toBeGreaterThan(15);
    const later = run.samples.toSorted((a, b) => a.sentNs - b.sentNs).slice(10);
    // No request waits for its handshake; `npm run bench -- closing-server` has the times.
    expect(median(later.map(({ connectNs }) => connectNs))).toBe(0);
  },
);

test('a connection that is opened in advance has no deadline of the request that it carried before', async () => {
  if (certificate === undefined) return;
  await using server = await farTlsServer(chunkedStream(STREAM), {
    certificate,
    roundTripMs: 60,
    firstByteMs: 60,
  });
  const totalMs = 400;
  const plan = loadPlan({
    host: '127.0.0.1',
    port: server.port,
    tls: { serverName: '', authorities: certificate.cert, isInsecure: false },
    limits: { samplesMax: 60, durationNs: undefined },
    pattern: { kind: 'constant', requestsPerSecond: 40 },
    connections: { opened: 2, max: 100 },
  });
  const run = await runHere({ ...plan, timeouts: { ...plan.timeouts, totalMs } });
  expect(run.samples.map(({ sampleId }) => sampleId).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, at) => at),
  );
  expect(run.samples.map(({ outcome }) => outcome)).toEqual(Array(60).fill('completed'));
});

test('of a load with a limit of connections none is opened ahead beyond it', async () => {
  if (certificate === undefined) return;
  await using server = await farTlsServer(chunkedStream(STREAM), {
    certificate,
    roundTripMs: 10,
    firstByteMs: 5,
  });
  const run = await runHere(
    loadPlan({
      host: '127.0.0.1',
      port: server.port,
      tls: { serverName: '', authorities: certificate.cert, isInsecure: false },
      limits: { samplesMax: 20, durationNs: undefined },
      pattern: { kind: 'concurrency', concurrency: 2 },
      connections: { opened: 2, max: 2, limit: 2 },
    }),
  );
  expect(run.samples).toHaveLength(20);
  expect(ahead(run)).toBe(0);
});

test('a target closes after its replies from the second close on, unless a connection is reused in between', () => {
  const closing = new ClosingServers();
  closing.closedAfterReply(0);
  closing.keptAfterReply(0);
  closing.closedAfterReply(0);
  expect(closing.closes(0)).toBe(false);
  closing.closedAfterReply(0);
  expect(closing.closes(0)).toBe(true);
  closing.keptAfterReply(0);
  expect(closing.closes(0)).toBe(true);
  expect(closing.closes(1)).toBe(false);
});
