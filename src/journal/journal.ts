// The port of the store of durable events. What `append` has returned from is on disk. Bounded by compaction, which
// leaves holes on purpose: an answer is the kept events plus `through`.

import type { Clock } from '../clock/clock.ts';
import type { NodeId } from '../core/ids.ts';
import type { Problem } from '../core/problem.ts';
import { ProblemError } from '../core/problem.ts';
import type { CurrentLimits } from './current-bound.ts';

/** A durable event as it is stored and relayed: the origin's exact bytes, never encoded again. */
export interface DurableRecord {
  readonly origin: NodeId;
  readonly epoch: number;
  /** From 1, gapless in (origin, epoch). */
  readonly seq: number;
  readonly kind: string;
  readonly key: string;
  /** UTF-8 JSON made by the origin (wire/durable-record.ts); the signature is over these bytes. */
  readonly body: Uint8Array;
  /**
   * ed25519, 64 bytes, of the own node's records; of others' the raw public key before it, 96 bytes, as they came, so that
   * they prove themselves when they are passed on. Empty where the origin does not sign.
   */
  readonly signature: Uint8Array;
}

/** A record with the age that its fact has when it is handed to the journal, ms; 0 for a fact of this moment. */
export interface AgedRecord extends DurableRecord {
  readonly ageMs: number;
}

export interface StoredRecord extends AgedRecord {
  /** Wall clock of this machine when it was stored: only ever compared with the same clock. */
  readonly storedAtWallMs: number;
}

export interface StoredOrigin {
  readonly origin: NodeId;
  readonly epoch: number;
  /** Everything up to here was stored once; some of it may have been compacted away since. 0 where nothing was. */
  readonly through: number;
}

export interface HistoryQuery {
  readonly origin: NodeId;
  /** 'gpu' or 'link'; other slots keep no history and give no rows. */
  readonly slot: string;
  readonly key: string;
  readonly sinceWallMs: number;
  /** At most this many rows, the newest. */
  readonly limit: number;
}

/** Of every key in which a node has part: as the origin, or as the first word of the key. */
export interface PastQuery {
  readonly node: NodeId;
  readonly slot: string;
  readonly sinceWallMs: number;
  /** At most this many rows, the newest. */
  readonly limit: number;
}

export interface HistoryRow {
  readonly origin: NodeId;
  readonly slot: string;
  readonly key: string;
  /** When the fact was true on this machine's wall clock; the start of the hour for an hourly row. */
  readonly atWallMs: number;
  /** Raw rows hold the record's body; hourly rows an HourlySummary as JSON (hourly-summary.ts). */
  readonly body: Uint8Array;
  readonly isHourly: boolean;
}

export type JournalNotice = Problem<'journal-replaced' | 'journal-migrated' | 'journal-of-other-node'>;

export interface Journal extends Disposable {
  /** What a person should know about how the file was opened: moved aside, migrated. Empty when all is well. */
  readonly notices: readonly JournalNotice[];
  /** The epoch of this journal for its own node's events; moves only in `startNewEpoch`. */
  readonly ownEpoch: number;
  /** A number greater than that of every earlier start on this journal. */
  readonly startNumber: number;
  /**
   * Stores records in order, all or none, and returns once they are on disk. A record that is held already, or of an
   * epoch that a newer one has replaced, is skipped. Records of the own node must be made here: a copy of one that
   * comes back from a peer belongs to `appendCatchUp` or nowhere.
   * @throws JournalError `out-of-order` when one is not the next of its (origin, epoch); `full` when the disk is full.
   */
  append(records: readonly AgedRecord[]): void;
  /**
   * Like `append` for the answer of a peer: holes are allowed, `through` is taken over. The own node's past is skipped.
   * A power cut may take the last of these back, never some from the middle: peers tell them again.
   * @throws JournalError `own-future` when a peer knows more of the own node than this journal: `startNewEpoch`.
   */
  appendCatchUp(position: StoredOrigin, records: readonly AgedRecord[]): void;
  /**
   * Starts a new epoch of the own node, greater than `floor` and every one before, and returns it. Nothing of the older
   * ones is current any more, so the caller writes its present facts again.
   */
  startNewEpoch(floor: number): number;
  /** Forgets everything of another node, its position too: whoever still has its records may bring them again. */
  forget(origin: NodeId): void;
  /** One position an origin, the own node always among them, ascending by origin. */
  origins(): readonly StoredOrigin[];
  /** The position of one origin, at the cost of a look-up; undefined where nothing of it was ever stored. */
  origin(origin: NodeId): StoredOrigin | undefined;
  /** The current epoch's kept records of an origin with seq greater than `after`, ascending. Read page by page. */
  recordsAfter(origin: NodeId, after: number): Iterable<StoredRecord>;
  /** Likewise without what was replaced since: all that state is made of, however long the history is. */
  currentRecords(origin: NodeId): readonly StoredRecord[];
  /** Rows of one (origin, slot, key), hourly and raw, the current record among them, ascending by time. */
  history(query: HistoryQuery): readonly HistoryRow[];
  /** Raw rows that are not current any more, ascending by time. */
  past(query: PastQuery): readonly HistoryRow[];
  /** Drops what is superseded and past its bounds; cheap when there is nothing to do. */
  compact(): CompactionResult;
  /** Records of other nodes that were passed over because too much of them is current, since this journal was opened. */
  readonly passedOver: number;
  /** Of the database and its write-ahead log, on disk. */
  sizeBytes(): number;
}

export interface JournalOptions {
  readonly ownNode: NodeId;
  readonly clock: Clock;
  /** Default JOURNAL_LIMITS. */
  readonly limits?: JournalLimits;
  /** Default CURRENT_LIMITS. A record past them is not stored; the position moves on, as over a hole of compaction. */
  readonly currentLimits?: CurrentLimits;
  /** The greatest epoch of the own node that is known from elsewhere; the own epoch is never below it. */
  readonly epochFloor?: number;
}

export interface CompactionResult {
  /** Raw records that are gone: superseded, summed up into hourly rows, or over the size. */
  readonly droppedRecords: number;
  /** Hourly rows that were written. */
  readonly hourlyRows: number;
  /** Hourly rows that are gone: too old, or over the size. */
  readonly droppedHourlyRows: number;
  readonly sizeBytes: number;
}

export interface JournalLimits {
  /** Raw history of profiles, ms. Default 3 days. */
  readonly rawHistoryMs: number;
  /** Hourly history, ms. Default 90 days. */
  readonly hourlyHistoryMs: number;
  /** Of the database, bytes. Default 512 MB. History gives way to it; current records never do. */
  readonly sizeBytesMax: number;
}

export const JOURNAL_LIMITS: JournalLimits = {
  rawHistoryMs: 3 * 24 * 3_600_000,
  hourlyHistoryMs: 90 * 24 * 3_600_000,
  sizeBytesMax: 512_000_000,
};

export type JournalErrorCode =
  | 'out-of-order'
  | 'own-future'
  | 'full'
  | 'newer-schema'
  | 'locked'
  | 'damaged'
  | 'closed'
  | 'io';

export class JournalError extends ProblemError<Problem<JournalErrorCode>> {
  override readonly name = 'JournalError';
}
