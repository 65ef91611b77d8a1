// One peer of the replicator: what it has reported about itself, what it may still send, and what it is owed.

import { TokenBucket } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';
import type { MeshLink } from '../mesh.ts';
import type { ReplicationLimits } from './limits.ts';
import { PeerNeighbours } from './neighbours.ts';
import { type OutboxParts, PeerOutbox } from './outbox.ts';

export class ReplicaPeer {
  readonly link: MeshLink;
  readonly neighbours: PeerNeighbours = new PeerNeighbours();
  readonly outbox: PeerOutbox;
  hasSaidHello = false;
  #faults = 0;
  readonly #faultsMax: number;
  readonly #events: TokenBucket;
  readonly #bytes: TokenBucket;

  constructor(parts: OutboxParts, limits: ReplicationLimits) {
    this.link = parts.link;
    this.outbox = new PeerOutbox(parts);
    this.#faultsMax = limits.faultsMax;
    const { eventsBurst, eventsPerSecond, bytesBurst, bytesPerSecond } = limits;
    this.#events = new TokenBucket(parts, { burst: eventsBurst, perSecond: eventsPerSecond });
    this.#bytes = new TokenBucket(parts, { burst: bytesBurst, perSecond: bytesPerSecond });
  }

  get id(): NodeId {
    return this.link.peerId;
  }

  mayBring(bytes: number): boolean {
    return this.#bytes.take(bytes) && this.#events.take();
  }

  mayTell(events: number): boolean {
    return this.#events.take(events);
  }

  /** Counts a frame that no correct peer sends; past the limit the link ends. */
  fault(detail: string): void {
    this.#faults += 1;
    if (this.#faults >= this.#faultsMax) this.link.close('malformed', detail);
  }
}
