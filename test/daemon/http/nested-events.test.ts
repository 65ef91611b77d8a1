import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { HostPort } from '../../../src/core/address/host-port.ts';
import { startDaemon } from '../../../src/daemon/daemon.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { makeClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile } from '../../../src/mesh/key/key-file.ts';
import { FutureNode } from '../../support/future-node.ts';
import { memoryFact } from '../../support/mesh-node.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { bearer, fetchJson, type Json, postJson } from './http-exchange.ts';
import { memoryFact as memoryOf, SELF, serveCluster, TOKEN } from './served-cluster.ts';
import { openStream, type StreamReader } from './stream-reader.ts';

const KEY = makeClusterKey();
const DEPTH = 30_000;
const arrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('events that are nested thirty thousand deep', () => {
  it.each([
    ['arrays', arrays(DEPTH), arrays(DEPTH)],
    // A live event may have 64 KiB.
    ['objects', objects(DEPTH), objects(DEPTH / 3)],
  ])(
    'as %s cost themselves, and neither the daemon nor the streams of its readers',
    async (_, nested, live) => {
      using folder = temporaryDirectory();
      await using daemon = await started(join(folder.path, 'home'));
      using reader = await openStream(Number(new URL(daemon.url).port));
      await reader.need('snapshot');
      await using member = await FutureNode.join(KEY, meshOf(daemon));
      const { payload } = memoryFact(1);
      const unknown = { kind: 'tide.turned', key: '', payload: 'NESTED' };
      const known = { kind: 'memory.gathered', key: '', payload: { ...payload, more: 'NESTED' } };
      const ofNoVersion = { kind: 'tide.turned', key: 'v', payload: 1, version: 'NESTED' };
      for (const reported of [unknown, known, ofNoVersion]) member.reportLive({ ...reported, nested: live });
      for (const reported of [unknown, ofNoVersion]) member.reportDurable({ ...reported, nested });
      member.reportLive({ kind: 'memory.gathered', key: '', payload: memoryFact(7).payload });
      await received(reader, member);
      expect(member.linkCount, member.closes.join()).toBe(1);
      expect(daemon.state.unknownKinds[member.id]).toBeUndefined();
      // A page that comes now gets everything else.
      using next = await openStream(Number(new URL(daemon.url).port));
      expect((await next.need('snapshot')).data.state.nodeMemories).toHaveProperty([member.id]);
    },
  );
});

describe('an event that cannot be written', () => {
  it('costs that event, which is counted, and not the stream', async () => {
    await using served = await serveCluster();
    using reader = await openStream(served.port);
    await reader.need('snapshot');
    served.report(SELF, unwritable(1), memoryOf(2));
    await served.clock.advance(100);
    const { data } = await reader.need('batch');
    expect(data.events).toHaveLength(1);
    expect(data.events[0].payload.value.totalBytes).toBe(2);
    const { json } = await fetchJson({ port: served.port, path: '/api/daemon' });
    expect(json.streams).toMatchObject({ clients: 1, leftOut: 1, dropped: { failed: 0 } });
  });

  it('costs its entry in a snapshot', async () => {
    await using served = await serveCluster();
    served.report(SELF, unwritable(1));
    served.report(SELF, { kind: 'endpoints.reported', payload: { meshPort: 1, reachabilityPort: 2 } });
    using reader = await openStream(served.port);
    const { data } = await reader.need('snapshot');
    expect(data.state.nodeMemories).toEqual({});
    expect(data.state.nodeEndpoints[SELF].value.meshPort).toBe(1);
  });
});

describe('a request that is nested too deep', () => {
  it('is refused before anything is made of it', async () => {
    await using served = await serveCluster();
    let body: unknown = 1;
    for (let depth = 0; depth < 100; depth += 1) body = [body];
    const answer = await postJson(served.port, '/api/probes', { subject: body }, bearer(TOKEN));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'bad-body' });
  });
});

/** As no decoder lets it in. */
const unwritable = (totalBytes: number) => {
  const fact = memoryOf(totalBytes);
  Reflect.set(fact.payload, 'value', { ...Reflect.get(fact.payload, 'value'), big: 1n });
  return fact;
};

/** Until the stream has brought the last word of the member. */
const received = async (reader: StreamReader, member: FutureNode): Promise<void> => {
  for (;;) {
    const frame = await reader.next();
    if (frame === 'end' || frame.event === 'dropped') throw new Error('the stream ended');
    if (frame.event === 'snapshot' && isLast(frame.data.state.nodeMemories[member.id]?.value)) return;
    if (frame.event !== 'batch') continue;
    for (const { origin, payload } of frame.data.events)
      if (origin === member.id && isLast(payload?.value)) return;
  }
};

const isLast = (memory: Json): boolean => memory?.availableBytes === 7;

const started = async (home: string): Promise<Daemon> => {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await createClusterKeyFile(clusterKeyPath(home), KEY);
  return await startDaemon(
    {
      home,
      env: process.env,
      http: { host: '127.0.0.1', port: 0 },
      name: 'victim',
      mesh: { keyFile: undefined, listen: { host: '127.0.0.1', port: 0 }, peers: [] },
      clock: systemClock,
      platform: process.platform,
      root: '/',
      version: '0.0.0',
      dashboardDir: undefined,
      pid: process.pid,
      resources: () => ({ cpuSeconds: 0, residentBytes: 0 }),
      onNotice: () => undefined,
    },
    new AbortController().signal,
  );
};

const meshOf = ({ meshAddress }: Daemon): HostPort => {
  if (meshAddress === undefined) throw new Error('the daemon has no mesh');
  return meshAddress;
};
