// Compaction of the memory journal: the same steps as the database's, on arrays.

import { mergeSummaries, summarizeHour } from './hourly-summary.ts';
import type { CompactionResult, JournalLimits } from './journal.ts';
import { type HeldRecord, type HourlyRow, type MemoryDisk, rawAtMs } from './memory-disk.ts';
import { HOUR_MS, hourOf, isHistorySlot, rawHistoryEndMs } from './retention.ts';

export const compactMemory = (
  disk: MemoryDisk,
  limits: JournalLimits,
  nowWallMs: number,
): CompactionResult => {
  const superseded = drop(disk, held => held.isSuperseded && !isHistorySlot(held.slot)).length;
  const endMs = rawHistoryEndMs(nowWallMs, limits.rawHistoryMs);
  const past = drop(disk, held => held.isSuperseded && rawAtMs(held) < endMs);
  const hourlyRows = sumUp(disk, past);
  const tooOld = dropHourly(disk, row => row.hourMs + HOUR_MS <= nowWallMs - limits.hourlyHistoryMs);
  const overSize = dropOverSize(disk, limits.sizeBytesMax);
  return {
    droppedRecords: superseded + past.length + overSize.records,
    hourlyRows,
    droppedHourlyRows: tooOld + overSize.hourlyRows,
    sizeBytes: memorySizeBytes(disk),
  };
};

/** Bytes held, with an estimate of the overhead. */
export const memorySizeBytes = (disk: MemoryDisk): number => {
  let sizeBytes = 0;
  for (const records of disk.records.values()) for (const held of records) sizeBytes += recordBytes(held);
  for (const row of disk.hourly.values()) sizeBytes += hourlyBytes(row);
  return sizeBytes;
};

const drop = (disk: MemoryDisk, isDropped: (held: HeldRecord) => boolean): readonly HeldRecord[] => {
  const dropped: HeldRecord[] = [];
  for (const [origin, records] of disk.records) {
    const before = dropped.length;
    const kept: HeldRecord[] = [];
    for (const held of records) (isDropped(held) ? dropped : kept).push(held);
    if (dropped.length > before) disk.records.set(origin, kept);
  }
  return dropped;
};

const dropHourly = (disk: MemoryDisk, isDropped: (row: HourlyRow) => boolean): number => {
  let count = 0;
  for (const [place, row] of disk.hourly) if (isDropped(row) && disk.hourly.delete(place)) count += 1;
  return count;
};

/** One row per place and hour. */
const sumUp = (disk: MemoryDisk, past: readonly HeldRecord[]): number => {
  const hours = Map.groupBy(past, hourPlace);
  for (const [place, records] of hours) {
    const [first] = records;
    if (first === undefined) continue;
    const summary = summarizeHour(records.map(held => held.record.body));
    const earlier = disk.hourly.get(place);
    disk.hourly.set(place, {
      origin: first.record.origin,
      slot: first.slot,
      key: first.record.key,
      hourMs: hourOf(rawAtMs(first)),
      summary: earlier === undefined ? summary : mergeSummaries(earlier.summary, summary),
    });
  }
  return hours.size;
};

/** The oldest history goes first, whether hourly or raw. */
const dropOverSize = (disk: MemoryDisk, sizeBytesMax: number): { records: number; hourlyRows: number } => {
  let sizeBytes = memorySizeBytes(disk);
  if (sizeBytes <= sizeBytesMax) return { records: 0, hourlyRows: 0 };
  const oldRecords = [...disk.records.values()].flat().filter(held => held.isSuperseded);
  const history = [
    ...[...disk.hourly.values()].map(row => ({ row, atMs: row.hourMs, bytes: hourlyBytes(row) })),
    ...oldRecords.map(row => ({ row, atMs: rawAtMs(row), bytes: recordBytes(row) })),
  ].sort((a, b) => a.atMs - b.atMs);
  const doomed = new Set<HeldRecord | HourlyRow>();
  for (const { row, bytes } of history) {
    if (sizeBytes <= sizeBytesMax) break;
    doomed.add(row);
    sizeBytes -= bytes;
  }
  return {
    records: drop(disk, held => doomed.has(held)).length,
    hourlyRows: dropHourly(disk, row => doomed.has(row)),
  };
};

const hourPlace = (held: HeldRecord): string =>
  JSON.stringify([held.record.origin, held.slot, held.record.key, hourOf(rawAtMs(held))]);

const recordBytes = ({ record }: HeldRecord): number =>
  record.body.length + record.signature.length + record.kind.length + record.key.length + ROW_BYTES;

const hourlyBytes = (row: HourlyRow): number =>
  row.key.length + Object.keys(row.summary.figures).length * FIGURE_BYTES + ROW_BYTES;

const ROW_BYTES = 64;
const FIGURE_BYTES = 80;
