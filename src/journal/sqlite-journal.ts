// The journal in SQLite. On disk it has a write-ahead log that is synchronised at every commit, so what `append` has stored
// survives a kill and a power loss. One process at a time uses the file.

import type { DatabaseSync } from 'node:sqlite';
import type { NodeId } from '../core/ids.ts';
import type { DurableRecord } from '../wire/durable-record.ts';
import type { OriginPosition } from '../wire/version-vector.ts';
import { CurrentBound, type CurrentSize } from './current-bound.ts';
import {
  type CompactionResult,
  type HistoryQuery,
  type HistoryRow,
  isHistorySlot,
  JOURNAL_LIMITS,
  type Journal,
  JournalError,
  type JournalNotice,
  type JournalOptions,
  type PastQuery,
  type StoredRecord,
} from './journal.ts';
import {
  type Admitted,
  admit,
  admitCatchUp,
  type JournalNumbers,
  numberAbove,
  type OwnNumbers,
} from './numbering.ts';
import { compactDatabase, hasFreePages, shrink } from './sqlite-compaction.ts';
import { fileSizeBytes, inTransaction, withoutFlush } from './sqlite-database.ts';
import { journalErrorOf } from './sqlite-error.ts';
import { type OpenedDatabase, openSqliteFile, type SqliteJournalOptions } from './sqlite-file.ts';
import type { OriginRow, SqliteRecords } from './sqlite-records.ts';
import { StoredCount } from './stored-count.ts';

/**
 * Opens the journal, creating it if there is none; a damaged one is moved aside and a new one started, with a
 * notice.
 * @throws JournalError `newer-schema`, `locked`, `full`, `io`
 */
export const openSqliteJournal = (options: SqliteJournalOptions): Journal => {
  try {
    const opened = openSqliteFile(options);
    return new SqliteJournal(opened, options, fileStore(options.path, opened.database));
  } catch (error) {
    throw journalErrorOf(error, options.path);
  }
};

/** Where the database is. */
export interface JournalStore {
  /** For messages. */
  readonly location: string;
  /** Up to which number the own records are stored, after each commit. */
  stored(position: OriginPosition): void;
  sizeBytes(): number;
  hasLog(): boolean;
  close(): void;
}

const fileStore = (path: string, database: DatabaseSync): JournalStore => {
  const stored = new StoredCount(path);
  return {
    location: path,
    stored: position => stored.set(position),
    sizeBytes: () => fileSizeBytes(path) + fileSizeBytes(`${path}-wal`),
    hasLog: () => fileSizeBytes(`${path}-wal`) > 0,
    close: () => {
      stored[Symbol.dispose]();
      database.close();
    },
  };
};

export class SqliteJournal implements Journal {
  readonly notices: readonly JournalNotice[];
  readonly lost: OriginPosition | undefined;
  readonly #store: JournalStore;
  readonly #database: DatabaseSync;
  readonly #records: SqliteRecords;
  readonly #origins: Map<NodeId, OriginRow>;
  readonly #options: JournalOptions;
  readonly #growth: Growth;
  readonly #bound: CurrentBound;
  #passedOver = 0;
  #isClosed = false;
  #own: OwnNumbers;

  constructor(opened: OpenedDatabase, options: JournalOptions, store: JournalStore) {
    this.#database = opened.database;
    this.#records = opened.records;
    this.#own = opened.own;
    this.notices = opened.notices;
    this.lost = opened.lost;
    this.#store = store;
    this.#origins = new Map(opened.origins.map(row => [row.origin, row]));
    this.#options = options;
    this.#growth = new Growth((options.limits ?? JOURNAL_LIMITS).sizeBytesMax);
    this.#bound = new CurrentBound(options.ownNode, options.currentLimits);
    this.#countCurrent();
  }

  get passedOver(): number {
    return this.#passedOver;
  }

  get ownEpoch(): number {
    return this.#own.ownEpoch;
  }

  get startNumber(): number {
    return this.#own.startNumber;
  }

  append(records: readonly DurableRecord[]): void {
    this.#write(admit(this.#numbers(), records));
  }

  appendCatchUp(position: OriginPosition, records: readonly DurableRecord[]): void {
    const admitted = admitCatchUp(this.#numbers(), position, records);
    this.#guard(() => withoutFlush(this.#database, () => this.#write(admitted)));
  }

  startNewEpoch(floor: number): number {
    const { clock, ownNode } = this.#options;
    const own = { ...this.#own, ownEpoch: numberAbove(clock.wallMs(), floor, this.ownEpoch) };
    const row = this.#transaction(() => {
      this.#records.setOwn(own);
      const position = this.#records.setPosition({ origin: ownNode, epoch: own.ownEpoch, through: 0 });
      this.#records.supersedeOlderEpochs(position);
      return position;
    });
    this.#own = own;
    this.#origins.set(ownNode, row);
    this.#countOwn(row);
    return own.ownEpoch;
  }

  raiseStart(start: number): void {
    if (start < this.startNumber) return;
    const own = { ...this.#own, startNumber: numberAbove(this.#options.clock.wallMs(), start) };
    this.#transaction(() => this.#records.setOwn(own));
    this.#own = own;
  }

  forget(origin: NodeId): void {
    const row = this.#origins.get(origin);
    if (row === undefined || origin === this.#options.ownNode) return;
    this.#transaction(() => this.#records.forget(row));
    this.#origins.delete(origin);
    this.#bound.set(origin, NOTHING);
  }

  origins(): readonly OriginPosition[] {
    return this.#guard(() =>
      [...this.#origins.values()]
        .sort((a, b) => (a.origin < b.origin ? -1 : 1))
        .map(({ origin, epoch, through }) => ({ origin, epoch, through })),
    );
  }

  origin(origin: NodeId): OriginPosition | undefined {
    this.#throwIfClosed();
    const row = this.#origins.get(origin);
    return row === undefined ? undefined : { origin, epoch: row.epoch, through: row.through };
  }

  currentRecords(origin: NodeId): readonly StoredRecord[] {
    return this.#guard(() => {
      const row = this.#origins.get(origin);
      return row === undefined ? [] : this.#records.current(row);
    });
  }

  *recordsAfter(origin: NodeId, after: number): Iterable<StoredRecord> {
    this.#throwIfClosed();
    const first = this.#origins.get(origin);
    let from = after;
    // A page at a time: an open statement would keep the write-ahead log from being truncated.
    while (first !== undefined && first.epoch === this.#origins.get(origin)?.epoch) {
      const page = this.#guard(() => this.#records.after(first, from, PAGE_RECORDS));
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_RECORDS) return;
      from = last.seq;
    }
  }

  history(query: HistoryQuery): readonly HistoryRow[] {
    return this.#guard(() => {
      const row = this.#origins.get(query.origin);
      const limit = Math.min(Math.floor(query.limit), Number.MAX_SAFE_INTEGER);
      if (row === undefined || !isHistorySlot(query.slot) || !(limit >= 1)) return [];
      return this.#records.history(row.id, { ...query, limit });
    });
  }

  past(query: PastQuery): readonly HistoryRow[] {
    return this.#guard(() => {
      const limit = Math.min(Math.floor(query.limit), Number.MAX_SAFE_INTEGER);
      return isHistorySlot(query.slot) && limit >= 1 ? this.#records.past({ ...query, limit }) : [];
    });
  }

  compact(): CompactionResult {
    const { clock, limits } = this.#options;
    return this.#guard(() => {
      const compacted = compactDatabase(this.#database, limits ?? JOURNAL_LIMITS, clock.wallMs());
      const isWorth = compacted.droppedRecords + compacted.droppedHourlyRows > 0;
      if (isWorth || this.#store.hasLog() || hasFreePages(this.#database)) shrink(this.#database);
      return { ...compacted, sizeBytes: this.#store.sizeBytes() };
    });
  }

  sizeBytes(): number {
    return this.#guard(() => this.#store.sizeBytes());
  }

  [Symbol.dispose](): void {
    if (!this.#isClosed) this.#store.close();
    this.#isClosed = true;
  }

  #numbers(): JournalNumbers {
    this.#throwIfClosed();
    const { ownNode } = this.#options;
    return { ownNode, ownEpoch: this.ownEpoch, position: origin => this.#origins.get(origin) };
  }

  #write({ records, positions }: Admitted): void {
    if (positions.length === 0) return;
    const storedAtWallMs = Math.round(this.#options.clock.wallMs());
    const moved = this.#transaction(() => {
      const rows = new Map(positions.map(position => [position.origin, this.#records.setPosition(position)]));
      // Before, for the space that older epochs used; after, for their records in the same batch.
      this.#supersedeOlder(rows.values());
      for (const record of records) {
        const row = rows.get(record.origin);
        if (row !== undefined) this.#put(record, row.id, storedAtWallMs);
      }
      this.#supersedeOlder(rows.values());
      return rows;
    });
    for (const row of moved.values()) this.#origins.set(row.origin, row);
    this.#countOwn(moved.get(this.#options.ownNode));
    if (this.#growth.add(records)) this.compact();
  }

  #countOwn(row: OriginRow | undefined): void {
    if (row !== undefined) this.#store.stored({ origin: row.origin, epoch: row.epoch, through: row.through });
  }

  #supersedeOlder(rows: Iterable<OriginRow>): void {
    for (const row of rows) {
      if (this.#origins.get(row.origin)?.epoch === row.epoch) continue;
      this.#records.supersedeOlderEpochs(row);
      this.#bound.set(row.origin, this.#records.currentSize(row));
    }
  }

  #put(record: DurableRecord, originId: number, storedAtWallMs: number): void {
    const { origin, body } = record;
    const isBounded = this.#bound.hasRoomForBytes(origin, body.length);
    const replaced = isBounded ? this.#records.supersede(record, originId) : NOTHING;
    this.#bound.change(origin, -replaced.records, -replaced.bytes);
    if (!isBounded || (replaced.records === 0 && !this.#bound.hasRoomForOneMore(origin))) {
      this.#passedOver += 1;
      return;
    }
    this.#records.put(record, originId, storedAtWallMs);
    this.#bound.change(origin, 1, body.length);
  }

  /** Counts of a failed transaction are counted again. */
  #countCurrent(): void {
    const sizes = this.#records.currentSizes();
    for (const { id, origin } of this.#origins.values()) this.#bound.set(origin, sizes.get(id) ?? NOTHING);
  }

  #throwIfClosed(): void {
    if (this.#isClosed)
      throw new JournalError({
        code: 'closed',
        problem: `The journal ${this.#store.location} is closed.`,
        advice: '',
      });
  }

  #transaction<T>(work: () => T): T {
    return this.#guard(() => {
      try {
        return inTransaction(this.#database, work);
      } catch (error) {
        this.#countCurrent();
        throw error;
      }
    });
  }

  #guard<T>(work: () => T): T {
    try {
      this.#throwIfClosed();
      return work();
    } catch (error) {
      throw journalErrorOf(error, this.#store.location);
    }
  }
}

const PAGE_RECORDS = 256;
const NOTHING: CurrentSize = { records: 0, bytes: 0 };

// When a journal has grown enough since it was last compacted to be compacted again. Time alone does not
// limit its size: peers can send many times the limit in ten minutes.
class Growth {
  readonly #stepBytes: number;
  #addedBytes = 0;

  constructor(sizeBytesMax: number) {
    this.#stepBytes = Math.min(STEP_BYTES_MAX, Math.max(STEP_BYTES_MIN, sizeBytesMax / STEPS_OF_SIZE));
  }

  /** @returns true when it is time; then it counts from zero again. */
  add(records: readonly { readonly body: Uint8Array }[]): boolean {
    for (const { body } of records) this.#addedBytes += body.length + ROW_BYTES;
    if (this.#addedBytes < this.#stepBytes) return false;
    this.#addedBytes = 0;
    return true;
  }
}

/** Compacting this much takes tens of ms. */
const STEP_BYTES_MAX = 4_000_000;
const STEP_BYTES_MIN = 64_000;
const STEPS_OF_SIZE = 8;
/** Approximate size of a row and its index entries. */
const ROW_BYTES = 300;
