// Which node passes an event on: of all nodes that neighbour both the sender and the peer, the one with the smallest
// id. In a full mesh no node relays, in a line every node does, and flooding never happens. Lists that are slightly out
// of date cost a duplicate, or a wait until the next digest.

import type { NodeId } from '../../core/ids.ts';
import type { ReplicaPeer } from './replica-peer.ts';

export class Relays {
  readonly #self: NodeId;
  readonly #peers: ReadonlyMap<NodeId, ReplicaPeer>;
  /** Needed for each event but changed by few messages, so cached until the next of those. */
  readonly #bySender = new Map<NodeId, readonly ReplicaPeer[]>();

  constructor(self: NodeId, peers: ReadonlyMap<NodeId, ReplicaPeer>) {
    this.#self = self;
    this.#peers = peers;
  }

  /** Peers to which this node relays what the sender sent. */
  to(sender: NodeId): readonly ReplicaPeer[] {
    const cached = this.#bySender.get(sender);
    if (cached !== undefined) return cached;
    const peers = [...this.#peers.values()].filter(peer => peer.hasSentHello && this.isOne(sender, peer.id));
    this.#bySender.set(sender, peers);
    return peers;
  }

  isOne(sender: NodeId, peer: NodeId): boolean {
    return peer !== sender && this.rank(sender, peer, 1) === 0;
  }

  /** Whether one of them reports a link with the other. */
  areNeighbours(a: NodeId, b: NodeId): boolean {
    return this.#neighboursOf(a)?.has(b) === true || this.#neighboursOf(b)?.has(a) === true;
  }

  /**
   * How many nodes precede this one in relaying between the two: the one with 0 does it. Counted up to `max`.
   */
  rank(sender: NodeId, peer: NodeId, max: number = RANK_MAX): number {
    const ofSender = this.#neighboursOf(sender);
    const ofPeer = this.#neighboursOf(peer);
    let before = this.areNeighbours(sender, peer) ? 1 : 0;
    if (ofSender === undefined || ofPeer === undefined) return before;
    const [smaller, larger] = ofSender.size < ofPeer.size ? [ofSender, ofPeer] : [ofPeer, ofSender];
    for (const node of smaller) {
      if (before >= max) break;
      if (node < this.#self && larger.has(node)) before += 1;
    }
    return before;
  }

  /** A peer joined or left, or reported other neighbours. */
  changed(): void {
    this.#bySender.clear();
  }

  /** Undefined while it has reported none. */
  #neighboursOf(node: NodeId): ReadonlySet<NodeId> | undefined {
    return this.#peers.get(node)?.neighbours.nodes;
  }
}

/** Among the nodes that could relay; later ones alternate with the last of these. */
const RANK_MAX = 64;
