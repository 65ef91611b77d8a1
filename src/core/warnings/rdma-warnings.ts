// Thunderbolt bridges that loop, RDMA that is switched off though the cable could carry it, and RDMA ports that are down.

import type { NodeId } from '../ids.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { ThunderboltPort } from '../node/thunderbolt.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { isKnown, knownOr } from '../unknown.ts';
import type { FoundWarning } from './warning.ts';

export const rdmaWarnings = (views: readonly NodeView[]): readonly FoundWarning[] => {
  const there = views.filter(({ presence }) => presence !== 'offline');
  const cables = thunderboltCables(there);
  const fast = cables.flatMap(({ ends: [one, other] }): (readonly [ThunderboltEnd, ThunderboltEnd])[] =>
    isFast(one) || isFast(other)
      ? [
          [one, other],
          [other, one],
        ]
      : [],
  );
  return [
    ...ringsOf(cables, hasBridge).map(loopWarning),
    ...offWarnings(fast),
    ...fast.flatMap(([end, other]) => downWarning(end, other)),
    ...there.flatMap(waitingWarnings),
  ];
};

/** Thunderbolt ports below version 5 have no RDMA. */
const isFast = ({ port }: ThunderboltEnd): boolean =>
  knownOr(port.negotiatedBitsPerSecond, 0) >= THUNDERBOLT_5;

const hasBridge = (view: NodeView): boolean => bridgeOf(view)?.isEnabled === true;

const bridgeOf = (view: NodeView) => {
  const bridge = knownValue(view.thunderbolt)?.bridge;
  return bridge?.kind === 'present' ? bridge : undefined;
};

const loopWarning = (ring: readonly NodeView[]): FoundWarning => {
  const [first] = ring;
  const service = first === undefined ? undefined : bridgeOf(first)?.serviceName;
  const name = service !== undefined && isKnown(service) ? service : 'Thunderbolt Bridge';
  const names = ring.map(view => view.name).join(', ');
  return {
    id: `bridge loop ${ring.map(({ nodeId }) => nodeId).join(' ')}`,
    level: 'danger',
    nodes: ring.map(({ nodeId }) => nodeId),
    title: sentence`Thunderbolt bridges of ${names} form a loop`,
    why: plainSentence(
      'Each bridge joins its ports into one network, and the cables close a ring: broadcasts circulate forever and take the links down.',
    ),
    on: ring.length === 1 ? names : `each of ${names}`,
    command: shellCommand`sudo networksetup -setnetworkserviceenabled ${name} off`,
  };
};

const offWarnings = (
  fast: readonly (readonly [ThunderboltEnd, ThunderboltEnd])[],
): readonly FoundWarning[] => {
  const off = new Map<string, { readonly view: NodeView; readonly others: Set<string> }>();
  for (const [{ view }, other] of fast) {
    if (knownValue(view.rdmaDevices)?.isEnabled !== false || !isMac(view)) continue;
    const existing = off.get(view.nodeId) ?? { view, others: new Set<string>() };
    off.set(view.nodeId, existing);
    existing.others.add(other.view.name);
  }
  return [...off.values()].map(({ view, others }) => ({
    id: `rdma off ${view.nodeId}`,
    level: 'caution',
    nodes: [view.nodeId],
    title: sentence`${view.name}: RDMA is available but switched off`,
    why: sentence`Its Thunderbolt 5 cable to ${[...others].join(' and ')} could carry RDMA. RDMA can only be enabled in macOS Recovery: hold the power button while starting, open Terminal there, then restart.`,
    on: `${view.name}, in Recovery`,
    command: 'rdma_ctl enable',
  }));
};

const downWarning = ({ view, port }: ThunderboltEnd, other: ThunderboltEnd): readonly FoundWarning[] => {
  const rdma = knownValue(view.rdmaDevices);
  if (rdma?.isEnabled !== true || knownValue(other.view.rdmaDevices)?.isEnabled !== true) return [];
  const device = rdma.devices.find(({ name }) => name === port.rdmaInterfaceName);
  if (device?.ports.some(({ state }) => state === 'down') !== true) return [];
  return [
    {
      id: `rdma down ${view.nodeId} ${device.name}`,
      level: 'caution',
      nodes: [view.nodeId, other.view.nodeId],
      title: sentence`${view.name}: RDMA port ${device.name} is down`,
      why: sentence`The cable to ${other.view.name} is linked and RDMA is on at both ends, but the port is not active. Unplug the cable and plug it in again; if that does not help, restart both machines.`,
      on: view.name,
      command: shellCommand`ibv_devinfo -d ${device.name}`,
    },
  ];
};

/** InfiniBand ports with a link that no subnet manager has configured. */
const waitingWarnings = (view: NodeView): readonly FoundWarning[] =>
  (knownValue(view.rdmaDevices)?.devices ?? []).flatMap(device =>
    device.ports
      .filter(({ linkLayer, state }) => linkLayer === 'infiniband' && state === 'initializing')
      .map(({ number }) => ({
        id: `rdma waits ${view.nodeId} ${device.name} ${number}`,
        level: 'caution' as const,
        nodes: [view.nodeId],
        title: sentence`${view.name}: InfiniBand port ${device.name}/${number} waits for a subnet manager`,
        why: plainSentence(
          'Its cable is linked, but the port has no address. One machine or switch of the fabric must run a subnet manager.',
        ),
        on: view.name,
        command: 'sudo systemctl enable --now opensm',
      })),
  );

const isMac = (view: NodeView): boolean => knownValue(view.identity)?.operatingSystem.platform === 'macos';

const THUNDERBOLT_5 = 80e9;

// Thunderbolt cables between nodes of the cluster, each once, from what either end reports about its peers.
interface ThunderboltEnd {
  readonly view: NodeView;
  readonly port: ThunderboltPort;
}

interface ThunderboltCable {
  readonly ends: readonly [ThunderboltEnd, ThunderboltEnd];
}

const thunderboltCables = (views: readonly NodeView[]): readonly ThunderboltCable[] => {
  const ends = views.flatMap(view =>
    (knownValue(view.thunderbolt)?.ports ?? []).flatMap(port =>
      isKnown(port.domainUuid) ? [{ view, port, uuid: port.domainUuid.toUpperCase() }] : [],
    ),
  );
  // Two receptacles of an Intel Mac have one domain: the machine at the other end shows which of them a cable
  // is in.
  const byDomain = Map.groupBy(ends, ({ uuid }) => uuid);
  const seen = new Map<string, number>();
  const cables = new Map<string, ThunderboltCable>();
  for (const end of ends) {
    for (const peer of end.port.peers) {
      const peerUuid = peer.domainUuid.toUpperCase();
      const others = (byDomain.get(peerUuid) ?? []).filter(({ view }) => view.nodeId !== end.view.nodeId);
      const direction = `${end.uuid} ${peerUuid}`;
      const count = seen.get(direction) ?? 0;
      seen.set(direction, count + 1);
      const facing = others.filter(({ port }) =>
        port.peers.some(({ domainUuid }) => domainUuid.toUpperCase() === end.uuid),
      );
      const other = facing[count] ?? facing[0] ?? others[0];
      if (other === undefined) continue;
      // The nth cable seen from one end is the nth seen from the other.
      const key = `${[end.uuid, peerUuid].sort().join(' ')} ${count}`;
      if (!cables.has(key)) cables.set(key, { ends: [end, other] });
    }
  }
  return [...cables.values()];
};

/**
 * Nodes that are joined by at least as many cables as there are nodes: there is a ring among them. Two cables
 * between two machines form one already.
 */
const ringsOf = (
  cables: readonly ThunderboltCable[],
  takesPart: (view: NodeView) => boolean,
): readonly (readonly NodeView[])[] => {
  const edges = cables.filter(({ ends }) => ends.every(({ view }) => takesPart(view)));
  const parents = new Map<NodeId, NodeId>();
  const rootOf = (node: NodeId): NodeId => {
    const parent = parents.get(node) ?? node;
    return parent === node ? node : rootOf(parent);
  };
  for (const { ends } of edges) parents.set(rootOf(ends[0].view.nodeId), rootOf(ends[1].view.nodeId));
  const groups = new Map<NodeId, { readonly views: Map<NodeId, NodeView>; cables: number }>();
  for (const { ends } of edges) {
    const root = rootOf(ends[0].view.nodeId);
    const group = groups.get(root) ?? { views: new Map(), cables: 0 };
    groups.set(root, group);
    group.cables += 1;
    for (const { view } of ends) group.views.set(view.nodeId, view);
  }
  return [...groups.values()]
    .filter(({ views, cables: count }) => count >= views.size)
    .map(({ views }) => [...views.values()]);
};
