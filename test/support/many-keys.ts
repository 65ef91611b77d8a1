// Events of a member that tries to fill the maps of others: one kind, each with a different key.

import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { unknown } from '../../src/core/unknown.ts';

export const deviceProfile = (deviceId: string): Fact => ({
  kind: 'gpu.profiled',
  payload: {
    deviceId,
    deviceName: 'device',
    deviceKind: 'gpu',
    engine: 'cuda',
    fp16FlopsPerSecond: 1e12,
    fp32FlopsPerSecond: unknown('not measured'),
    memoryReadBytesPerSecond: 1e9,
    memoryCopyBytesPerSecond: 1e9,
    memoryGemvBytesPerSecond: unknown('not measured'),
    int8OperationsPerSecond: unknown('not measured'),
    fp8FlopsPerSecond: unknown('not measured'),
    isLowerBound: false,
    method: 'product',
    measuredAgeMs: 0,
    intervalMs: 3_600_000,
    failure: 'none',
  },
});

export const connectionTo = (sink: NodeId, sinkAddress: string): Fact => ({
  kind: 'connection.opened',
  payload: {
    kind: 'socket',
    sink,
    sinkAddress,
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e9,
  },
});

export const forgotten = (subject: NodeId): Fact => ({
  kind: 'node.forgotten',
  payload: { subject, durableEpoch: 0, durableSeq: 0, liveEpoch: 0, liveSeq: 0 },
});

export const deviceProfiles = (count: number): readonly Fact[] =>
  Array.from({ length: count }, (_, index) => deviceProfile(`gpu-${index}`));

/** Ids of nodes that are not there. */
export const madeUpNode = (index: number): NodeId =>
  nodeId(`n${index.toString(36).padStart(5, '0')}`.padEnd(26, 'a'));

/** As an origin numbers them, all durable or all live, from `after` on. */
export const numberedFrom = (
  {
    origin,
    epoch = 1,
    after = 0,
  }: { readonly origin: NodeId; readonly epoch?: number; readonly after?: number },
  facts: readonly Fact[],
): readonly Event[] =>
  facts.map((fact, index) => ({
    origin,
    epoch,
    class: eventClass(fact.kind),
    seq: after + index + 1,
    key: factKey(fact),
    ageMs: 0,
    receivedAtMs: 0,
    ...fact,
  }));
