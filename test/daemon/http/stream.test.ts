import { describe, expect, test } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { decodeSnapshot } from '../../../src/wire/stream-message.ts';
import { bearer, fetchJson, type Json, postJson, sendRequest, until } from './http-exchange.ts';
import { identityFact, memoryFact, OTHER, SELF, serveCluster, TOKEN } from './served-cluster.ts';
import { openStream } from './stream-reader.ts';

describe('a stream', () => {
  test('begins with a snapshot of everything known', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64e9));
    using reader = await openStream(served.port);
    const frame = await reader.need('snapshot');
    expect(reader.response.headers['content-type']).toBe('text/event-stream');
    expect(decodeSnapshot(JSON.stringify(frame.data), served.clock.nowMs()).state).toEqual(
      served.cluster.state,
    );
  });

  test('carries what happens within a tenth of a second in one batch', async () => {
    await using served = await serveCluster();
    using reader = await openStream(served.port);
    await reader.need('snapshot');
    served.report(SELF, memoryFact(1));
    await served.clock.advance(60);
    served.report(SELF, memoryFact(2));
    await served.clock.advance(39);
    served.report(SELF, memoryFact(3));
    await served.clock.advance(1);
    const batch = await reader.need('batch');
    expect(batch.data.nowMs).toBe(100);
    expect(batch.data.events.map((event: Json) => event.payload.value.totalBytes)).toEqual([1, 2, 3]);
  });

  test('leads a reader to the same state as the daemon', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'));
    using reader = await openStream(served.port);
    const { data } = await reader.need('snapshot');
    served.report(SELF, memoryFact(5), identityFact('hammer'));
    served.report(OTHER, memoryFact(6));
    await served.clock.advance(100);
    const batch = await reader.need('batch');
    expect(applyAll(data.state, batch.data.events)).toEqual(served.cluster.state);
    expect(data.state).not.toEqual(EMPTY_STATE);
  });

  test('sends nothing but heartbeats while nothing happens', async () => {
    await using served = await serveCluster();
    using reader = await openStream(served.port);
    await reader.need('snapshot');
    await served.clock.advance(5_000);
    expect(await reader.next()).toMatchObject({ event: 'heartbeat', data: { nowMs: 5_000 } });
    await served.clock.advance(5_000);
    expect(await reader.next()).toMatchObject({ event: 'heartbeat', data: { nowMs: 10_000 } });
  });

  test('is encoded once for all readers', async () => {
    await using served = await serveCluster();
    using first = await openStream(served.port);
    using second = await openStream(served.port);
    await Promise.all([first.need('snapshot'), second.need('snapshot')]);
    served.report(SELF, memoryFact(1));
    await served.clock.advance(100);
    const frames = await Promise.all([first.need('batch'), second.need('batch')]);
    expect(frames[0].text).toBe(frames[1].text);
  });

  test('gives a new snapshot instead of more events than it may hold', async () => {
    await using served = await serveCluster({ limits: { pendingEventsMax: 3 } });
    using reader = await openStream(served.port);
    await reader.need('snapshot');
    for (const bytes of [1, 2, 3, 4]) served.report(SELF, memoryFact(bytes));
    await served.clock.advance(100);
    const frame = await reader.next();
    expect(frame).toMatchObject({ event: 'snapshot' });
    expect(frame === 'end' ? undefined : frame.data.state.nodeMemories[SELF].value.totalBytes).toBe(4);
  });

  test('past the bound is refused with a reason', async () => {
    await using served = await serveCluster({ limits: { streamsMax: 2 } });
    using first = await openStream(served.port);
    using second = await openStream(served.port);
    await Promise.all([first.need('snapshot'), second.need('snapshot')]);
    const { status, json } = await fetchJson({ port: served.port, path: '/api/stream' });
    expect([status, json.code]).toEqual([503, 'too-many-streams']);
  });

  test('answers HEAD without opening one', async () => {
    await using served = await serveCluster();
    expect((await sendRequest({ port: served.port, path: '/api/stream', method: 'HEAD' })).status).toBe(200);
    expect((await fetchJson({ port: served.port, path: '/api/daemon' })).json.streams.clients).toBe(0);
  });
});

describe('a stream that was cut', () => {
  test('resumes with one batch of what was missed, its ages counted from now', async () => {
    await using served = await serveCluster();
    const first = await openStream(served.port);
    const { id } = await first.need('snapshot');
    first[Symbol.dispose]();
    served.report(SELF, memoryFact(1));
    await served.clock.advance(100);
    served.report(SELF, memoryFact(2));
    await served.clock.advance(1_900);
    using second = await openStream(served.port, { 'last-event-id': id ?? '' });
    const batch = await second.next();
    expect(batch).toMatchObject({ event: 'batch', data: { nowMs: 2_000 } });
    expect(batch === 'end' ? [] : batch.data.events.map((event: Json) => event.receivedAtMs)).toEqual([
      0, 100,
    ]);
  });

  test('resumes with an empty batch when it missed nothing', async () => {
    await using served = await serveCluster();
    const first = await openStream(served.port);
    const { id } = await first.need('snapshot');
    first[Symbol.dispose]();
    using second = await openStream(served.port, { 'last-event-id': id ?? '' });
    expect(await second.next()).toMatchObject({ event: 'batch', id, data: { events: [] } });
  });

  test.each([
    ['a number', '1'],
    ['of another start', 'nonsense.1'],
    ['empty', ''],
    ['very long', 'x'.repeat(5_000)],
  ])('restarts when its id is %s', async (_what, id) => {
    await using served = await serveCluster();
    using reader = await openStream(served.port, { 'last-event-id': id });
    expect(await reader.next()).toMatchObject({ event: 'snapshot' });
  });

  test('restarts when its id is in the future of this start', async () => {
    await using served = await serveCluster();
    const first = await openStream(served.port);
    const { id } = await first.need('snapshot');
    using second = await openStream(served.port, { 'last-event-id': `${id}999` });
    expect(await second.next()).toMatchObject({ event: 'snapshot' });
    first[Symbol.dispose]();
  });

  test('restarts when more was missed than is stored', async () => {
    await using served = await serveCluster({ limits: { resumeBatchesMax: 3 } });
    using first = await openStream(served.port);
    const { id } = await first.need('snapshot');
    for (const bytes of [1, 2, 3, 4]) {
      served.report(SELF, memoryFact(bytes));
      await served.clock.advance(100);
    }
    using second = await openStream(served.port, { 'last-event-id': id ?? '' });
    expect(await second.next()).toMatchObject({ event: 'snapshot' });
  });

  test('restarts when nothing was stored because there was no reader', async () => {
    await using served = await serveCluster();
    const first = await openStream(served.port);
    const { id } = await first.need('snapshot');
    first[Symbol.dispose]();
    await until(
      async () => (await fetchJson({ port: served.port, path: '/api/daemon' })).json.streams.clients === 0,
    );
    await served.clock.advance(61_000);
    served.report(SELF, memoryFact(1));
    using second = await openStream(served.port, { 'last-event-id': id ?? '' });
    expect(await second.next()).toMatchObject({ event: 'snapshot' });
  });
});

describe('a stream beyond loopback', () => {
  test('ends when the token is replaced', async () => {
    await using served = await serveCluster({ host: '0.0.0.0' });
    using reader = await openStream(served.port, bearer(TOKEN));
    await reader.need('snapshot');
    served.access.replaceToken('another-token-0123456789-0123456789');
    expect((await reader.need('dropped')).data.reason).toBe('access-ended');
    expect(await reader.next()).toBe('end');
  });

  test('ends when the cookie that opened it has run out', async () => {
    await using served = await serveCluster({ host: '0.0.0.0', limits: { streamHeartbeatMs: 3_600_000 } });
    const swapped = await postJson(served.port, '/api/access/code', { code: served.access.issueCode() });
    const cookie = swapped.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    using reader = await openStream(served.port, { cookie });
    await reader.need('snapshot');
    await served.clock.advance(31 * 24 * 3_600_000);
    expect((await reader.need('dropped')).data.reason).toBe('access-ended');
  });
});
