// What the nodes of a fleet publish about themselves every few seconds: how far their journals go, and which
// readings they subscribe to. Replication gets it as the digest of one peer.

import type { NodeId } from '../../core/ids.ts';
import { decodeMeshMessage } from '../../wire/mesh-message.ts';
import { isAhead, MESH_LIST_LENGTH_MAX, type VectorEntry } from '../../wire/version-vector.ts';
import type { FleetClaims } from './fleet-claims.ts';
import type { FleetMembers } from './fleet-members.ts';
import { DIGEST_ENTRIES_MAX } from './fleet-subjects.ts';

export class FleetDigests {
  readonly #members: FleetMembers;
  readonly #claims: FleetClaims;
  #reported = new Map<NodeId, VectorEntry>();
  /** Number of entries from each publisher since the last `take`. */
  readonly #brought = new Map<NodeId, number>();

  constructor({ members, claims }: { readonly members: FleetMembers; readonly claims: FleetClaims }) {
    this.#members = members;
    this.#claims = claims;
  }

  receive(publisher: NodeId, frame: Uint8Array): void {
    const decoded = decodeMeshMessage(frame);
    if (decoded.kind !== 'message' || decoded.message.kind !== 'digest') return;
    const { vectors, neighboursVersion } = decoded.message;
    this.#members.neighboursChanged(publisher, neighboursVersion);
    for (const entry of vectors.slice(0, DIGEST_ENTRIES_MAX)) {
      if (entry.origin !== publisher) {
        if (this.#members.has(entry.origin)) continue;
        this.#claims.note(publisher, entry);
      }
      const reported = this.#reported.get(entry.origin);
      if (reported === undefined && !this.#hasRoom(publisher)) continue;
      if (reported === undefined || isAhead(entry, reported)) this.#reported.set(entry.origin, entry);
    }
  }

  /**
   * More would not fit into one mesh message, and a publisher that invents origins must not use the room of
   * all.
   */
  #hasRoom(publisher: NodeId): boolean {
    const brought = this.#brought.get(publisher) ?? 0;
    if (brought >= DIGEST_ENTRIES_MAX || this.#reported.size >= MESH_LIST_LENGTH_MAX) return false;
    this.#brought.set(publisher, brought + 1);
    return true;
  }

  /** All since the last call. */
  take(): readonly VectorEntry[] {
    const vectors = [...this.#reported.values()];
    this.#reported = new Map();
    this.#brought.clear();
    return vectors;
  }
}
