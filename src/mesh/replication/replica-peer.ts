// One peer of the replicator: what it has reported about itself, what is queued for it, and the sources of
// frames on its link.

import type { NodeId } from '../../core/ids.ts';
import type { MeshLink } from '../mesh.ts';
import type { ReplicationLimits } from './limits.ts';
import { PeerNeighbours } from './neighbours.ts';
import { type OutboxParts, PeerOutbox } from './outbox.ts';
import { RelaySource } from './relay-source.ts';

export class ReplicaPeer {
  readonly link: MeshLink;
  readonly neighbours: PeerNeighbours = new PeerNeighbours();
  readonly outbox: PeerOutbox;
  hasSentHello = false;
  readonly #limits: ReplicationLimits;
  readonly #nowMs: () => number;
  /** As many as its transport permits; one for a link between two nodes. */
  readonly #bringers = new Map<NodeId, RelaySource>();

  constructor(parts: OutboxParts, limits: ReplicationLimits) {
    this.link = parts.link;
    this.outbox = new PeerOutbox(parts);
    this.#limits = limits;
    this.#nowMs = parts.nowMs;
  }

  get id(): NodeId {
    return this.link.peerId;
  }

  relaySource(node: NodeId): RelaySource {
    const held = this.#bringers.get(node);
    if (held !== undefined) return held;
    const made = new RelaySource(node, this.link, { limits: this.#limits, nowMs: this.#nowMs });
    this.#bringers.set(node, made);
    return made;
  }
}
