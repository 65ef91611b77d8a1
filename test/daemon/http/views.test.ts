import { describe, expect, test } from 'vitest';
import { NOT_REPORTED } from '../../../src/core/schema.ts';
import { rawConnection } from '../../support/raw-http.ts';
import { fetchJson, sendRequest, until } from './http-exchange.ts';
import { CONFIG_NOTICE, identityFact, memoryFact, OTHER, SELF, serveCluster } from './served-cluster.ts';

describe('GET /api/nodes', () => {
  test('shows each node with the age of each reading', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64));
    served.report(OTHER, memoryFact(32));
    await served.clock.advance(700);
    const { json } = await fetchJson({ port: served.port, path: '/api/nodes' });
    expect(json.self).toBe(SELF);
    expect(json.totals.memoryTotalBytes).toMatchObject({ sum: 96, knownCount: 2 });
    const self = json.nodes.find((node: { nodeId: string }) => node.nodeId === SELF);
    expect(self).toMatchObject({ name: 'anvil', presence: 'live', memory: { kind: 'current', ageMs: 700 } });
    expect(self.system).toEqual({ kind: 'waiting' });
  });

  test('answers for one node, by id or as "self"', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'));
    for (const id of [SELF, 'self']) {
      expect((await fetchJson({ port: served.port, path: `/api/nodes/${id}` })).json.name).toBe('anvil');
    }
  });

  test.each([OTHER, 'x', '__proto__', 'constructor', '%2e%2e'])('has no node %s', async id => {
    await using served = await serveCluster();
    const { status, json } = await fetchJson({ port: served.port, path: `/api/nodes/${id}` });
    expect([status, json.code]).toEqual([404, 'no-such-node']);
  });

  test('writes what is not known as unknown, never as null', async () => {
    await using served = await serveCluster();
    served.report(SELF, {
      kind: 'gpus.gathered',
      payload: {
        source: 'nvidia-smi',
        intervalMs: 10_000,
        value: {
          vendor: 'nvidia',
          devices: [
            {
              deviceId: 'GPU-0',
              index: 0,
              name: 'card',
              memoryTotalBytes: 8e9,
              memoryIsUnified: false,
              driver: '1',
              runtime: '2',
              architecture: '3',
              coreCount: 4,
              pcieMax: { generation: 5, width: 16 },
              powerLimitWatts: 300,
              partitions: [],
            },
          ],
        },
      },
    });
    const { body } = await sendRequest({ port: served.port, path: '/api/nodes/self' });
    expect(body).not.toContain('null');
    expect(JSON.parse(body).gpus[0].devices[0]).toMatchObject({
      load: { kind: 'unknown', reason: 'nothing reported yet' },
      loadAgeMs: { kind: 'unknown', reason: 'never' },
    });
  });
});

describe('GET /api/links', () => {
  test('lists connections with their newest profile, and none of a node that went', async () => {
    await using served = await serveCluster();
    served.report(SELF, memoryFact(1), {
      kind: 'connection.opened',
      payload: {
        kind: 'socket',
        sink: OTHER,
        sinkAddress: '192.0.2.2',
        sourceInterface: 'eth0',
        sinkInterface: 'eth0',
        type: 'ethernet',
        negotiatedBitsPerSecond: 1e9,
      },
    });
    served.report(OTHER, memoryFact(1));
    const links = async () => (await fetchJson({ port: served.port, path: '/api/links' })).json.links;
    expect(await links()).toMatchObject([
      {
        source: SELF,
        sink: OTHER,
        connectionKey: 'socket 192.0.2.2',
        profile: { kind: 'unknown', reason: 'not measured yet' },
      },
    ]);
    await served.clock.advance(40_000);
    served.report(SELF, memoryFact(1));
    expect(await links()).toEqual([]);
  });
});

test('GET /api/runs lists runs with the newest figures', async () => {
  await using served = await serveCluster();
  expect((await fetchJson({ port: served.port, path: '/api/runs' })).json).toEqual({ runs: [] });
});

test('GET /api/daemon returns who answers and what a person should know', async () => {
  await using served = await serveCluster({ home: '/home/somebody/.plimsoll' });
  await served.clock.advance(2_000);
  expect((await fetchJson({ port: served.port, path: '/api/daemon' })).json).toMatchObject({
    nodeId: SELF,
    version: '0.1.0',
    startedAtWallMs: 1_800_000_000_000,
    uptimeMs: 2_000,
    isLoopback: true,
    url: `http://127.0.0.1:${served.port}`,
    home: '/home/somebody/.plimsoll',
    problems: [CONFIG_NOTICE],
  });
});

describe('GET /api/history', () => {
  test('gives the live series of a node', async () => {
    await using served = await serveCluster();
    served.report(SELF, memoryFact(64));
    await served.clock.advance(1_000);
    served.report(SELF, memoryFact(128));
    const { json } = await fetchJson({ port: served.port, path: '/api/history' });
    expect(json).toMatchObject({
      node: SELF,
      nowMs: 1_000,
      stepMs: 1_000,
      series: { memoryUsedBytes: [32, 64] },
    });
    expect((await fetchJson({ port: served.port, path: `/api/history?node=${OTHER}` })).json.series).toEqual(
      {},
    );
  });

  test('gives profiles from the journal, bounded', async () => {
    await using served = await serveCluster();
    const path = '/api/history?slot=gpu&key=GPU-0&backMs=3600000&limit=7';
    await fetchJson({ port: served.port, path });
    expect(served.requested).toEqual([
      { origin: SELF, slot: 'gpu', key: 'GPU-0', sinceWallMs: 1_800_000_000_000 - 3_600_000, limit: 7 },
    ]);
  });

  test('gives a profile of an older version with its fields as unknown, and reports what cannot be read', async () => {
    const { intervalMs: _, ...older } = GPU_PROFILE;
    const body = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const record = { version: 1, origin: SELF, epoch: 1, seq: 3, kind: 'gpu.profiled', key: 'GPU-0' };
    const hour = {
      version: 1,
      count: 2,
      failedCount: 0,
      figures: { fp16FlopsPerSecond: { min: 1, median: 2, max: 3, count: 2 } },
    };
    const row = { origin: SELF, slot: 'gpu', key: 'GPU-0', atWallMs: 5, isHourly: false };
    await using served = await serveCluster({
      rows: [
        { ...row, body: body(hour), isHourly: true },
        { ...row, body: body({ ...record, payload: older }) },
        { ...row, body: body({ ...record, version: 2, payload: older }) },
        { ...row, body: new Uint8Array([0xff]) },
        { ...row, body: new Uint8Array([0xff]), isHourly: true },
      ],
    });
    const { json } = await fetchJson({ port: served.port, path: '/api/history?slot=gpu&key=GPU-0' });
    const refused = (reason: string) => ({ kind: 'unknown', reason: `the stored ${reason}` });
    expect(json.rows.map((each: { record: unknown }) => each.record)).toEqual([
      hour,
      { ...record, payload: { ...older, intervalMs: NOT_REPORTED } },
      refused('record cannot be read: record version 2 is not known'),
      refused('record cannot be read: not JSON, or nested too deep'),
      refused('summary cannot be read'),
    ]);
  });

  test('lets others be answered while it gives thousands of rows, also to many who ask at once', async () => {
    const record = { version: 1, origin: SELF, epoch: 1, seq: 3, kind: 'gpu.profiled', key: 'GPU-0' };
    const body = new TextEncoder().encode(JSON.stringify({ ...record, payload: GPU_PROFILE }));
    const row = { origin: SELF, slot: 'gpu', key: 'GPU-0', atWallMs: 5, isHourly: false, body };
    await using served = await serveCluster({ rows: Array.from({ length: 5_000 }, () => row) });
    const { port } = served;
    using other = rawConnection({ host: '127.0.0.1', port });
    const health = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    other.send(health);
    await other.until(bytes => bytes.length > 0);
    const path = '/api/history?slot=gpu&key=GPU-0&limit=5000';
    const ended: string[] = [];
    const requested = Array.from({ length: 4 }, async () => {
      const { json } = await fetchJson({ port, path });
      ended.push('history');
      return json.rows.length;
    });
    await until(async () => {
      await sendRequest({ port, path: '/healthz' });
      return served.requested.length > 0;
    });
    let answers = 0;
    for (; ended.length === 0; answers += 1) {
      const before = other.received().length;
      other.send(health);
      await other.until(bytes => bytes.length > before);
    }
    expect(answers).toBeGreaterThan(20);
    expect(await Promise.all(requested)).toEqual([5_000, 5_000, 5_000, 5_000]);
  });

  test.each([
    'node=x',
    'node=__proto__',
    'node=self&node=self',
    'slot=memory',
    'slot=gpu&limit=0',
    'slot=gpu&limit=5001',
    'slot=gpu&limit=1e3',
    'slot=gpu&limit=-1',
    'slot=gpu&backMs=99999999999999',
    'slot=gpu&backMs=',
    'slot=gpu',
    'key=cpu',
    'limit=5001',
    'backMs=0',
    'nod=self',
    'node=self&slots=gpu',
    '=1',
    'x',
  ])('refuses ?%s', async query => {
    await using served = await serveCluster();
    const { status, json } = await fetchJson({ port: served.port, path: `/api/history?${query}` });
    expect([status, json.code]).toEqual([400, 'bad-query']);
    expect(served.requested).toEqual([]);
  });
});

const GPU_PROFILE = {
  deviceId: 'GPU-0',
  deviceName: 'card',
  deviceKind: 'gpu',
  engine: 'cuda',
  fp16FlopsPerSecond: 1e14,
  fp32FlopsPerSecond: { kind: 'unknown', reason: 'not measured' },
  memoryReadBytesPerSecond: 1e12,
  memoryCopyBytesPerSecond: 9e11,
  memoryGemvBytesPerSecond: 9e11,
  int8OperationsPerSecond: { kind: 'unknown', reason: 'not measured' },
  fp8FlopsPerSecond: { kind: 'unknown', reason: 'not measured' },
  isLowerBound: false,
  method: 'best of 5',
  measuredAgeMs: 10,
  intervalMs: 3_600_000,
  failure: 'none',
};
