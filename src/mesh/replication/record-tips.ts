// How a node recognizes its own records when peers report them: by the start of each record's signature. A journal
// restored from a copy that has since written as far as its peers remember looks complete by its numbers; only this
// shows the difference.

import { eventSlot } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { DurableRecord } from '../../wire/durable-record.ts';
import { SIGNATURE_BYTES } from '../../wire/node-signature.ts';
import type { JournalPosition } from '../../wire/version-vector.ts';
import type { ReplicaStore } from './replica-store.ts';

/** Own records whose tips are remembered after compaction has dropped them. */
const OWN_TIPS_MAX = 8_192;

/** 48 bits: exact in a double. Undefined for an unsigned record. */
export const tipOf = (signature: Uint8Array): number | undefined => {
  if (signature.length < SIGNATURE_BYTES) return undefined;
  const at = signature.length - SIGNATURE_BYTES;
  return signature.subarray(at, at + 6).reduce((sum, byte) => sum * 256 + byte, 0);
};

export class RecordTips {
  readonly #store: ReplicaStore;
  readonly #self: NodeId;
  readonly #newest = new Map<NodeId, JournalPosition & { readonly tip: number | undefined }>();
  /** Tips of this node's current epoch, in number order. */
  readonly #own = new Map<number, number>();
  #ownEpoch = 0;

  constructor(store: ReplicaStore, self: NodeId) {
    this.#store = store;
    this.#self = self;
  }

  /** Tip of the record at the origin's current position. */
  newest(origin: NodeId, { epoch, through }: JournalPosition): number | undefined {
    const known = this.#newest.get(origin);
    if (known?.epoch === epoch && known.through === through) return known.tip;
    const tip = this.#stored(origin, through);
    this.#newest.set(origin, { epoch, through, tip });
    return tip;
  }

  /** For an origin that is no longer stored. */
  forget(origin: NodeId): void {
    this.#newest.delete(origin);
  }

  /** After own events were stored. */
  rememberOwn(epoch: number, after: number): void {
    if (epoch !== this.#ownEpoch) this.#own.clear();
    this.#ownEpoch = epoch;
    for (const { seq, signature } of this.#store.recordsAfter(this.#self, after)) {
      const tip = tipOf(signature);
      if (tip !== undefined) this.#own.set(seq, tip);
      const oldest = this.#own.keys().next().value;
      if (this.#own.size > OWN_TIPS_MAX && oldest !== undefined) this.#own.delete(oldest);
    }
  }

  /**
   * Tip of this node's record there; 'dropped' if compaction has removed it, 'other' if it is of another
   * epoch.
   */
  ownAt({ epoch, through }: JournalPosition): number | 'dropped' | 'other' {
    const position = this.#store.position(this.#self);
    if (position?.epoch !== epoch || through > position.through) return 'other';
    const remembered = epoch === this.#ownEpoch ? this.#own.get(through) : undefined;
    return remembered ?? this.#stored(this.#self, through) ?? 'dropped';
  }

  /**
   * Whether this node's journal never contained this record of its own: current records are never dropped.
   */
  isForeign({ epoch, seq, kind, key, signature }: DurableRecord): boolean {
    const own = this.ownAt({ epoch, through: seq });
    if (own !== 'dropped') return own !== 'other' && own !== tipOf(signature);
    for (const later of this.#store.recordsAfter(this.#self, seq))
      if (later.key === key && replaces(later.kind, kind)) return false;
    return true;
  }

  #stored(origin: NodeId, seq: number): number | undefined {
    for (const record of this.#store.recordsAfter(origin, seq - 1))
      return record.seq === seq ? tipOf(record.signature) : undefined;
    return undefined;
  }
}

/** As the journal does: one of the same slot, and a closed connection also replaces its profile. */
const replaces = (later: string, earlier: string): boolean =>
  eventSlot(later) === eventSlot(earlier) || (later === 'connection.closed' && eventSlot(earlier) === 'link');
