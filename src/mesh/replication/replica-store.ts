// What replication needs from a node's journal and state, as a port: the daemon adapts its own, tests theirs.
// Everything is synchronous, so a record is on disk and in state before it is passed on.

import type { Event } from '../../core/event.ts';
import type { NodeId } from '../../core/ids.ts';

/** How far the durable events of an origin are stored: everything up to `through` of that epoch. */
interface ReplicaPosition {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly through: number;
}

/** A durable event as it is stored and relayed. */
export interface ReplicaRecord {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly seq: number;
  readonly kind: string;
  readonly key: string;
  /** The origin's exact bytes. */
  readonly body: Uint8Array;
  /**
   * This node's: 64 bytes. Another node's: its raw public key and its signature, 96 bytes, stored unchanged.
   */
  readonly signature: Uint8Array;
  /** At this moment, ms. */
  readonly ageMs: number;
}

export interface ReceivedRecord {
  readonly record: ReplicaRecord;
  /** Undefined if this version cannot read the payload: stored and relayed, not applied. */
  readonly event: Event | undefined;
}

export interface ReceivedRecords {
  readonly position: ReplicaPosition;
  /** Signatures are valid; ascending, possibly with gaps; all above what is stored. */
  readonly records: readonly ReceivedRecord[];
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
  positions(): readonly ReplicaPosition[];
  position(origin: NodeId): ReplicaPosition | undefined;
  /** Stored records of the origin's current epoch above `after`, ascending. */
  recordsAfter(origin: NodeId, after: number): Iterable<ReplicaRecord>;
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
