// Made-up links between made-up machines: connections, what was measured on them, and what devices can do.

import type { Fact } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { type Connection, type ConnectionType, connectionKey } from '../../src/core/link/connection.ts';
import type { LinkProfile } from '../../src/core/link/link-profile.ts';
import type { GpuProfile } from '../../src/core/node/gpu-profile.ts';
import { isKnown, type Reported, unknown } from '../../src/core/unknown.ts';
import { LINK_FIGURES } from '../support/link-figures.ts';
import type { Machine } from './machines.ts';

export const idOf = ({ seed }: Pick<Machine, 'seed'>): NodeId => nodeId(seed.padEnd(26, 'x'));

export interface Wire {
  readonly type: Reported<ConnectionType>;
  readonly negotiatedBitsPerSecond: number;
  readonly up: number;
  readonly down: number;
  readonly roundTripNs: number;
  readonly jitterNs?: number;
  readonly address?: string;
  /** Over RDMA, from one interface to the other. */
  readonly rdma?: readonly [string, string];
  readonly ageMs?: number;
  readonly failure?: string;
}

export const connectionOf = (sink: NodeId, wire: Wire): Connection =>
  wire.rdma === undefined
    ? {
        kind: 'socket',
        sink,
        sinkAddress: wire.address ?? '192.0.2.7',
        sourceInterface: interfaceOf(wire),
        sinkInterface: interfaceOf(wire),
        type: wire.type,
        negotiatedBitsPerSecond: wire.negotiatedBitsPerSecond,
      }
    : {
        kind: 'rdma',
        sink,
        sourceInterface: wire.rdma[0],
        sinkInterface: wire.rdma[1],
        type: wire.type,
        negotiatedBitsPerSecond: wire.negotiatedBitsPerSecond,
      };

/** A radio and a cable are two interfaces. */
const interfaceOf = ({ type }: Wire): string => (isKnown(type) ? (INTERFACES[type] ?? 'en0') : 'br0');

const INTERFACES: Partial<Record<ConnectionType, string>> = {
  wifi: 'en1',
  thunderbolt: 'en2',
  overlay: 'utun0',
};

export const opened = (sink: NodeId, wire: Wire): Fact => ({
  kind: 'connection.opened',
  payload: connectionOf(sink, wire),
});

export const profileOf = (sink: NodeId, wire: Wire, value: Partial<LinkProfile> = {}): LinkProfile => ({
  sink,
  connectionKey: connectionKey(connectionOf(sink, wire)),
  ...LINK_FIGURES,
  uploadBitsPerSecond: wire.up,
  downloadBitsPerSecond: wire.down,
  roundTripNsMin: wire.roundTripNs * 0.9,
  roundTripNsP50: wire.roundTripNs,
  roundTripNsP99: wire.roundTripNs * 2.1,
  jitterNs: wire.jitterNs ?? wire.roundTripNs / 20,
  retransmits: wire.rdma === undefined ? 0 : unknown('no TCP'),
  uploadStreams: 4,
  downloadStreams: 4,
  engine: wire.rdma === undefined ? 'socket-ffi' : 'mlx-jaccl',
  method: wire.rdma === undefined ? 'TCP, 1.5 s each way' : 'JACCL, 1 MiB messages, 2 s each way',
  measuredAgeMs: wire.ageMs ?? 0,
  intervalMs: wire.rdma === undefined ? 300_000 : 21_600_000,
  failure: wire.failure === undefined ? 'none' : unknown(wire.failure),
  ...value,
});

export const profiled = (sink: NodeId, wire: Wire, value: Partial<LinkProfile> = {}): Fact => ({
  kind: 'link.profiled',
  payload: profileOf(sink, wire, value),
});

/** A connection with what was measured on it. */
export const wired = (sink: NodeId, wire: Wire): readonly Fact[] => [
  opened(sink, wire),
  profiled(sink, wire),
];

/** The same wire seen from its other end. */
export const turned = (wire: Wire): Wire => ({
  ...wire,
  up: wire.down,
  down: wire.up,
  ...(wire.rdma === undefined ? {} : { rdma: [wire.rdma[1], wire.rdma[0]] as const }),
});

export const measuredGpu = (
  deviceId: string,
  flops: number,
  bytes: number,
  value: Partial<GpuProfile> = {},
): Fact => ({
  kind: 'gpu.profiled',
  payload: {
    deviceId,
    deviceName: deviceId,
    deviceKind: 'gpu',
    engine: 'mlx',
    fp16FlopsPerSecond: flops,
    fp32FlopsPerSecond: unknown('FP16 was measured'),
    memoryReadBytesPerSecond: bytes,
    memoryCopyBytesPerSecond: bytes * 0.9,
    memoryGemvBytesPerSecond: bytes * 0.9,
    int8OperationsPerSecond: unknown('not measured'),
    fp8FlopsPerSecond: unknown('not measured'),
    isLowerBound: false,
    method: 'made up',
    measuredAgeMs: 0,
    intervalMs: 3_600_000,
    failure: 'none',
    ...value,
  },
});

export const THUNDERBOLT: Wire = {
  type: 'thunderbolt',
  negotiatedBitsPerSecond: 80e9,
  up: 74.8e9,
  down: 74.6e9,
  roundTripNs: 18_000,
  jitterNs: 600,
  rdma: ['rdma_en3', 'rdma_en4'],
};
export const ETHERNET: Wire = {
  type: 'ethernet',
  negotiatedBitsPerSecond: 10e9,
  up: 9.41e9,
  down: 9.38e9,
  roundTripNs: 214_000,
  jitterNs: 11_000,
  address: '192.0.2.9',
};
export const WIFI: Wire = {
  type: 'wifi',
  negotiatedBitsPerSecond: 1.2e9,
  up: 612e6,
  down: 488e6,
  roundTripNs: 5.4e6,
  jitterNs: 1.9e6,
  address: '192.0.2.21',
};
export const OVERLAY: Wire = {
  type: 'overlay',
  negotiatedBitsPerSecond: 0,
  up: 412e6,
  down: 411e6,
  roundTripNs: 3.99e6,
  jitterNs: 0.82e6,
  address: '100.88.70.34',
};
