// The port of the store of durable events. What `append` has returned from is on disk. Bounded by compaction, which
// leaves holes on purpose: an answer is the kept events plus `through`.

import type { NodeId } from '../core/ids.ts';

/** A durable event as it is stored and relayed: the origin's exact bytes, never encoded again. */
export interface DurableRecord {
  readonly origin: NodeId;
  readonly epoch: number;
  readonly seq: number;
  readonly kind: string;
  readonly key: string;
  /** UTF-8 JSON made by the origin (wire/durable-record.ts); the signature is over these bytes. */
  readonly body: Uint8Array;
  /** ed25519, 64 bytes; empty where the origin does not sign. */
  readonly signature: Uint8Array;
}

export interface StoredRecord extends DurableRecord {
  /** Age of the fact when it was stored, ms. */
  readonly ageMs: number;
  /** Wall clock of this machine when it was stored: only ever compared with the same clock. */
  readonly storedAtWallMs: number;
}

export interface StoredOrigin {
  readonly origin: NodeId;
  readonly epoch: number;
  /** Everything up to here was stored once; some of it may have been compacted away since. */
  readonly through: number;
}

export interface HistoryRow {
  readonly origin: NodeId;
  readonly slot: string;
  readonly key: string;
  readonly atWallMs: number;
  /** Raw rows hold the record's body; hourly rows the min, median and max of each of its figures. */
  readonly body: Uint8Array;
  readonly isHourly: boolean;
}

export interface Journal extends Disposable {
  /** What a person should know about how the file was opened: moved aside, migrated. Empty when all is well. */
  readonly notices: readonly string[];
  /** The epoch of this journal for its own node's events. */
  readonly ownEpoch: number;
  /** A number greater than that of every earlier start on this journal. */
  readonly startNumber: number;
  /**
   * Stores records in order, all or none, and returns once they are on disk. A record that is held already is skipped.
   * @throws JournalError `out-of-order` when one is not the next of its (origin, epoch); `full` when the disk is full.
   */
  append(records: readonly DurableRecord[], ageMs: number): void;
  /** Like `append` for the answer of a peer: holes are allowed, `through` is taken over. */
  appendCatchUp(origin: StoredOrigin, records: readonly DurableRecord[], ageMs: number): void;
  origins(): readonly StoredOrigin[];
  /** The current epoch's kept records of an origin with seq greater than `after`, ascending. */
  recordsAfter(origin: NodeId, after: number): Iterable<StoredRecord>;
  /** Rows of one (origin, slot, key), ascending, at most `limit`, the newest. */
  history(place: {
    origin: NodeId;
    slot: string;
    key: string;
    sinceWallMs: number;
    limit: number;
  }): readonly HistoryRow[];
  /** Drops what is superseded and past its bounds; cheap when there is nothing to do. */
  compact(): CompactionResult;
  sizeBytes(): number;
}

export interface CompactionResult {
  readonly droppedRecords: number;
  readonly hourlyRows: number;
  readonly sizeBytes: number;
}

export interface JournalLimits {
  /** Raw history of profiles, ms. Default 3 days. */
  readonly rawHistoryMs: number;
  /** Hourly history, ms. Default 90 days. */
  readonly hourlyHistoryMs: number;
  /** Of the database, bytes. Default 512 MB. */
  readonly sizeBytesMax: number;
}

export const JOURNAL_LIMITS: JournalLimits = {
  rawHistoryMs: 3 * 24 * 3_600_000,
  hourlyHistoryMs: 90 * 24 * 3_600_000,
  sizeBytesMax: 512_000_000,
};

export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: 'out-of-order' | 'full' | 'newer-schema' | 'locked' | 'io';

  constructor(code: JournalError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
