// When figures were measured, according to /metrics: a failed attempt keeps the figures of an earlier one, and their time.

import { expect, test } from 'vitest';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { addLinkMetrics } from '../../../src/daemon/http/metrics/link-metrics.ts';
import { MetricPage } from '../../../src/daemon/http/metrics/metric-page.ts';
import { addNodeMetrics } from '../../../src/daemon/http/metrics/node-metrics.ts';
import type { ProfileRow } from '../../../src/wire/api/history-answers.ts';
import { eventOf, groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';
import { gpuRow, linkRow } from '../../support/profile-rows.ts';

const SELF = groupedNodeId(0);
const SINK = groupedNodeId(1);
const WALL_MS = 1_700_000_000_000;

test('kept figures are as old as they are, and what never was measured has no time', () => {
  const failed = { failure: unknown('no answer') };
  const kept = { ...failed, measuredAgeMs: 60_000 };
  const state = groupedState(
    [{ name: 'anvil', gpuNames: ['H200', 'H200'], gpuUse: 0.5 }, { name: 'bellows' }],
    [
      connectionFact('192.0.2.1'),
      connectionFact('2001:db8::1'),
      profiled(gpuRow(0, { ...kept, deviceId: 'GPU-0', fp16FlopsPerSecond: 1e12 })),
      profiled(gpuRow(0, { ...failed, deviceId: 'GPU-1' })),
      profiled(linkRow(0, { ...kept, ...ofLink('192.0.2.1'), roundTripNsP50: 1e6 })),
      profiled(linkRow(0, { ...failed, ...ofLink('2001:db8::1') })),
    ].map((fact, index) => eventOf(SELF, fact, { seq: index + 4 })),
  );
  const page = new MetricPage(WALL_MS);
  addNodeMetrics(page, nodeView(state, SELF, NOW_MS), { nowMs: NOW_MS, isShort: false });
  addLinkMetrics(page, {
    nowMs: NOW_MS,
    state,
    nodeId: SELF,
    connectionsMax: 10,
    only: undefined,
    links: linkViews(state, NOW_MS),
  });
  const reported = page.text('prometheus').split('\n');
  const times = reported.flatMap(line => {
    const [, labels = '', seconds] =
      /^plimsoll_\w+_profile_timestamp_seconds\{(.*)\} (\S+)$/.exec(line) ?? [];
    const of = /(?:device|connection)="([^"]*)"/.exec(labels)?.[1];
    return seconds === undefined ? [] : [[of, Number(seconds)]];
  });
  expect(Object.fromEntries(times)).toEqual({
    'GPU-0': WALL_MS / 1_000 - 60,
    // Both addresses are of one path, and have its figures.
    'socket eth0 IPv4': WALL_MS / 1_000 - 60,
    'socket eth0 IPv6': WALL_MS / 1_000 - 60,
  });
});

const ofLink = (address: string) => ({ sink: SINK, connectionKey: `socket ${address}` });

const connectionFact = (sinkAddress: string): Fact => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink: SINK,
    sinkAddress,
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e10,
  },
});

const profiled = ({ record }: ProfileRow): Fact => {
  if ('kind' in record && record.kind === 'gpu.profiled')
    return { kind: record.kind, payload: record.payload };
  if ('kind' in record && record.kind === 'link.profiled')
    return { kind: record.kind, payload: record.payload };
  throw new Error('not a profile');
};
