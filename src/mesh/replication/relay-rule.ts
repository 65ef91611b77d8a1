// Who passes an event on: of all nodes that neighbour both the sender and the peer, the one with the smallest id. In a
// full mesh nobody relays; in a line everybody does; flooding never happens. Lists that are a moment out of date cost a
// duplicate, or a wait until the next digest.

import type { NodeId } from '../../core/ids.ts';

/** The neighbours a node has told; undefined while it has told none. */
export type NeighbourLists = (node: NodeId) => ReadonlySet<NodeId> | undefined;

export interface Relay {
  readonly self: NodeId;
  /** Who sent the event here. */
  readonly sender: NodeId;
  /** Who may need it. */
  readonly peer: NodeId;
}

export const isRelay = ({ self, sender, peer }: Relay, neighboursOf: NeighbourLists): boolean => {
  if (peer === sender) return false;
  const ofSender = neighboursOf(sender);
  const ofPeer = neighboursOf(peer);
  if (ofSender?.has(peer) === true || ofPeer?.has(sender) === true) return false;
  if (ofSender === undefined || ofPeer === undefined) return true;
  const [smaller, larger] = ofSender.size < ofPeer.size ? [ofSender, ofPeer] : [ofPeer, ofSender];
  for (const node of smaller) if (node < self && larger.has(node)) return false;
  return true;
};
