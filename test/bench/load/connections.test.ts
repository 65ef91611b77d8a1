import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { SocketDialer } from '../../../src/bench/target/http1/dialer.ts';
import { isClosedBeforeReceipt, NO_READ } from '../../../src/bench/target/http1/reply-deadlines.ts';
import { requestBodies } from '../../../src/bench/target/request-bodies.ts';
import { LOOP_TIMERS } from '../../../src/clock/loop-timers.ts';
import { chunkedStream, events, reply, STREAM } from '../target/reply-shapes.ts';
import { loadPlan } from './load-plan.ts';
import { runHere } from './run-here.ts';
import { scriptedServer } from './scripted-server.ts';

const GOOD = chunkedStream(STREAM);
const samplesMax = (count: number) => ({ limits: { samplesMax: count, durationNs: undefined } });
const outcomes = (
  samples: readonly { readonly outcome: string; readonly failure: { readonly kind: string } | undefined }[],
) => samples.map(({ outcome, failure }) => failure?.kind ?? outcome);

test('one connection carries one request after the other', async () => {
  await using server = await scriptedServer(({ socket }) => socket.write(GOOD));
  const run = await runHere(loadPlan({ ...server, ...samplesMax(5) }));
  expect(outcomes(run.samples)).toEqual(Array(5).fill('completed'));
  expect(server.connectionCount).toBe(1);
  expect(run.counts).toEqual({ opened: 1, reused: 4, closed: 1, stale: 0 });
});

test('each prompt has its nonce, and the request contains what a server expects', async () => {
  await using server = await scriptedServer(({ socket }) => socket.write(GOOD));
  const headers = [{ name: 'authorization', value: 'Bearer key' }];
  await runHere(loadPlan({ ...server, ...samplesMax(2), headers }));
  expect(server.requests[0]).toMatch(
    /^POST \/v1\/chat\/completions HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/,
  );
  expect(server.requests[0]).toContain('\r\naccept-encoding: identity\r\n');
  expect(server.requests[0]).toContain('\r\nauthorization: Bearer key\r\n');
  const nonces = server.requests.map(request => /0badcafe[0-9a-f]{8}/.exec(request)?.[0]);
  expect(nonces).toEqual(['0badcafe00000000', '0badcafe00000001']);
});

test.each([
  ['one prompt', ['one']],
  ['prompts of one length', ['one', 'two']],
  ['prompts of several lengths', ['one', 'second', '3']],
])('each sample of %s sends its own, independent of what its connection sent before', async (_, contents) => {
  await using server = await scriptedServer(({ socket }) => socket.write(GOOD));
  const bodies = requestBodies(
    contents.map(content => ({ messages: [{ role: 'user', content }], maxTokens: undefined })),
    { api: SERVER_APIS[0], model: 'mock-model', isStreaming: true, hasNonce: true, noncePrefix: '0badcafe' },
  );
  await runHere(loadPlan({ ...server, ...samplesMax(20), bodies }));
  const requested = server.requests.map(request => {
    const { messages } = JSON.parse(request.slice(request.indexOf('\r\n\r\n')));
    return messages[0].content;
  });
  const nonceOf = (sample: number) => `0badcafe${sample.toString(16).padStart(8, '0')}`;
  requested.forEach((content, sample) => {
    expect(content).toContain(nonceOf(sample));
    expect(content.endsWith(contents[sample % contents.length])).toBe(true);
  });
  expect(requested).toHaveLength(20);
});

test.each([
  ['connection: close', reply('HTTP/1.1 200 OK\nconnection: close', STREAM), true],
  [
    'connection: close with chunks',
    Buffer.from(GOOD.toString().replace('OK', 'OK\r\nconnection: close')),
    false,
  ],
  ['HTTP/1.0', reply('HTTP/1.0 200 OK', STREAM), true],
])('after %s the next request goes on a new connection', async (_, bytes, ends) => {
  await using server = await scriptedServer(({ socket }) => {
    socket.write(bytes);
    if (ends) socket.end();
  });
  const run = await runHere(loadPlan({ ...server, ...samplesMax(3) }));
  expect(outcomes(run.samples)).toEqual(Array(3).fill('completed'));
  expect(server.connectionCount).toBe(3);
  expect(run.counts).toEqual({ opened: 3, reused: 0, closed: 3, stale: 0 });
  // The connection set-up that a sample waited for is reported separately and is not part of its latency.
  expect(run.samples.map(({ connectNs }) => connectNs > 0)).toEqual([false, true, true]);
});

test('a close is a stale one for 50 ms and a round trip after the request, and never behind a byte of the reply', () => {
  const sent = { sentNs: 1e9, lastReadNs: NO_READ };
  expect(isClosedBeforeReceipt(sent, 1.05e9, 0)).toBe(true);
  expect(isClosedBeforeReceipt(sent, 1.05e9 + 1, 0)).toBe(false);
  expect(isClosedBeforeReceipt(sent, 1.25e9, 200e6)).toBe(true);
  expect(isClosedBeforeReceipt(sent, 1.25e9 + 1, 200e6)).toBe(false);
  expect(isClosedBeforeReceipt({ ...sent, lastReadNs: 1e9 }, 1e9, 0)).toBe(false);
});

/** Over a round trip so long that a close comes within it however late this process gets its turn. */
class FarDialer extends SocketDialer {
  override get roundTripNs(): number {
    return 25e9;
  }
}

const runFarAway = (plan: LoadPlan) => {
  const zeroNs = process.hrtime.bigint();
  const nowNs = () => Number(process.hrtime.bigint() - zeroNs);
  return runHere(plan, { loop: { nowNs, timers: LOOP_TIMERS, dialer: new FarDialer(plan.target, true) } });
};

test('a request on a used connection that the server closes is sent once more, and counted', async () => {
  await using server = await scriptedServer(({ socket, index }) => {
    if (index === 1) socket.end();
    else socket.write(GOOD);
  });
  const run = await runFarAway(loadPlan({ ...server, ...samplesMax(3) }));
  expect(outcomes(run.samples)).toEqual(Array(3).fill('completed'));
  expect(server.requests).toHaveLength(4);
  expect(run.counts).toMatchObject({ stale: 1, opened: 2 });
  expect(run.records.filter(({ kind }) => kind === 'sample.issued')).toHaveLength(3);
  expect(run.samples[1]?.bytesSent).toBe(2 * (run.samples[0]?.bytesSent ?? 0));
});

test('a request that was sent once more fails when that is closed too', async () => {
  await using server = await scriptedServer(({ socket, index }) => {
    if (index > 0) socket.resetAndDestroy();
    else socket.write(GOOD);
  });
  const run = await runFarAway(loadPlan({ ...server, ...samplesMax(2) }));
  expect(outcomes(run.samples)).toEqual(['completed', 'reset']);
  expect(server.requests).toHaveLength(3);
});

test.each([
  ['resets it', (socket: Socket) => socket.resetAndDestroy()],
  ['closes it', (socket: Socket) => socket.end()],
])('a server that works on a request and then %s has failed it', async (_, lose) => {
  await using server = await scriptedServer(({ socket, onConnection }) => {
    if (onConnection === 0) socket.write(GOOD);
    // Far beyond 50 ms and one round trip of loopback.
    else setTimeout(() => lose(socket), 400);
  });
  const run = await runHere(loadPlan({ ...server, ...samplesMax(3) }));
  expect(outcomes(run.samples)).toEqual(['completed', 'reset', 'completed']);
  expect(server.requests).toHaveLength(3);
  expect(run.counts.stale).toBe(0);
});

test('a 408 that answers a request on a used connection is a failure, and nothing is sent again', async () => {
  await using server = await scriptedServer(({ socket, onConnection }) => {
    if (onConnection === 0) socket.write(GOOD);
    else socket.end(reply('HTTP/1.1 408 Request Timeout\nconnection: close\ncontent-length: 0'));
  });
  const run = await runHere(loadPlan({ ...server, ...samplesMax(2) }));
  expect(outcomes(run.samples)).toEqual(['completed', 'http-status']);
  expect(run.samples[1]?.failure?.statusCode).toBe(408);
  expect(server.requests).toHaveLength(2);
  expect(run.counts.stale).toBe(0);
});

test('a used connection that closes after one byte of the reply is no stale one', async () => {
  await using server = await scriptedServer(({ socket, onConnection }) => {
    if (onConnection === 0) socket.write(GOOD);
    else socket.end('H');
  });
  const run = await runHere(loadPlan({ ...server, ...samplesMax(2) }));
  expect(outcomes(run.samples)).toEqual(['completed', 'truncated']);
  expect(run.counts.stale).toBe(0);
});

test('a request on a fresh connection is never sent twice', async () => {
  await using server = await scriptedServer(({ socket }) => socket.end());
  const run = await runHere(loadPlan({ ...server, ...samplesMax(2) }));
  expect(outcomes(run.samples)).toEqual(['reset', 'reset']);
  expect(server.requests).toHaveLength(2);
  expect(run.counts.stale).toBe(0);
});

test('bytes behind a reply end the connection and not the sample', async () => {
  await using server = await scriptedServer(({ socket }) =>
    socket.write(Buffer.concat([GOOD, reply('HTTP/1.1 408 Too Late\ncontent-length: 0')])),
  );
  const run = await runHere(loadPlan({ ...server, ...samplesMax(3) }));
  expect(outcomes(run.samples)).toEqual(Array(3).fill('completed'));
  expect(server.connectionCount).toBe(3);
});

test('a reset in the middle of a stream is a reset', async () => {
  await using server = await scriptedServer(({ socket }) =>
    socket.write(GOOD.subarray(0, GOOD.length / 2), () => socket.resetAndDestroy()),
  );
  const run = await runHere(loadPlan({ ...server }));
  expect(outcomes(run.samples)).toEqual(['reset']);
});

test('a stream that sent [DONE] has ended, with any end of its connection', async () => {
  await using server = await scriptedServer(({ socket }) =>
    socket.write(GOOD.subarray(0, -5), () => socket.resetAndDestroy()),
  );
  const run = await runHere(loadPlan({ ...server }));
  expect(outcomes(run.samples)).toEqual(['completed']);
});

test('nobody listening is a failure to connect, for each sample', async () => {
  const server = await scriptedServer(() => undefined);
  await server[Symbol.asyncDispose]();
  const run = await runHere(loadPlan({ ...server, ...samplesMax(3) }));
  expect(outcomes(run.samples)).toEqual(Array(3).fill('connect'));
  expect(run.opened).toMatchObject({ opened: 0, failed: 1 });
  expect(run.opened.problem?.problem).toContain('ECONNREFUSED');
  expect(run.samples[0]?.failure?.detail).toContain('ECONNREFUSED');
});

const timeouts = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 };

test.each([
  ['firstByteMs', 'first-byte', (): Buffer => Buffer.alloc(0)],
  ['idleMs', 'idle', (): Buffer => GOOD.subarray(0, 100)],
  ['totalMs', 'total', (): Buffer => GOOD.subarray(0, 100)],
])('a server that stays silent meets %s', async (limit, phase, bytes) => {
  await using server = await scriptedServer(({ socket }) => socket.write(bytes()));
  const run = await runHere(loadPlan({ ...server, timeouts: { ...timeouts, [limit]: 60 } }));
  expect(outcomes(run.samples)).toEqual(['timeout']);
  expect(run.samples[0]?.failure?.detail).toMatch(new RegExp(`^${phase}:`));
});

test('a server that takes a connection and never shakes hands meets the connect timeout', async () => {
  await using server = await scriptedServer(() => undefined);
  const tls = { serverName: '', authorities: undefined, isInsecure: true };
  const run = await runHere(loadPlan({ ...server, tls, timeouts: { ...timeouts, connectMs: 60 } }));
  expect(run.opened.failed).toBe(1);
  expect(outcomes(run.samples)).toEqual(['timeout']);
  expect(run.samples[0]?.failure?.detail).toMatch(/^connect:/);
});

test('a name is looked up, and each of its addresses tried', async () => {
  // On most machines "localhost" is ::1 first, where nobody listens here.
  await using server = await scriptedServer(({ socket }) => {
    socket.write(reply(`HTTP/1.1 200 OK\nconnection: close`, STREAM));
    socket.end();
  });
  const run = await runHere(loadPlan({ host: 'localhost', port: server.port, ...samplesMax(3) }));
  expect(outcomes(run.samples)).toEqual(Array(3).fill('completed'));
});

test('an unknown name is a failure to connect', async () => {
  const run = await runHere(loadPlan({ host: 'no-such-host.invalid', port: 9 }));
  expect(outcomes(run.samples)).toEqual(['connect']);
});

test('stopping cancels what is in flight and ends the load', async () => {
  const received = Promise.withResolvers<void>();
  await using server = await scriptedServer(({ index }) => {
    if (index === 2) received.resolve();
  });
  const run = await runHere(
    loadPlan({ ...server, pattern: { kind: 'concurrency', concurrency: 3 }, ...samplesMax(9) }),
    {
      whileRunning: load => void received.promise.then(() => load.stop()),
    },
  );
  expect(outcomes(run.samples)).toEqual(Array(3).fill('cancelled'));
});

test('IPv6 has brackets where they belong', async context => {
  const server = await scriptedServer(({ socket }) => socket.write(GOOD), { host: '::1' }).catch(
    () => undefined,
  );
  if (server === undefined) return context.skip('this machine has no IPv6 loopback');
  await using listening = server;
  const run = await runHere(loadPlan({ ...listening }));
  expect(outcomes(run.samples)).toEqual(['completed']);
  expect(listening.requests[0]).toContain(`\r\nhost: [::1]:${listening.port}\r\n`);
});

test('a connection is not used again when its reply came before its request was taken', async () => {
  let connectionCount = 0;
  const server = net.createServer(socket => {
    connectionCount += 1;
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.pause();
      socket.write(GOOD);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const content = 'word '.repeat(4_000_000);
  const plan = loadPlan({ host: '127.0.0.1', port, ...samplesMax(2), content });
  expect(outcomes((await runHere(plan)).samples)).toEqual(['completed', 'completed']);
  expect(connectionCount).toBe(2);
  server.close();
});

test("a server's error is shown without the secrets of this run, on one line", async () => {
  const body = JSON.stringify({ error: { message: 'bad key\nBearer sk-planted-secret, sorry' } });
  await using server = await scriptedServer(({ socket }) =>
    socket.write(
      reply(`HTTP/1.1 401 No\ncontent-type: application/json\ncontent-length: ${body.length}`, body),
    ),
  );
  const headers = [{ name: 'authorization', value: 'Bearer sk-planted-secret' }];
  const run = await runHere(loadPlan({ ...server, headers }));
  expect(run.samples[0]?.failure).toEqual({
    kind: 'http-status',
    statusCode: 401,
    detail: 'bad key [secret], sorry',
  });
});

test('no part of a secret is reported if a long error is cut inside it', async () => {
  const secret = 'Bearer sk-planted-secret';
  const headers = [{ name: 'authorization', value: secret }];
  for (let length = 130; length < 215; length += 5) {
    const body = `data: ${'x'.repeat(length)}${secret} and more\n\n`;
    await using server = await scriptedServer(({ socket }) => socket.write(chunkedStream(body)));
    const run = await runHere(loadPlan({ ...server, headers }));
    expect(run.samples[0]?.failure?.kind).toBe('malformed');
    expect(run.samples[0]?.failure?.detail).not.toContain('Bear');
  }
});

test('the error of a sample comes before its end', async () => {
  await using server = await scriptedServer(({ socket }) =>
    socket.write(chunkedStream(events('{"error":"no"}'))),
  );
  const run = await runHere(loadPlan({ ...server }));
  expect(run.records.map(({ kind }) => kind).filter(kind => !kind.startsWith('client.'))).toEqual([
    'sample.issued',
    'error.error-frame',
    'sample.complete',
  ]);
});

test('bytes that find no room fail their sample as the client, and all samples are reported', async () => {
  const large = chunkedStream(
    events(
      ...Array(400).fill(JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(400) } }] })),
      '[DONE]',
    ),
  );
  await using server = await scriptedServer(({ socket }) => socket.write(large));
  const run = await runHere(
    loadPlan({ ...server, ...samplesMax(4), pattern: { kind: 'concurrency', concurrency: 4 } }),
    {
      ringBytes: 131_072,
      parses: 'late',
    },
  );
  expect(run.samples).toHaveLength(4);
  expect(new Set(outcomes(run.samples))).toEqual(new Set(['client']));
  expect(run.arenaFull).toBe(4);
  expect(run.dropped).toBe(0);
});

test('a reply longer than the ring is read whole by a parser that only looks on request', async () => {
  const content = 'x'.repeat(20_000);
  const bytes = chunkedStream(
    events(...Array(2_000).fill(JSON.stringify({ choices: [{ delta: { content } }] })), '[DONE]'),
  );
  await using server = await scriptedServer(({ socket }) => socket.write(bytes));
  // As large as in a run: half of it is more than the kernel holds of one connection.
  const run = await runHere(loadPlan({ ...server, ...samplesMax(1) }), {
    ringBytes: 33_554_432,
    parses: 'on-request',
  });
  expect(outcomes(run.samples)).toEqual(['completed']);
  expect(run.samples[0]?.chunkCount).toBe(2_000);
});
