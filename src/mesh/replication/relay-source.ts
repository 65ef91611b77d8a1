// The source of frames on a link: the peer itself, or one of the many nodes that a group link leads to. Each
// has its own rate limit and its own count of faults, so one of a thousand cannot use up what the others may
// send.

import { TokenBucket } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';
import type { MeshLink } from '../mesh.ts';
import type { ReplicationLimits } from './limits.ts';

export class RelaySource {
  readonly id: NodeId;
  readonly link: MeshLink;
  #faults = 0;
  readonly #faultsMax: number;
  readonly #events: TokenBucket;
  readonly #bytes: TokenBucket;

  constructor(
    id: NodeId,
    link: MeshLink,
    { limits, nowMs }: { readonly limits: ReplicationLimits; readonly nowMs: () => number },
  ) {
    this.id = id;
    this.link = link;
    this.#faultsMax = limits.faultsMax;
    const { eventsBurst, eventsPerSecond, bytesBurst, bytesPerSecond } = limits;
    this.#events = new TokenBucket({ nowMs }, { burst: eventsBurst, perSecond: eventsPerSecond });
    this.#bytes = new TokenBucket({ nowMs }, { burst: bytesBurst, perSecond: bytesPerSecond });
  }

  mayRelay(bytes: number): boolean {
    return this.#bytes.take(bytes) && this.#events.take();
  }

  maySend(events: number): boolean {
    return this.#events.take(events);
  }

  /**
   * Counts a frame that no correct node sends; above the limit the link ends, or a group ignores this node.
   */
  fault(detail: string): void {
    this.#faults += 1;
    if (this.#faults >= this.#faultsMax) this.refuse(detail);
  }

  refuse(detail: string): void {
    const { group } = this.link;
    if (group === undefined) this.link.close('malformed', detail);
    else group.mute(this.id, detail);
  }
}
