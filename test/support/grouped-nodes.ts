// A cluster of any size at one moment, for tests of groups: each node with its place, its hardware and its state.

import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { type Connection, connectionKey } from '../../src/core/link/connection.ts';
import type { LinkProfile } from '../../src/core/link/link-profile.ts';
import type { NodeContainer } from '../../src/core/node/container.ts';
import { nodeView } from '../../src/core/node/node-view.ts';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { type Reported, unknown } from '../../src/core/unknown.ts';
import { everyWarning } from '../../src/core/warnings/cluster-warnings.ts';
import { LINK_FIGURES } from './link-figures.ts';

interface GroupedNode {
  readonly name: string;
  readonly site?: string;
  readonly rack?: string;
  readonly machineKind?: string;
  readonly tags?: readonly string[];
  readonly model?: string;
  readonly gpuNames?: readonly string[];
  /** 0..1 */
  readonly memoryUse?: number;
  readonly gpuUse?: number;
  /** Last seen this long before `NOW_MS`. */
  readonly silentMs?: number;
  /** Of its machine in Kubernetes. */
  readonly labels?: Readonly<Record<string, string>>;
  /** A version that reports no place. */
  readonly isOld?: boolean;
  readonly webhooks?: readonly string[];
}

export const NOW_MS = 100_000;

/** The id of the node at that index of the list. */
export const groupedNodeId = (index: number): NodeId =>
  nodeId(`${digits(index)}${'a'.repeat(26)}`.slice(0, 26));

export const groupedState = (nodes: readonly GroupedNode[], more: readonly Event[] = []): State =>
  applyAll(EMPTY_STATE, [
    ...nodes.flatMap((node, index) => eventsOfNode(node, groupedNodeId(index))),
    ...more,
  ]);

export const groupSources = (state: State, nowMs: number = NOW_MS) => {
  const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
  return { state, views, nowMs, warnings: everyWarning({ state, views, nowMs }) };
};

export const eventOf = (
  origin: NodeId,
  fact: Fact,
  { seq, receivedAtMs = NOW_MS }: { readonly seq: number; readonly receivedAtMs?: number },
): Event => ({
  origin,
  epoch: 1,
  class: eventClass(fact.kind),
  seq,
  key: factKey(fact),
  ageMs: 0,
  receivedAtMs,
  ...fact,
});

const eventsOfNode = (node: GroupedNode, origin: NodeId): readonly Event[] => {
  const receivedAtMs = NOW_MS - (node.silentMs ?? 0);
  const gathered = <T>(value: T) => ({ source: 'test', intervalMs: 30_000, value });
  const gpus = node.gpuNames ?? [];
  const durable: readonly Fact[] = [
    { kind: 'identity.gathered', payload: gathered(identityOf(node)) },
    { kind: 'config.gathered', payload: gathered(configOf(node)) },
    ...(node.labels === undefined
      ? []
      : [{ kind: 'container.gathered' as const, payload: gathered(podOf(node.labels)) }]),
    ...(gpus.length === 0
      ? []
      : [
          {
            kind: 'gpus.gathered' as const,
            payload: gathered({ vendor: 'nvidia' as const, devices: gpus.map(deviceOf) }),
          },
        ]),
  ];
  const live: readonly Fact[] = [
    { kind: 'memory.gathered', payload: gathered(memoryOf(node)) },
    ...(gpus.length === 0 || node.gpuUse === undefined
      ? []
      : [
          {
            kind: 'gpuLoads.gathered' as const,
            payload: gathered({
              vendor: 'nvidia' as const,
              devices: gpus.map((_, index) => loadOf(index, node.gpuUse ?? 0, node.memoryUse ?? 0)),
            }),
          },
        ]),
  ];
  return [
    ...durable.map((fact, index) => eventOf(origin, fact, { seq: index + 1, receivedAtMs })),
    ...live.map((fact, index) => eventOf(origin, fact, { seq: index + 1, receivedAtMs })),
  ];
};

const identityOf = ({ name, model }: GroupedNode) => ({
  friendlyName: name,
  hostName: `${name}.example`,
  model: model ?? unknown('no DMI'),
  chip: unknown('not reported'),
  architecture: 'x64',
  cpuCount: 64,
  operatingSystem: { platform: 'linux' as const, name: 'Debian', version: '12', build: unknown('none') },
  memoryIsUnified: false,
  virtualisation: 'none',
  plimsollVersion: '0.2.0',
  isSimulated: false,
});

const configOf = (node: GroupedNode) => {
  const why = node.isOld === true ? 'not reported by that version' : 'not set in config.toml';
  const label = (value: string | undefined): Reported<string> => value ?? unknown(why);
  return {
    tags: node.tags ?? [],
    site: label(node.site),
    rack: label(node.rack),
    machineKind: label(node.machineKind),
    ignoredInterfaces: [],
    staticPeerCount: 0,
    probes: { isEnabled: true, gpuTtlSeconds: 3_600, socketTtlSeconds: 300, rdmaTtlSeconds: 21_600 },
    makesLoad: false,
    webhooks: [...(node.webhooks ?? [])],
    servedEndpoints: [],
  };
};

const podOf = (labels: Readonly<Record<string, string>>): NodeContainer => ({
  cpuLimit: { kind: 'none' },
  memoryLimit: { kind: 'none' },
  pod: {
    kind: 'pod',
    machine: 'worker-7',
    podName: 'plimsoll-x4k2p',
    namespace: 'observability',
    labels: Object.entries(labels).map(([label, value]) => ({ label, value })),
  },
});

const memoryOf = ({ memoryUse = 0.5 }: GroupedNode) => ({
  totalBytes: 1e12,
  availableBytes: 1e12 * (1 - memoryUse),
  swapTotalBytes: 0,
  swapUsedBytes: 0,
  pressure: { level: 'normal' as const, stalledShare: 0 },
  container: { kind: 'none' as const },
});

const deviceOf = (name: string, index: number) => ({
  deviceId: `GPU-${index}`,
  index,
  name,
  memoryTotalBytes: 80e9,
  memoryIsUnified: false,
  driver: '570',
  runtime: 'CUDA 12.8',
  architecture: 'hopper',
  coreCount: 132,
  pcieMax: { generation: 5, width: 16 },
  powerLimitWatts: 700,
  partitions: [],
});

const loadOf = (index: number, use: number, memoryUse: number) => ({
  deviceId: `GPU-${index}`,
  use,
  memoryUsedBytes: 80e9 * memoryUse,
  temperatureCelsius: 50,
  powerWatts: 400,
  clockMhz: 1_900,
  pcieNow: { generation: 5, width: 16 },
  throttleReasons: [],
});

/** Ids are of base 32 without digits below 2. */
const digits = (index: number): string =>
  [12, 9, 6, 3, 0].map(shift => ALPHABET[Math.floor(index / 2 ** shift) % 8] ?? 'a').join('');

const ALPHABET = 'bcdefghi';
/** Of a node without GPUs: durable events have no gaps. */
const DURABLE_FACTS = 2;

export interface MeasuredLink {
  /** Indexes in the list of nodes; the first measures. */
  readonly ends: readonly [number, number];
  readonly there: number;
  readonly back?: number;
  readonly negotiated?: number;
}

/** Socket connections over Ethernet with their profiles, reported by their source nodes. */
export const linkEvents = (links: readonly MeasuredLink[]): readonly Event[] => {
  const seqs = new Map<NodeId, number>();
  return links.flatMap(({ ends: [from, to], there, back = there, negotiated }) => {
    const [source, sink] = [groupedNodeId(from), groupedNodeId(to)];
    const sinkAddress = `10.${to >> 8}.${to & 255}.1`;
    const connection = {
      kind: 'socket' as const,
      sink,
      sinkAddress,
      sourceInterface: 'eth0',
      sinkInterface: 'eth0',
      type: 'ethernet' as const,
      negotiatedBitsPerSecond: negotiated ?? unknown('not reported'),
    };
    const facts: readonly Fact[] = [
      { kind: 'connection.opened', payload: connection },
      { kind: 'link.profiled', payload: profileOf(connection, there, back) },
    ];
    return facts.map(fact => {
      const seq = (seqs.get(source) ?? DURABLE_FACTS) + 1;
      seqs.set(source, seq);
      return eventOf(source, fact, { seq });
    });
  });
};

const profileOf = (connection: Connection, there: number, back: number): LinkProfile => ({
  sink: connection.sink,
  connectionKey: connectionKey(connection),
  ...LINK_FIGURES,
  uploadBitsPerSecond: there,
  downloadBitsPerSecond: back,
  roundTripNsMin: 90_000,
  roundTripNsP50: 100_000,
  roundTripNsP99: 200_000,
  jitterNs: 9_000,
  engine: 'made up',
  method: 'made up',
});
