// What replication needs from a node's journal and state, as a port: the daemon adapts its own, tests theirs.
// Everything is synchronous, so a record is on disk and in state before it is passed on.

import type { Event } from '../../core/event.ts';
import type { NodeId } from '../../core/ids.ts';
import type { DurableRecord } from '../../wire/durable-record.ts';
import type { OriginPosition } from '../../wire/version-vector.ts';

export interface ReceivedRecords {
  readonly position: OriginPosition;
  /** Signatures are valid; ascending, possibly with gaps; all above what is stored. */
  readonly records: readonly DurableRecord[];
  /** Of those records; a record whose payload this version cannot read has none: stored and relayed, not applied. */
  readonly events: readonly Event[];
  /** Receipt of the newest record, on the local monotonic clock, ms. */
  readonly receivedAtMs: number;
}

export type StoreResult =
  /** `passedOver`: the records for which the journal has no room; the position moved past them. */
  | { readonly kind: 'stored'; readonly passedOver?: number }
  /** Not now: the disk is full or failing. It is requested again. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface ReplicaStore {
  /** One per origin; those with nothing stored may be left out. */
  positions(): readonly OriginPosition[];
  position(origin: NodeId): OriginPosition | undefined;
  /** Stored records of the origin's current epoch above `after`, ascending. */
  recordsAfter(origin: NodeId, after: number): Iterable<DurableRecord>;
  /** To disk, then to state; all or nothing. */
  storeRecords(received: ReceivedRecords): StoreResult;
  /** To state. Each is newer than what it replaces. */
  applyLive(events: readonly Event[]): void;
  /** Removes everything of an evicted node from disk and state. */
  forget(origin: NodeId): void;
  /** Removes live values of evicted nodes from state. */
  dropLive(origins: readonly NodeId[]): void;
  /**
   * Peers have more of this node's own events than its journal, proven by its own signature: it was restored
   * from a copy. Starts an epoch above `floor` and writes the node's current events again.
   */
  startNewEpoch(floor: number): void;
  /**
   * A peer has live values that this node published under the number `start` of a daemon's start, proven by
   * its own signature, and that this daemon has not published: what it publishes from now on is newer.
   */
  raiseStart(start: number): void;
  /** Called after each change to state that this node's own events made, durable ones after they are on disk. */
  onOwnEvents(listener: (events: readonly Event[]) => void): () => void;
}
