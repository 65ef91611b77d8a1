// From where a node gets records of a fleet that it lacks: from their origin, from the node that claims them,
// or from the last values that the server stored when the link came up.

import type { NodeId } from '../../core/ids.ts';
import { isAhead, type VectorEntry } from '../../wire/version-vector.ts';
import type { FleetClaims } from './fleet-claims.ts';
import type { FleetMembers } from './fleet-members.ts';
import type { FleetPublisher } from './fleet-publisher.ts';
import type { StateSnapshot } from './state-snapshot.ts';

interface RecordSourcesParts {
  readonly self: NodeId;
  readonly members: FleetMembers;
  readonly claims: FleetClaims;
  readonly publisher: FleetPublisher;
  readonly snapshot: StateSnapshot;
  readonly chunkBytesMax: number;
  readonly nowMs: () => number;
  /** Mesh frames about an origin, made as they are taken, and the publisher of what is in them. */
  readonly follow: (
    origin: NodeId,
    series: { readonly frames: Iterator<Uint8Array>; readonly from: NodeId },
  ) => void;
}

export class RecordSources {
  readonly #parts: RecordSourcesParts;
  #snapshot: StateSnapshot | undefined;
  /** Positions that were requested from a node: if they are needed again, the last values are used. */
  readonly #requested = new Map<NodeId, VectorEntry>();

  constructor(parts: RecordSourcesParts) {
    this.#parts = parts;
    this.#snapshot = parts.snapshot;
  }

  vectors(): readonly VectorEntry[] {
    return this.#snapshot?.vectors() ?? [];
  }

  /** Up to which position the server stored an origin. */
  storedOf(origin: NodeId): VectorEntry {
    const position = this.#snapshot?.positionOf(origin);
    return { origin, epoch: position?.epoch ?? 0, through: position?.through ?? 0 };
  }

  /** Later ones are read when the link comes up again; what is missed until then is requested. */
  forgetSnapshot(): void {
    this.#snapshot = undefined;
  }

  /**
   * The history is at the origin: if it is present and the start is already here, the request goes to it.
   * Last values are enough for a first picture, and for a node that is away or does not respond.
   */
  want(want: VectorEntry): void {
    const { self, members, claims, publisher } = this.#parts;
    const { origin, epoch, through } = want;
    const before = this.#requested.get(origin);
    const wasRequested = before?.epoch === epoch && before.through === through;
    const position = this.#snapshot?.positionOf(origin);
    const isStored = position !== undefined && isAhead(position, { epoch, through });
    const requested = members.has(origin) ? origin : claims.claimant(origin);
    if (
      origin !== self &&
      requested !== undefined &&
      !(wasRequested && isStored) &&
      (through > 0 || !isStored)
    ) {
      this.#requested.set(origin, want);
      publisher.requestRecords(requested, want);
    } else this.#followStored(want);
  }

  #followStored(want: VectorEntry): void {
    const { nowMs, chunkBytesMax, follow } = this.#parts;
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return;
    const frames = snapshot.framesAfter(want.origin, want, { nowMs, chunkBytesMax });
    follow(want.origin, { frames, from: snapshot.publisherOf(want.origin) });
  }
}
