// Streams with what a page of a fleet shows: bounded, at most once a second, and equal in the end to the whole
// state.

import { describe, expect, test } from 'vitest';
import type { FleetPicture } from '../../../src/core/fleet/fleet-picture.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { LIVE_VIEW_MS } from '../../../src/daemon/http/stream/fleet-hub.ts';
import { decodeFleet, foldedPicture } from '../../../src/wire/fleet-message.ts';
import { decodeSnapshot } from '../../../src/wire/stream-message.ts';
import { fetchJson } from './http-exchange.ts';
import { identityFact, memoryFact, SELF, type ServedCluster, serveCluster } from './served-cluster.ts';
import { type Frame, openStream, type StreamReader } from './stream-reader.ts';

const LETTERS = 'abcdefghij';
const node = (index: number) =>
  nodeId(
    [...String(index)]
      .map(digit => LETTERS[Number(digit)])
      .join('')
      .padEnd(26, 'q'),
  );
const MANY = 70;

const config = (rack: string) => ({
  kind: 'config.gathered' as const,
  payload: {
    source: 'config.toml',
    intervalMs: 30_000,
    value: {
      tags: [],
      site: { kind: 'unknown' as const, reason: 'not set' },
      rack,
      machineKind: 'HGX H200',
      ignoredInterfaces: [],
      staticPeerCount: 0,
      probes: { isEnabled: true, gpuTtlSeconds: 1, socketTtlSeconds: 1, rdmaTtlSeconds: 1 },
      makesLoad: false,
      webhooks: [],
      servedEndpoints: [],
    },
  },
});

const reportMany = (served: ServedCluster, count = MANY): void => {
  for (let index = 0; index < count; index += 1)
    served.report(
      node(index),
      identityFact(`n-${index}`),
      config(`r${Math.floor(index / 10)}`),
      memoryFact(64e9),
    );
};

const need = async (reader: StreamReader): Promise<Frame> => reader.need('fleet');
const folded = (frames: readonly Frame[]): FleetPicture | undefined => {
  let picture: FleetPicture | undefined;
  for (const { data } of frames)
    picture = foldedPicture(picture, decodeFleet(JSON.stringify(data), data.nowMs));
  return picture;
};
const fleetOf = (served: ServedCluster, headers = {}) =>
  openStream(served.port, headers, '/api/stream?view=fleet&by=rack');

describe('the stream of a fleet', () => {
  test('begins with groups and levels, and is a small part of the whole state', async () => {
    await using served = await serveCluster();
    reportMany(served);
    using whole = await openStream(served.port);
    using reader = await fleetOf(served);
    const [snapshot, frame] = await Promise.all([whole.need('snapshot'), need(reader)]);
    const picture = folded([frame]);
    expect(picture?.roster.groups.map(({ name, cells }) => [name, cells.length])).toEqual(
      ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6'].map(name => [name, 10]),
    );
    expect(picture?.levels[0]).toMatchObject({ memory: Array(10).fill(50), states: 'l'.repeat(10) });
    expect(frame.text.length).toBeLessThan(snapshot.text.length / 5);
  });

  test('then reports only what has changed, once a second', async () => {
    await using served = await serveCluster();
    reportMany(served);
    using reader = await fleetOf(served);
    const first = await need(reader);
    for (let index = 0; index < MANY; index += 1) served.report(node(index), memoryFact(64e9));
    served.report(node(33), { kind: 'memory.gathered', payload: fuller() });
    await served.clock.advance(LIVE_VIEW_MS);
    const second = await need(reader);
    expect(second.data.isWhole).toBe(false);
    expect(Object.keys(second.data.parts).sort()).toEqual(['answers', 'faults', 'levels']);
    expect(Object.keys(second.data.parts.levels)).toEqual(['3']);
    expect(folded([first, second])?.levels[3]?.memory[3]).toBe(90);
  });

  test('goes on after a break with what was missed, by the id of the last frame', async () => {
    await using served = await serveCluster();
    reportMany(served);
    using stays = await fleetOf(served);
    const first = await need(stays);
    served.report(node(5), { kind: 'memory.gathered', payload: fuller() });
    await served.clock.advance(LIVE_VIEW_MS);
    await need(stays);
    using back = await fleetOf(served, { 'last-event-id': first.id ?? '' });
    const missed = await need(back);
    expect(missed.data.isWhole).toBe(false);
    expect(folded([first, missed])?.levels[0]?.memory[5]).toBe(90);
    using stranger = await fleetOf(served, { 'last-event-id': 'of-another-start.1' });
    expect((await need(stranger)).data.isWhole).toBe(true);
  });

  test('sends a new whole picture when groups come or go', async () => {
    await using served = await serveCluster();
    reportMany(served);
    using reader = await fleetOf(served);
    const first = await need(reader);
    for (let index = 60; index < 70; index += 1) served.report(node(index), config('r0'));
    await served.clock.advance(LIVE_VIEW_MS);
    const second = await need(reader);
    expect(second.data.isWhole).toBe(true);
    expect(folded([first, second])?.roster.groups.map(({ cells }) => cells.length)).toEqual([
      20, 10, 10, 10, 10, 10,
    ]);
  });

  test('is the whole state where that is small', async () => {
    await using served = await serveCluster();
    reportMany(served, 64);
    using reader = await fleetOf(served);
    const frame = await reader.next();
    expect(frame).toMatchObject({ event: 'snapshot' });
  });

  test('carries of a group the state of its nodes and nothing of others', async () => {
    await using served = await serveCluster();
    reportMany(served);
    using reader = await openStream(served.port, {}, '/api/stream?view=group&by=rack&group=r2');
    const frame = await reader.need('snapshot');
    const { state } = decodeSnapshot(JSON.stringify(frame.data), served.clock.nowMs());
    expect(Object.keys(state.nodeIdentities).sort()).toEqual(
      Array.from({ length: 10 }, (_, i) => node(20 + i)).sort(),
    );
    served.report(node(1), memoryFact(1));
    served.report(node(21), memoryFact(2));
    await served.clock.advance(LIVE_VIEW_MS);
    const batch = await reader.need('batch');
    expect(batch.data.events.map(({ origin }: { origin: string }) => origin)).toEqual([node(21)]);
  });

  test('reports that nobody is called as what is picked, and refuses a view that it does not have', async () => {
    await using served = await serveCluster();
    reportMany(served);
    using reader = await openStream(served.port, {}, `/api/stream?view=pick&by=rack&pick=node:${SELF}`);
    expect((await need(reader)).data.parts).toEqual({ selection: null });
    using there = await openStream(served.port, {}, `/api/stream?view=pick&by=rack&pick=node:${node(3)}`);
    expect((await need(there)).data.parts.selection).toMatchObject({ linkCount: 0, links: [] });
    const { status, json } = await fetchJson({ port: served.port, path: '/api/stream?view=pick&pick=sun' });
    expect([status, json.code]).toEqual([400, 'bad-query']);
  });

  test('serves so many different views and refuses one more', async () => {
    await using served = await serveCluster();
    reportMany(served);
    const readers: StreamReader[] = [];
    for (let index = 0; index < 64; index += 1)
      readers.push(await openStream(served.port, {}, `/api/stream?view=group&by=rack&group=g${index}`));
    const { status, json } = await fetchJson({
      port: served.port,
      path: '/api/stream?view=group&by=rack&group=more',
    });
    expect([status, json.code]).toEqual([503, 'too-many-streams']);
    for (const reader of readers) reader[Symbol.dispose]();
  });
});

const fuller = () => {
  const fact = memoryFact(64e9);
  if (fact.kind !== 'memory.gathered') throw new Error('no memory');
  return { ...fact.payload, value: { ...fact.payload.value, availableBytes: 6.4e9 } };
};
