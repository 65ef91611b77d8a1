import { describe, expect, test } from 'vitest';
import { longCount } from '../../support/counts.ts';
import { closeOf, fetchJson, openSocket } from './http-exchange.ts';
import { identityFact, SELF, type ServedCluster, serveCluster } from './served-cluster.ts';
import { openStream, type StreamReader } from './stream-reader.ts';

const QUEUE_BYTES_MAX = 256 * 1024;
const FRAME_BYTES = 128 * 1024;
/** The head of a frame and what HTTP adds to it. */
const FRAME_EXTRA_BYTES = 2_048;

describe('readers that never read', () => {
  test('cost bounded memory, are dropped, and hold up nobody', async () => {
    await using served = await serveCluster({ limits: { streamQueueBytesMax: QUEUE_BYTES_MAX } });
    const deafCount = longCount(60, 90);
    const deaf = await Promise.all(Array.from({ length: deafCount }, () => openDeafStream(served.port)));
    const readers = await Promise.all(Array.from({ length: 10 }, () => openStream(served.port)));
    await Promise.all(readers.map(reader => reader.need('snapshot')));
    let worstBytes = 0;
    for (let round = 0; round < 400 && (await countsOf(served)).dropped.slow < deafCount; round += 1) {
      await reportMuch(served, readers, round);
      worstBytes = Math.max(worstBytes, (await countsOf(served)).queuedBytes);
    }
    expect(worstBytes).toBeLessThanOrEqual(deafCount * (QUEUE_BYTES_MAX + FRAME_EXTRA_BYTES));
    const counts = await countsOf(served);
    expect(counts.dropped).toMatchObject({ slow: deafCount, stalled: 0 });
    expect(counts.clients).toBe(readers.length);
    // Dropped readers do not drain either: five seconds later nothing is held for them.
    await served.clock.advance(5_000);
    expect((await countsOf(served)).queuedBytes).toBe(0);
    for (const socket of deaf) socket.destroy();
    for (const reader of readers) reader[Symbol.dispose]();
  });

  test('are dropped after a while even when little happens', async () => {
    await using served = await serveCluster({ limits: { streamStallMs: 10_000 } });
    const socket = await openDeafStream(served.port);
    using reader = await openStream(served.port);
    await reader.need('snapshot');
    for (let round = 0; round < 400 && (await countsOf(served)).queuedBytes === 0; round += 1) {
      await reportMuch(served, [reader], round);
    }
    await served.clock.advance(16_000);
    expect((await countsOf(served)).dropped).toMatchObject({ slow: 0, stalled: 1 });
    socket.destroy();
  });
});

test('a slow reader receives the reason why it was dropped', async () => {
  await using served = await serveCluster({ limits: { streamQueueBytesMax: QUEUE_BYTES_MAX } });
  using slow = await openStream(served.port);
  await slow.need('snapshot');
  slow.response.pause();
  for (let round = 0; round < 400 && (await countsOf(served)).dropped.slow === 0; round += 1) {
    await reportMuch(served, [], round);
  }
  slow.response.resume();
  const dropped = await slow.need('dropped');
  expect(dropped.data).toEqual({ reason: 'slow', message: expect.stringContaining('bytes behind') });
  expect(await slow.next()).toBe('end');
});

test('a snapshot larger than the queue does not drop its reader', async () => {
  await using served = await serveCluster({ limits: { streamQueueBytesMax: 1_024 } });
  served.report(SELF, identityFact('x'.repeat(8 * 1024 * 1024)));
  using reader = await openStream(served.port);
  await served.clock.advance(5_000);
  await reader.need('snapshot');
  await reader.need('heartbeat');
  expect((await countsOf(served)).dropped.slow).toBe(0);
});

/** Sends the request for a stream and never reads a byte of the answer. */
const openDeafStream = async (port: number) => {
  const socket = await openSocket(port);
  socket.pause();
  socket.write('GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
};

const reportMuch = async (served: ServedCluster, readers: readonly StreamReader[], round: number) => {
  served.report(SELF, identityFact(`${round} `.padEnd(FRAME_BYTES, 'x')));
  await served.clock.advance(100);
  await Promise.all(readers.map(reader => reader.need('batch')));
};

const countsOf = async (served: ServedCluster) =>
  (await fetchJson({ port: served.port, path: '/api/daemon' })).json.streams;

test('closing ends every stream with a word and cuts what else is open', async () => {
  const served = await serveCluster();
  const readers = await Promise.all(Array.from({ length: 20 }, () => openStream(served.port)));
  const idle = await openSocket(served.port);
  const half = await openSocket(served.port);
  half.write('POST /api/access/code HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{');
  const closed = [closeOf(idle.resume()), closeOf(half.resume())];
  await Promise.all(readers.map(reader => reader.need('snapshot')));
  await Promise.all([served.server.close(), served.server.close()]);
  for (const reader of readers) expect((await reader.need('dropped')).data.reason).toBe('stopping');
  await Promise.all(closed);
});
