// Thunderbolt cables between nodes of the cluster, each once, from what either end reports about its peers.

import type { NodeId } from '../ids.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { ThunderboltPort } from '../node/thunderbolt.ts';
import { isKnown } from '../unknown.ts';

export interface ThunderboltEnd {
  readonly view: NodeView;
  readonly port: ThunderboltPort;
}

interface ThunderboltCable {
  readonly ends: readonly [ThunderboltEnd, ThunderboltEnd];
}

export const thunderboltCables = (views: readonly NodeView[]): readonly ThunderboltCable[] => {
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
export const ringsOf = (
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
