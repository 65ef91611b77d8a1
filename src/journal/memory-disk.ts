// What a memory journal writes to, separate from the journal, so a test can reopen it as after a crash.

import { eventSlot } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { HourlySummary } from '../wire/api/history-answers.ts';
import type { CurrentSize } from './current-bound.ts';
import type { AgedRecord, StoredOrigin, StoredRecord } from './journal.ts';
import { type OwnNumbers, wholeAgeMs } from './numbering.ts';
import { supersessions } from './retention.ts';

export interface MemoryDisk {
  isOpen: boolean;
  own: OwnNumbers | undefined;
  readonly origins: Map<NodeId, StoredOrigin>;
  /** Of each origin, in the order in which they were stored. */
  readonly records: Map<NodeId, HeldRecord[]>;
  /** Origin → place → the records that nothing has replaced. */
  readonly current: Map<NodeId, Map<string, readonly HeldRecord[]>>;
  /** By origin, place and hour. */
  readonly hourly: Map<string, HourlyRow>;
}

export interface HeldRecord {
  readonly record: StoredRecord;
  readonly slot: string;
  isSuperseded: boolean;
}

export interface HourlyRow {
  readonly origin: NodeId;
  readonly slot: string;
  readonly key: string;
  readonly hourMs: number;
  readonly summary: HourlySummary;
}

export const createMemoryDisk = (): MemoryDisk => ({
  isOpen: false,
  own: undefined,
  origins: new Map(),
  records: new Map(),
  current: new Map(),
  hourly: new Map(),
});

/** When the event was true, on the wall clock. */
export const rawAtMs = ({ record }: HeldRecord): number => record.storedAtWallMs - record.ageMs;

/** Records that nothing has replaced, and their bytes. */
export const currentSize = (disk: MemoryDisk, origin: NodeId): CurrentSize => {
  let [records, bytes] = [0, 0];
  for (const held of disk.current.get(origin)?.values() ?? [])
    for (const { record } of held) {
      records += 1;
      bytes += record.body.length;
    }
  return { records, bytes };
};

/** Likewise in the places that a record writes to. */
export const sizeAt = (disk: MemoryDisk, { origin, kind, key }: AgedRecord): CurrentSize => {
  const held = supersessions(kind).flatMap(
    ({ slot }) => disk.current.get(origin)?.get(placeOf(slot, key)) ?? [],
  );
  return { records: held.length, bytes: held.reduce((sum, { record }) => sum + record.body.length, 0) };
};

/** Whether it replaces another one. */
export const isReplacing = (disk: MemoryDisk, { origin, kind, key }: AgedRecord): boolean =>
  supersessions(kind).some(({ slot, exceptKind }) =>
    (disk.current.get(origin)?.get(placeOf(slot, key)) ?? []).some(
      ({ record }) => record.kind !== exceptKind,
    ),
  );

export const putRecord = (disk: MemoryDisk, given: AgedRecord, storedAtWallMs: number): void => {
  const record = storedRecord(given, storedAtWallMs);
  const current = disk.current.get(record.origin) ?? new Map<string, readonly HeldRecord[]>();
  disk.current.set(record.origin, current);
  for (const { slot, exceptKind } of supersessions(record.kind)) {
    const place = placeOf(slot, record.key);
    const held = current.get(place) ?? [];
    for (const one of held) one.isSuperseded = one.record.kind !== exceptKind;
    current.set(
      place,
      held.filter(one => !one.isSuperseded),
    );
  }
  const held = { record, slot: eventSlot(record.kind), isSuperseded: false };
  const place = placeOf(held.slot, record.key);
  current.set(place, [...(current.get(place) ?? []), held]);
  const records = disk.records.get(record.origin);
  if (records === undefined) disk.records.set(record.origin, [held]);
  else records.push(held);
};

/** Moves an origin on; nothing of an older epoch is current afterwards. */
export const movePosition = (disk: MemoryDisk, position: StoredOrigin): void => {
  const isNewEpoch = disk.origins.get(position.origin)?.epoch !== position.epoch;
  disk.origins.set(position.origin, position);
  if (isNewEpoch) supersedeOlder(disk, position);
};

/** Nothing of an epoch before the position's is current. */
export const supersedeOlder = (disk: MemoryDisk, position: StoredOrigin): void => {
  const current = disk.current.get(position.origin) ?? new Map<string, readonly HeldRecord[]>();
  for (const [place, held] of current) {
    for (const one of held) one.isSuperseded ||= one.record.epoch < position.epoch;
    current.set(
      place,
      held.filter(one => !one.isSuperseded),
    );
  }
};

export const forgetOrigin = (disk: MemoryDisk, origin: NodeId): void => {
  disk.origins.delete(origin);
  disk.records.delete(origin);
  disk.current.delete(origin);
  for (const [place, row] of disk.hourly) if (row.origin === origin) disk.hourly.delete(place);
};

/** As a database would store it: a copy of the bytes, UTF-8 text, whole milliseconds. */
const storedRecord = (given: AgedRecord, storedAtWallMs: number): StoredRecord => ({
  origin: given.origin,
  epoch: given.epoch,
  seq: given.seq,
  kind: given.kind.toWellFormed(),
  key: given.key.toWellFormed(),
  body: given.body.slice(),
  signature: given.signature.slice(),
  ageMs: wholeAgeMs(given.ageMs),
  storedAtWallMs,
});

const placeOf = (slot: string, key: string): string => JSON.stringify([slot, key]);
