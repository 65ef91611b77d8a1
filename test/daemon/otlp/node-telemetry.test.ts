// One node as OTLP: known values are in the units of the conventions, unknown ones have no point.

import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { OTLP_POINTS_MAX, PointPage } from '../../../src/daemon/otlp/point-page.ts';
import { nodeTelemetry } from '../../../src/daemon/otlp/telemetry-export.ts';
import { eventOf, groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';
import { OTLP_METRICS } from '../../support/otlp-receiver.ts';
import { linkRow } from '../../support/profile-rows.ts';

const SELF = groupedNodeId(0);
const SINK = groupedNodeId(1);
const WALL_MS = 1_700_000_000_000;

test('a node is exported by the conventions: its GPUs, its ports, its links, with units and directions', () => {
  const points = pointsOf(FACTS);
  const gpu = 'hw.id=GPU-0';
  expect(points.get(`hw.gpu.utilization 1 gauge hw.gpu.task=general ${gpu}`)).toBe(0.25);
  expect(points.get(`hw.gpu.memory.limit By up-down ${gpu}`)).toBe(80e9);
  expect(points.get(`hw.gpu.memory.usage By up-down ${gpu}`)).toBe(40e9);
  expect(points.get(`hw.gpu.memory.utilization 1 gauge ${gpu}`)).toBe(0.5);
  expect(points.get(`hw.power W gauge ${gpu} hw.type=gpu`)).toBe(400);
  expect(points.get('hw.temperature Cel gauge hw.id=GPU-0.temperature hw.parent=GPU-0')).toBe(50);
  expect(points.get('system.memory.limit By up-down')).toBe(1e12);
  const port = (more: string): string => `hw.id=eth0 ${more}`;
  expect(points.get(`hw.network.io By counter ${port('network.io.direction=receive')}`)).toBe(1_000);
  expect(
    points.get(`hw.errors {error} counter ${port('hw.type=network network.io.direction=transmit')}`),
  ).toBe(2);
  const link = 'plimsoll.link.method=socket-ffi';
  expect(points.get(`plimsoll.link.bandwidth By/s gauge network.io.direction=transmit ${link}`)).toBe(1e9);
  expect(points.get(`plimsoll.link.bandwidth By/s gauge network.io.direction=receive ${link}`)).toBe(5e8);
  expect(points.get(`plimsoll.link.round_trip s gauge ${link} plimsoll.link.statistic=p50`)).toBe(0.00002);
  expect(points.get(`plimsoll.link.queue s gauge network.io.direction=transmit ${link}`)).toBe(0.0004);
  expect(points.get(`plimsoll.link.age s gauge ${link}`), 'the figures are older than the last attempt').toBe(
    60,
  );
});

test('what is unknown, stale or another node is no point, and an address is in no attribute', () => {
  const points = pointsOf(FACTS);
  const named = (start: string): readonly string[] => [...points.keys()].filter(key => key.startsWith(start));
  expect(named('hw.host.power')).toEqual([]);
  expect(named('plimsoll.link.jitter')).toEqual([]);
  expect(named('hw.network.packets'), 'packets were not reported').toEqual([]);
  expect(named('hw.network.io').some(key => key.includes('hw.id=lo'))).toBe(false);
  expect(named('hw.gpu.utilization')).toHaveLength(1);
  const { body } = messageOf(FACTS, NOW_MS) ?? { body: '' };
  expect(body).not.toContain('192.0.2.7');
  const late = messageOf([trafficFact], NOW_MS + 3_600_000)?.body ?? '';
  expect(late).not.toContain('hw.gpu.utilization');
  expect(late).not.toContain('hw.network.io');
  expect(late, 'what a device is does not age').toContain('hw.gpu.memory.limit');
});

test('errors of memory and of the driver are exported by what they are, and what is not counted has no point', () => {
  const points = pointsOf([gpuErrorsFact, gpuHealthFact]);
  const reported = [...points].filter(([key]) => key.startsWith('hw.errors'));
  expect(Object.fromEntries(reported)).toEqual({
    'hw.errors {error} counter error.type=uncorrected hw.id=GPU-0 hw.type=gpu': 2,
    'hw.errors {error} counter error.type=xid_79 hw.id=0000:1b:00 hw.type=gpu': 3,
  });
  const late = messageOf([gpuErrorsFact, gpuHealthFact], NOW_MS + 3_600_000)?.body ?? '';
  expect(late, 'stale').not.toContain('hw.errors');
});

test('its resource reports which machine it is, as the conventions call machines', () => {
  const { resourceMetrics } = parsedOf([]);
  const attributes = resourceMetrics[0]?.resource.attributes.map(({ key, value }) => [
    key,
    Object.values(value)[0],
  ]);
  expect(Object.fromEntries(attributes ?? [])).toMatchObject({
    'service.name': 'plimsoll',
    'service.version': '1.2.3',
    'service.instance.id': SELF,
    'plimsoll.node.name': 'anvil',
    'host.name': 'anvil.example',
    'host.arch': 'amd64',
    'os.type': 'linux',
  });
});

test('a message has a bound of points, and what is past it is counted', () => {
  const page = new PointPage(WALL_MS);
  const instrument = { name: 'a', unit: '1', description: 'a', kind: 'gauge' } as const;
  for (let count = 0; count < OTLP_POINTS_MAX + 3; count += 1) page.put(instrument, {}, count);
  expect(page.leftOut).toBe(3);
  expect(page.metrics()).toMatchObject([{ gauge: { dataPoints: { length: OTLP_POINTS_MAX } } }]);
});

const messageOf = (facts: readonly Fact[], nowMs: number) => {
  const state = groupedState(
    [
      { name: 'anvil', gpuNames: ['H200'], gpuUse: 0.25, memoryUse: 0.5 },
      { name: 'bellows', gpuNames: ['H200'], gpuUse: 0.75 },
    ],
    // Durable ones go on behind identity, config and inventory.
    facts.map((fact, index) => eventOf(SELF, fact, { seq: index + 3 })),
  );
  return nodeTelemetry(state, { nodeId: SELF, version: '1.2.3', nowMs, wallMs: WALL_MS }).message;
};

const parsedOf = (facts: readonly Fact[]) =>
  v.parse(OTLP_METRICS, JSON.parse(messageOf(facts, NOW_MS)?.body ?? '{}'));

/** By name, unit, kind, and the attributes that distinguish points of the same name. */
const pointsOf = (facts: readonly Fact[]): ReadonlyMap<string, number> => {
  const points = new Map<string, number>();
  for (const { name, unit, gauge, sum } of parsedOf(facts).resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [])
    for (const { attributes, asDouble, timeUnixNano } of gauge?.dataPoints ?? sum?.dataPoints ?? []) {
      expect(timeUnixNano).toBe(`${WALL_MS}000000`);
      const kind = sum === undefined ? 'gauge' : sum.isMonotonic ? 'counter' : 'up-down';
      const reported = attributes
        .filter(({ key }) => REPORTED.has(key))
        .map(({ key, value }) => `${key}=${Object.values(value)[0]}`)
        .toSorted();
      points.set([name, unit, kind, ...reported].join(' '), asDouble);
    }
  return points;
};

const REPORTED: ReadonlySet<string> = new Set([
  'hw.id',
  'hw.type',
  'hw.parent',
  'hw.gpu.task',
  'error.type',
  'network.io.direction',
  'plimsoll.link.method',
  'plimsoll.link.statistic',
]);

const NONE = unknown('not reported');

const trafficFact: Fact = {
  kind: 'traffic.gathered',
  payload: {
    source: 'test',
    intervalMs: 1_000,
    value: {
      ports: ['lo', 'eth0'].map(name => ({
        name,
        kind: 'interface' as const,
        received: { bytes: 1_000, packets: NONE, errors: 0, drops: NONE },
        sent: { bytes: 2_000, packets: NONE, errors: 2, drops: NONE },
        rates: NONE,
      })),
    },
  },
};

const gpuErrorsFact: Fact = {
  kind: 'gpuErrors.gathered',
  payload: {
    source: 'kernel log',
    intervalMs: 10_000,
    value: { errors: [{ address: '0000:1b:00', xid: 79, count: 3, newestAgeMs: 0, text: '' }] },
  },
};

const gpuHealthFact: Fact = {
  kind: 'gpuHealths.gathered',
  payload: {
    source: 'nvidia-smi',
    intervalMs: 30_000,
    value: {
      vendor: 'nvidia',
      devices: [
        {
          deviceId: 'GPU-0',
          eccVolatile: { corrected: NONE, uncorrected: 2 },
          eccAggregate: { corrected: 7, uncorrected: 7 },
          repair: {
            rowsAfterCorrected: NONE,
            rowsAfterUncorrected: NONE,
            retiredPages: NONE,
            isPending: NONE,
            hasFailed: NONE,
          },
          pcieReplays: 1,
          recoveryAction: NONE,
          links: NONE,
        },
      ],
    },
  },
};

const connectionFact: Fact = {
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink: SINK,
    sinkAddress: '192.0.2.7',
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e10,
  },
};

const { record } = linkRow(0, {
  sink: SINK,
  connectionKey: 'socket 192.0.2.7',
  uploadBitsPerSecond: 8e9,
  downloadBitsPerSecond: 4e9,
  roundTripNsP50: 20_000,
  uploadQueueNs: 400_000,
  engine: 'socket-ffi',
  measuredAgeMs: 60_000,
  failure: unknown('the sink was busy'),
});
if (!('kind' in record) || record.kind !== 'link.profiled') throw new Error('a row of a link');
const profileFact: Fact = { kind: record.kind, payload: record.payload };

/** A live one first, whose number may be any. */
const FACTS: readonly Fact[] = [trafficFact, connectionFact, profileFact];
