// Thunderbolt cables between nodes of the cluster, each once, from what either end says of its peers.

import type { NodeId } from '../ids.ts';
import type { NodeView } from '../node/node-view.ts';
import { heldValue } from '../node/reading-view.ts';
import type { ThunderboltPort } from '../node/thunderbolt.ts';
import { isKnown } from '../unknown.ts';

export interface ThunderboltEnd {
  readonly view: NodeView;
  readonly port: ThunderboltPort;
}

export interface ThunderboltCable {
  readonly ends: readonly [ThunderboltEnd, ThunderboltEnd];
}

export const thunderboltCables = (views: readonly NodeView[]): readonly ThunderboltCable[] => {
  const ends = new Map<string, ThunderboltEnd>();
  for (const view of views)
    for (const port of heldValue(view.thunderbolt)?.ports ?? [])
      if (isKnown(port.domainUuid)) ends.set(port.domainUuid.toUpperCase(), { view, port });
  const cables = new Map<string, ThunderboltCable>();
  for (const [uuid, end] of ends) {
    for (const peer of end.port.peers) {
      const other = ends.get(peer.domainUuid.toUpperCase());
      if (other === undefined || other.view.nodeId === end.view.nodeId) continue;
      const key = [uuid, peer.domainUuid.toUpperCase()].sort().join(' ');
      if (!cables.has(key)) cables.set(key, { ends: [end, other] });
    }
  }
  return [...cables.values()];
};

/**
 * Nodes that are joined by at least as many cables as there are nodes: somewhere among them is a ring. Two cables between
 * two machines are one already.
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
