// Which node publishes in a fleet for nodes that are not in it themselves, such as those of a site's mesh
// behind a bridge: the node with the smallest id of all whose digests report that they have the records. It
// publishes what the fleet lacks of them, and replies to requests for more.

import type { NodeId } from '../../core/ids.ts';
import { decodeRecordHead } from '../../wire/durable-record.ts';
import { decodeMeshMessage } from '../../wire/mesh-message.ts';
import {
  isAhead,
  type JournalPosition,
  MESH_LIST_LENGTH_MAX,
  type VectorEntry,
} from '../../wire/version-vector.ts';

interface Claim {
  readonly node: NodeId;
  readonly entry: VectorEntry;
}

interface FleetClaimsParts {
  readonly self: NodeId;
  readonly members: { has(node: NodeId): boolean };
}

export class FleetClaims {
  readonly #parts: FleetClaimsParts;
  readonly #claims = new Map<NodeId, Claim>();
  /** Up to which position the fleet has received the records of an origin. */
  readonly #stored = new Map<NodeId, JournalPosition>();

  constructor(parts: FleetClaimsParts) {
    this.#parts = parts;
  }

  /** Another node reports how far it has an origin. */
  note(node: NodeId, entry: VectorEntry): void {
    const existing = this.#of(entry.origin);
    if (existing === undefined && this.#claims.size >= MESH_LIST_LENGTH_MAX) return;
    if (existing === undefined || node <= existing.node) this.#claims.set(entry.origin, { node, entry });
  }

  stored(origin: NodeId, position: JournalPosition): void {
    const existing = this.#stored.get(origin);
    if (existing === undefined && this.#stored.size >= MESH_LIST_LENGTH_MAX) return;
    if (isAhead(position, existing)) this.#stored.set(origin, position);
  }

  /** The server accepted a frame of records, from this node or from another. */
  storedFrame(frame: Uint8Array): void {
    const decoded = decodeMeshMessage(frame);
    if (decoded.kind !== 'message' || decoded.message.kind !== 'records') return;
    const { origin, epoch, records } = decoded.message;
    const last = decodeRecordHead(records.at(-1)?.body ?? NOTHING);
    if (last !== undefined) this.stored(origin, { epoch, through: last.seq });
  }

  /** The node from which to request records of an origin that is not in the fleet. */
  claimant(origin: NodeId): NodeId | undefined {
    return this.#of(origin)?.node;
  }

  /** The position from which this node must publish records of others. `vectors`: how far it has them. */
  due(vectors: readonly VectorEntry[]): readonly VectorEntry[] {
    const { self, members } = this.#parts;
    return vectors.flatMap(({ origin, epoch, through }) => {
      const stored = this.#stored.get(origin);
      if (origin === self || members.has(origin) || !isAhead({ epoch, through }, stored)) return [];
      const other = this.#of(origin);
      const isTheirs = other !== undefined && other.node < self && isAhead(other.entry, stored);
      return isTheirs ? [] : [{ origin, epoch: stored?.epoch ?? 0, through: stored?.through ?? 0 }];
    });
  }

  /** A claim ends when its node leaves. */
  #of(origin: NodeId): Claim | undefined {
    const claim = this.#claims.get(origin);
    if (claim === undefined || this.#parts.members.has(claim.node)) return claim;
    this.#claims.delete(origin);
    return undefined;
  }
}

const NOTHING = new Uint8Array(0);
