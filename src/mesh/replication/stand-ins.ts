// Replaces a relay that does not pass events on. The relay rule gives the job to one node; peers report in
// each digest how far they have an origin's live values, and a node that sees a peer fall behind takes over:
// the next one by the rule first, then more each time the peer is still behind. It lasts a while, longer each
// time it was needed.

import type { NodeId } from '../../core/ids.ts';
import type { ReplicaPeer } from './replica-peer.ts';

interface StandIn {
  /** Digests in a row that found the peer behind. */
  misses: number;
  /** How often this node took over. */
  times: number;
  untilMs: number;
}

export class StandIns {
  readonly #nowMs: () => number;
  readonly #byPeer = new Map<ReplicaPeer, Map<NodeId, StandIn>>();
  /** The inverse map of those that may still be active: read for each relayed value. */
  readonly #begun = new Map<NodeId, Map<ReplicaPeer, StandIn>>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * A digest shows that the peer lacks values of the origin.
   * @param rank of this node among those that could pass them on.
   */
  behind(peer: ReplicaPeer, origin: NodeId, rank: number): void {
    const one = this.#of(peer, origin);
    one.misses += 1;
    if (rank > 2 ** (one.misses - 1) || one.untilMs > this.#nowMs()) return;
    one.untilMs = this.#nowMs() + Math.min(STAND_IN_MS_MAX, STAND_IN_MS * 2 ** Math.min(one.times, 20));
    one.times += 1;
    const begun = this.#begun.get(origin) ?? new Map<ReplicaPeer, StandIn>();
    begun.set(peer, one);
    this.#begun.set(origin, begun);
  }

  /** It has what was stored here a moment ago. */
  level(peer: ReplicaPeer, origin: NodeId): void {
    const one = this.#byPeer.get(peer)?.get(origin);
    if (one !== undefined) one.misses = 0;
  }

  /** Peers to which this node relays what it has of the origin, regardless of the relay rule. */
  *for(origin: NodeId): Iterable<ReplicaPeer> {
    const begun = this.#begun.get(origin);
    if (begun === undefined) return;
    const nowMs = this.#nowMs();
    for (const [peer, { untilMs }] of begun)
      if (untilMs > nowMs) yield peer;
      else this.#end(origin, peer);
  }

  isFor(origin: NodeId, peer: ReplicaPeer): boolean {
    return (this.#byPeer.get(peer)?.get(origin)?.untilMs ?? 0) > this.#nowMs();
  }

  peerGone(peer: NodeId): void {
    for (const [one, origins] of this.#byPeer) {
      if (one.id !== peer) continue;
      for (const origin of origins.keys()) this.#end(origin, one);
      this.#byPeer.delete(one);
    }
  }

  #end(origin: NodeId, peer: ReplicaPeer): void {
    const begun = this.#begun.get(origin);
    begun?.delete(peer);
    if (begun?.size === 0) this.#begun.delete(origin);
  }

  #of(peer: ReplicaPeer, origin: NodeId): StandIn {
    const origins = this.#byPeer.get(peer) ?? new Map<NodeId, StandIn>();
    this.#byPeer.set(peer, origins);
    const existing = origins.get(origin);
    if (existing !== undefined) return existing;
    const oldest = origins.keys().next().value;
    if (origins.size >= ORIGINS_OF_PEER_MAX && oldest !== undefined) {
      origins.delete(oldest);
      this.#end(oldest, peer);
    }
    const made = { misses: 0, times: 0, untilMs: 0 };
    origins.set(origin, made);
    return made;
  }
}

const STAND_IN_MS = 60_000;
const STAND_IN_MS_MAX = 600_000;
const ORIGINS_OF_PEER_MAX = 1_024;
