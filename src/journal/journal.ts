// The port of the store of durable events. Once `append` returns, the events are on disk. Limited by
// compaction, which leaves gaps on purpose: a reply is the stored events plus `through`.

import type { Clock } from '../clock/clock.ts';
import { eventSlot } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import { type Problem, ProblemError } from '../core/problem.ts';
import type { DurableRecord } from '../wire/durable-record.ts';
import type { OriginPosition } from '../wire/version-vector.ts';
import type { CurrentLimits } from './current-bound.ts';

export interface StoredRecord extends DurableRecord {
  /** Wall clock of this machine when it was stored: only compared with the same clock. */
  readonly storedAtWallMs: number;
}

export interface HistoryQuery {
  readonly origin: NodeId;
  /** 'gpu' or 'link'; other slots have no history and give no rows. */
  readonly slot: string;
  readonly key: string;
  readonly sinceWallMs: number;
  /** At most this many rows, the newest. */
  readonly limit: number;
}

/** Every key that involves a node: as the origin, or as the first word of the key. */
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
  /** When the event was true, on this machine's wall clock; the start of the hour for an hourly row. */
  readonly atWallMs: number;
  /** Raw rows contain the record's body; hourly rows an HourlySummary as JSON (hourly-summary.ts). */
  readonly body: Uint8Array;
  readonly isHourly: boolean;
}

export type JournalNotice = Problem<'journal-replaced' | 'journal-cut' | 'journal-of-other-node'>;

export interface Journal extends Disposable {
  /** Notices for a person about how the file was opened, for example that it was moved aside. Empty if all is well. */
  readonly notices: readonly JournalNotice[];
  /**
   * Up to which number this node's records are known to have existed, if some of them were missing when it
   * was opened; the caller starts a new epoch above it.
   */
  readonly lost: OriginPosition | undefined;
  /** The epoch of this node's events; changes only in `startNewEpoch`. */
  readonly ownEpoch: number;
  /** A number greater than that of every earlier start on this journal; greater still after `raiseStart`. */
  readonly startNumber: number;
  /**
   * Stores records in order, all or none, and returns once they are on disk. A record that is stored already,
   * or of an epoch that a newer one has replaced, is skipped. This node's records must be created here: a
   * copy that comes back from a peer may only go to `appendCatchUp`.
   * @throws JournalError `out-of-order` when one is not the next of its (origin, epoch); `full` when the disk
   * is full.
   */
  append(records: readonly DurableRecord[]): void;
  /**
   * Like `append` for a peer's reply: gaps are allowed, and `through` is adopted. This node's own past is
   * skipped. A power cut may lose the last of these, never some from the middle: peers send them again.
   * @throws JournalError `own-future` if a peer has more of this node than this journal does: call
   * `startNewEpoch`.
   */
  appendCatchUp(position: OriginPosition, records: readonly DurableRecord[]): void;
  /**
   * Starts a new epoch of this node, greater than `floor` and all previous ones, and returns it. Older epochs are no
   * longer current, so the caller writes its current events again.
   */
  startNewEpoch(floor: number): number;
  /**
   * Peers have live values that this node published under the number `start`, at a time that this journal
   * does not contain because it was restored from a copy: from now on the start number is greater. Does
   * nothing if it already is.
   */
  raiseStart(start: number): void;
  /**
   * Removes everything of another node, including its position: a node that still has its records may send
   * them again.
   */
  forget(origin: NodeId): void;
  /** One position per origin, always including this node, ascending by origin. */
  origins(): readonly OriginPosition[];
  /** The position of one origin, at the cost of a look-up; undefined if nothing of it was ever stored. */
  origin(origin: NodeId): OriginPosition | undefined;
  /**
   * The current epoch's stored records of an origin with seq greater than `after`, ascending. Read page by
   * page.
   */
  recordsAfter(origin: NodeId, after: number): Iterable<StoredRecord>;
  /** The same without replaced records: everything that state is built from, however long the history is. */
  currentRecords(origin: NodeId): readonly StoredRecord[];
  /** Rows of one (origin, slot, key), hourly and raw, including the current record, ascending by time. */
  history(query: HistoryQuery): readonly HistoryRow[];
  /** Raw rows that are no longer current, ascending by time. */
  past(query: PastQuery): readonly HistoryRow[];
  /** Drops what is superseded and above its limits; cheap if there is nothing to do. */
  compact(): CompactionResult;
  /** Records of other nodes that were skipped since this journal was opened, because too many of them are current. */
  readonly passedOver: number;
  /** Size of the database and its write-ahead log, on disk. */
  sizeBytes(): number;
}

export interface JournalOptions {
  readonly ownNode: NodeId;
  readonly clock: Clock;
  /** Default JOURNAL_LIMITS. */
  readonly limits?: JournalLimits;
  /**
   * Default CURRENT_LIMITS. A record above them is not stored; the position moves on, as at a gap left by
   * compaction.
   */
  readonly currentLimits?: CurrentLimits;
  /** The greatest epoch of this node known from elsewhere; its epoch is never below it. */
  readonly epochFloor?: number;
  /** Raw ed25519 key of the own node: with it, current records of this node must have its signature. */
  readonly ownPublicKey?: Uint8Array;
}

export interface CompactionResult {
  /** Raw records removed: superseded, summarised into hourly rows, or above the size limit. */
  readonly droppedRecords: number;
  /** Hourly rows written. */
  readonly hourlyRows: number;
  /** Hourly rows removed: too old, or above the size limit. */
  readonly droppedHourlyRows: number;
  readonly sizeBytes: number;
}

export const JOURNAL_LIMITS = {
  /** Raw history of profiles, ms. */
  rawHistoryMs: 3 * 24 * 3_600_000,
  /** Hourly history, ms. */
  hourlyHistoryMs: 90 * 24 * 3_600_000,
  /**
   * Size of the database, bytes. History is deleted to stay below it; current records never
   * are.
   */
  sizeBytesMax: 512_000_000,
};

export type JournalLimits = Readonly<typeof JOURNAL_LIMITS>;

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

// What is stored and for how long. Pure, shared by every adapter.
export const HOUR_MS = 3_600_000;

/** The slots whose superseded records are history: profiles. */
export const isHistorySlot = (slot: string): boolean => slot === 'gpu' || slot === 'link';

/** Current records of the same origin and key that a new record replaces. */
interface Supersession {
  readonly slot: string;
  /** This kind of the slot stays; '' if none does. */
  readonly exceptKind: string;
}

/**
 * A record replaces those of its slot and key; a lost connection keeps its profile. Closing a connection also
 * removes its profile from state, and that must reach a peer that was offline while the connection was
 * reopened: so the newest closing of each connection is kept together with the opening.
 */
export const supersessions = (kind: string): readonly Supersession[] => {
  const slot = eventSlot(kind);
  switch (kind) {
    case 'connection.opened':
    case 'connection.lost':
      return [{ slot, exceptKind: 'connection.closed' }];
    case 'connection.closed':
      return [
        { slot, exceptKind: '' },
        { slot: 'link', exceptKind: '' },
      ];
    default:
      return [{ slot, exceptKind: '' }];
  }
};

/** Records of hours that ended before this moment are summarised; it is the start of an hour. */
export const rawHistoryEndMs = (nowWallMs: number, rawHistoryMs: number): number =>
  hourOf(nowWallMs - rawHistoryMs);

export const hourOf = (wallMs: number): number => Math.floor(wallMs / HOUR_MS) * HOUR_MS;
