// What has been asked of whom. Each origin is asked of one peer at a time, so that a node which comes back to a mesh of
// many gets everything once and not once from each.

import type { NodeId } from '../../core/ids.ts';
import { MESH_LIST_LENGTH_MAX, type VectorEntry } from '../../wire/version-vector.ts';
import type { Place } from './positions.ts';
import { isAhead } from './positions.ts';

interface Want {
  readonly peer: NodeId;
  readonly target: Place;
  readonly untilMs: number;
}

export class Wants {
  readonly #timeoutMs: number;
  readonly #open = new Map<NodeId, Want>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Of what the peer holds, the origins to ask it for now; they count as asked. */
  ask(
    peer: NodeId,
    vectors: readonly VectorEntry[],
    held: (origin: NodeId) => Place | undefined,
    nowMs: number,
  ): readonly VectorEntry[] {
    const wants: VectorEntry[] = [];
    for (const { origin, epoch, through } of vectors) {
      const place = held(origin);
      if (!isAhead({ epoch, through }, place)) continue;
      const open = this.#open.get(origin);
      if (open !== undefined && open.untilMs > nowMs && isAhead(open.target, place)) continue;
      const oldest = this.#open.keys().next().value;
      if (this.#open.size >= MESH_LIST_LENGTH_MAX && oldest !== undefined) this.#open.delete(oldest);
      this.#open.set(origin, { peer, target: { epoch, through }, untilMs: nowMs + this.#timeoutMs });
      wants.push({ origin, epoch: place?.epoch ?? 0, through: place?.through ?? 0 });
    }
    return wants;
  }

  /** Records of the origin were stored: what was asked of this peer, or has been reached, may be asked anew. */
  answered(origin: NodeId, peer: NodeId, place: Place | undefined): void {
    const want = this.#open.get(origin);
    if (want !== undefined && (want.peer === peer || !isAhead(want.target, place))) this.#open.delete(origin);
  }

  peerGone(peer: NodeId): void {
    for (const [origin, want] of this.#open) if (want.peer === peer) this.#open.delete(origin);
  }
}
