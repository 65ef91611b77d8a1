// One peer of the replicator: what it has said of itself, what it may still send, and what it is owed.

import type { NodeId } from '../../core/ids.ts';
import type { MeshLink } from '../mesh.ts';
import type { ReplicationLimits } from './limits.ts';
import { PeerNeighbours } from './neighbours.ts';
import { Outbox, type OutboxParts } from './outbox.ts';
import { RateBudget } from './rate-budget.ts';

export class ReplicaPeer {
  readonly link: MeshLink;
  readonly neighbours: PeerNeighbours = new PeerNeighbours();
  readonly outbox: Outbox;
  hasSaidHello = false;
  #faults = 0;
  readonly #faultsMax: number;
  readonly #events: RateBudget;
  readonly #bytes: RateBudget;

  constructor(parts: OutboxParts, limits: ReplicationLimits) {
    const nowMs = parts.nowMs();
    this.link = parts.link;
    this.outbox = new Outbox(parts);
    this.#faultsMax = limits.faultsMax;
    this.#events = new RateBudget(limits.eventsBurst, limits.eventsPerSecond, nowMs);
    this.#bytes = new RateBudget(limits.bytesBurst, limits.bytesPerSecond, nowMs);
  }

  get id(): NodeId {
    return this.link.peerId;
  }

  mayBring(bytes: number, nowMs: number): boolean {
    return this.#bytes.take(bytes, nowMs) && this.#events.take(1, nowMs);
  }

  mayTell(events: number, nowMs: number): boolean {
    return this.#events.take(events, nowMs);
  }

  /** Counts a frame that no honest peer sends; past the bound the link ends. */
  fault(detail: string): void {
    this.#faults += 1;
    if (this.#faults >= this.#faultsMax) this.link.close('malformed', detail);
  }
}
