// The journal without a disk: for tests, the demo, and a node that cannot write. Same contract, same rules; its
// contents outlive it only in a MemoryDisk that is reopened.

import type { NodeId } from '../core/ids.ts';
import { CurrentBound } from './current-bound.ts';
import { Growth } from './growth.ts';
import { encodeHourlySummary } from './hourly-summary.ts';
import {
  type AgedRecord,
  type CompactionResult,
  type HistoryQuery,
  type HistoryRow,
  JOURNAL_LIMITS,
  type Journal,
  JournalError,
  type JournalNotice,
  type JournalOptions,
  type PastQuery,
  type StoredOrigin,
  type StoredRecord,
} from './journal.ts';
import { compactMemory, memorySizeBytes } from './memory-compaction.ts';
import {
  createMemoryDisk,
  currentSize,
  forgetOrigin,
  isReplacing,
  type MemoryDisk,
  movePosition,
  putRecord,
  rawAtMs,
  sizeAt,
  supersedeOlder,
} from './memory-disk.ts';
import {
  type Admitted,
  admit,
  admitCatchUp,
  type Held,
  numberAbove,
  type OwnNumbers,
  openOwnNumbers,
} from './numbering.ts';
import { isHistorySlot } from './retention.ts';

interface MemoryJournalOptions extends JournalOptions {
  /** The contents of an earlier journal; one journal at a time. Default: empty. */
  readonly disk?: MemoryDisk;
}

/** @throws JournalError `locked` when another journal holds the disk. */
export const createMemoryJournal = (options: MemoryJournalOptions): Journal => {
  const disk = options.disk ?? createMemoryDisk();
  const { ownNode } = options;
  if (disk.isOpen)
    throw new JournalError({
      code: 'locked',
      problem: 'The memory disk is in use by another journal.',
      advice: 'Resolve that first.',
    });
  const { numbers, isNewEpoch, notices } = openOwnNumbers(disk.own, {
    ownNode,
    wallMs: options.clock.wallMs(),
    epochFloor: options.epochFloor ?? 0,
    heldEpoch: disk.origins.get(ownNode)?.epoch ?? 0,
  });
  disk.isOpen = true;
  disk.own = numbers;
  if (isNewEpoch) movePosition(disk, { origin: ownNode, epoch: numbers.ownEpoch, through: 0 });
  return new MemoryJournal(disk, numbers, { ...options, ownNode, notices });
};

class MemoryJournal implements Journal {
  readonly notices: readonly JournalNotice[];
  /** It begins empty with each process. */
  readonly lost: undefined = undefined;
  readonly #disk: MemoryDisk;
  readonly #growth: Growth;
  readonly #options: JournalOptions;
  #own: OwnNumbers;
  #isClosed = false;
  readonly #bound: CurrentBound;
  #passedOver = 0;

  constructor(
    disk: MemoryDisk,
    own: OwnNumbers,
    options: JournalOptions & { readonly notices: readonly JournalNotice[] },
  ) {
    this.#disk = disk;
    this.#own = own;
    this.#options = options;
    this.#growth = new Growth((options.limits ?? JOURNAL_LIMITS).sizeBytesMax);
    this.notices = options.notices;
    this.#bound = new CurrentBound(options.ownNode, options.currentLimits);
    for (const origin of disk.current.keys()) this.#bound.set(origin, currentSize(disk, origin));
  }

  get ownEpoch(): number {
    return this.#own.ownEpoch;
  }

  get startNumber(): number {
    return this.#own.startNumber;
  }

  append(records: readonly AgedRecord[]): void {
    this.#store(admit(this.#held(), records));
  }

  appendCatchUp(position: StoredOrigin, records: readonly AgedRecord[]): void {
    this.#store(admitCatchUp(this.#held(), position, records));
  }

  startNewEpoch(floor: number): number {
    this.#throwIfClosed();
    const ownEpoch = numberAbove(this.#options.clock.wallMs(), floor, this.ownEpoch);
    this.#renumber({ ...this.#own, ownEpoch });
    movePosition(this.#disk, { origin: this.#options.ownNode, epoch: ownEpoch, through: 0 });
    return ownEpoch;
  }

  raiseStart(start: number): void {
    this.#throwIfClosed();
    if (start < this.startNumber) return;
    this.#renumber({ ...this.#own, startNumber: numberAbove(this.#options.clock.wallMs(), start) });
  }

  forget(origin: NodeId): void {
    this.#throwIfClosed();
    if (origin === this.#options.ownNode) return;
    forgetOrigin(this.#disk, origin);
    this.#bound.set(origin, currentSize(this.#disk, origin));
  }

  origins(): readonly StoredOrigin[] {
    this.#throwIfClosed();
    return [...this.#disk.origins.values()].sort((a, b) => (a.origin < b.origin ? -1 : 1));
  }

  origin(origin: NodeId): StoredOrigin | undefined {
    this.#throwIfClosed();
    return this.#disk.origins.get(origin);
  }

  *recordsAfter(origin: NodeId, after: number): Iterable<StoredRecord> {
    this.#throwIfClosed();
    const epoch = this.#disk.origins.get(origin)?.epoch;
    for (const { record } of this.#disk.records.get(origin) ?? [])
      if (record.epoch === epoch && record.seq > after) yield record;
  }

  currentRecords(origin: NodeId): readonly StoredRecord[] {
    this.#throwIfClosed();
    const epoch = this.#disk.origins.get(origin)?.epoch;
    return (this.#disk.records.get(origin) ?? [])
      .filter(({ record, isSuperseded }) => record.epoch === epoch && !isSuperseded)
      .map(({ record }) => record);
  }

  history({ origin, slot, key, sinceWallMs, limit }: HistoryQuery): readonly HistoryRow[] {
    this.#throwIfClosed();
    if (!isHistorySlot(slot) || !(limit >= 1)) return [];
    const place = { origin, slot, key };
    const hourly = [...this.#disk.hourly.values()]
      .filter(row => row.origin === origin && row.slot === slot && row.key === key)
      .map(({ hourMs, summary }) => {
        return { ...place, atWallMs: hourMs, body: encodeHourlySummary(summary), isHourly: true };
      });
    const raw = (this.#disk.records.get(origin) ?? [])
      .filter(held => held.slot === slot && held.record.key === key)
      .map(held => ({ ...place, atWallMs: rawAtMs(held), body: held.record.body, isHourly: false }));
    return [...hourly, ...raw]
      .filter(row => row.atWallMs >= sinceWallMs)
      .sort((a, b) => a.atWallMs - b.atWallMs)
      .slice(-Math.floor(limit));
  }

  past({ node, slot, sinceWallMs, limit }: PastQuery): readonly HistoryRow[] {
    this.#throwIfClosed();
    if (!isHistorySlot(slot) || !(limit >= 1)) return [];
    return [...this.#disk.records.values()]
      .flat()
      .filter(held => held.isSuperseded && held.slot === slot && rawAtMs(held) >= sinceWallMs)
      .filter(({ record }) => record.origin === node || record.key.startsWith(`${node} `))
      .map(held => {
        const { origin, key, body } = held.record;
        return { origin, slot, key, atWallMs: rawAtMs(held), body, isHourly: false };
      })
      .sort((a, b) => a.atWallMs - b.atWallMs)
      .slice(-Math.floor(limit));
  }

  compact(): CompactionResult {
    this.#throwIfClosed();
    const { limits, clock } = this.#options;
    return compactMemory(this.#disk, limits ?? JOURNAL_LIMITS, clock.wallMs());
  }

  sizeBytes(): number {
    this.#throwIfClosed();
    return memorySizeBytes(this.#disk);
  }

  [Symbol.dispose](): void {
    if (!this.#isClosed) this.#disk.isOpen = false;
    this.#isClosed = true;
  }

  #renumber(own: OwnNumbers): void {
    this.#own = own;
    this.#disk.own = own;
  }

  #held(): Held {
    this.#throwIfClosed();
    const { ownNode } = this.#options;
    return { ownNode, ownEpoch: this.ownEpoch, position: origin => this.#disk.origins.get(origin) };
  }

  #store({ records, positions }: Admitted): void {
    const storedAtWallMs = Math.round(this.#options.clock.wallMs());
    const begun = positions.filter(({ origin, epoch }) => this.#disk.origins.get(origin)?.epoch !== epoch);
    for (const position of begun) this.#supersedeOlder(position);
    for (const record of records) this.#put(record, storedAtWallMs);
    for (const position of positions) movePosition(this.#disk, position);
    for (const position of begun) this.#supersedeOlder(position);
    if (this.#growth.add(records)) this.compact();
  }

  #supersedeOlder(position: StoredOrigin): void {
    supersedeOlder(this.#disk, position);
    this.#bound.set(position.origin, currentSize(this.#disk, position.origin));
  }

  #put(record: AgedRecord, storedAtWallMs: number): void {
    const { origin, body } = record;
    const fits =
      this.#bound.hasRoomForBytes(origin, body.length) &&
      (isReplacing(this.#disk, record) || this.#bound.hasRoomForOneMore(origin));
    if (!fits) {
      this.#passedOver += 1;
      return;
    }
    const before = sizeAt(this.#disk, record);
    putRecord(this.#disk, record, storedAtWallMs);
    const after = sizeAt(this.#disk, record);
    this.#bound.change(origin, after.records - before.records, after.bytes - before.bytes);
  }

  get passedOver(): number {
    return this.#passedOver;
  }

  #throwIfClosed(): void {
    if (this.#isClosed)
      throw new JournalError({ code: 'closed', problem: 'The journal is closed.', advice: '' });
  }
}
