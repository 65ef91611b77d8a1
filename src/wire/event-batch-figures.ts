// Records that are figures, f64 each: one row per kind, with its figures in byte order, for the writer and the reader. Bytes
// before the figures are stated at the row.

import { counted } from '../core/figure/figure.ts';
import { recordOf } from '../core/record-of.ts';
import {
  type ClientRecord,
  type EventRecord,
  GAP_EDGES,
  type HostRecord,
  LATENESS_KEYS,
  NO_FIGURE,
  REPLY_COUNT_KEYS,
  SERVED_KEYS,
} from '../core/run/event-record.ts';
import { ANSWER_CHECKS } from '../core/run/sample-remark.ts';
import { SERVER_FIGURE_KEYS, SERVER_MOMENTS } from '../core/run/server-reading.ts';
import { type SampleTurn, SKIP_REASONS } from '../core/run/session-outcome.ts';
import { DecodeError } from './decode-error.ts';
import { BEATS_MAX, GAP_CELLS_MAX, RECORD_KIND, SERVER_FIGURES_FIRST } from './event-batch-layout.ts';
import type { FieldReader } from './field-reader.ts';

type FigureKind =
  | 'client.observed'
  | 'client.host'
  | 'server.observed'
  | 'sample.skipped'
  | 'sample.lateness'
  | 'sample.noted'
  | 'sample.placed'
  | 'sample.served'
  | 'sample.counted'
  | 'client.beats'
  | 'client.marks'
  | 'client.gaps';

type FigureRecords = { readonly [K in FigureKind]: Extract<EventRecord, { readonly kind: K }> };
export type FigureRecord = FigureRecords[FigureKind];

interface FigureRow<R> {
  readonly number: number;
  /** Of the sample that it is about: u32, before everything else. */
  readonly sampleId?: (record: R) => number;
  /** Bytes before the figures. */
  readonly head?: (record: R) => readonly number[];
  readonly figures: (record: R) => readonly number[];
  readonly read: (from: FieldReader) => R;
  /** As other versions write it. */
  readonly earlier?: { readonly number: number; readonly read: (from: FieldReader) => R };
}

interface EncodedFigures {
  readonly number: number;
  readonly sampleId: number | undefined;
  readonly head: readonly number[];
  readonly figures: readonly number[];
}

/** @throws RangeError for a list that a reader does not accept. */
export const figuresOf = <K extends FigureKind>(kind: K, record: FigureRecords[K]): EncodedFigures => {
  const row = ROWS[kind];
  return {
    number: row.number,
    sampleId: row.sampleId?.(record),
    head: row.head?.(record) ?? NO_HEAD,
    figures: row.figures(record),
  };
};

/** Undefined if the number is that of another kind of record. */
export const readFigures = (number: number, from: FieldReader): FigureRecord | undefined =>
  BY_NUMBER.get(number)?.read(from);

const CLIENT_KEYS = [
  'atNs',
  'thread',
  'eventLoopUtilization',
  'cpuShare',
  'eventLoopDelayNsMax',
  'readLatenessNsMax',
  'gcPauseNsTotal',
  'gcPauseNsMax',
  'connectionsOpened',
  'connectionsReused',
  'connectionsClosed',
  'connectionsStale',
  'arrivalsWaiting',
  'backoffNs',
  'connectionsAhead',
] as const satisfies readonly (keyof ClientRecord)[];

const HOST_KEYS = [
  'atNs',
  'intervalNs',
  'throttledNs',
  'pressureNs',
  'stolenNs',
] as const satisfies readonly (keyof HostRecord)[];

const TURN_KEYS = ['session', 'turn', 'turns'] as const satisfies readonly (keyof SampleTurn)[];

/** Which of them cancelled it; 0: none. */
const NOTE_MARK = { asPlanned: 1, afterGrace: 2 } as const;

const ROWS: { readonly [K in FigureKind]: FigureRow<FigureRecords[K]> } = {
  'client.observed': {
    number: RECORD_KIND.client,
    figures: record => CLIENT_KEYS.map(key => record[key]),
    read: from => ({ kind: 'client.observed', ...recordOf(CLIENT_KEYS, () => from.f64()) }),
  },
  'client.host': {
    number: RECORD_KIND.host,
    figures: record => HOST_KEYS.map(key => record[key]),
    read: from => ({ kind: 'client.host', ...recordOf(HOST_KEYS, () => from.f64()) }),
  },
  // count u16 · at · inFlight · moment; then each figure.
  'server.observed': {
    number: RECORD_KIND.server,
    head: () => u16(SERVER_FIGURE_KEYS.length),
    figures: record => [
      record.atNs,
      record.inFlight,
      SERVER_MOMENTS.indexOf(record.moment),
      ...SERVER_FIGURE_KEYS.map(key => record[key]),
    ],
    read: from => serverRecord(from, from.u16()),
    earlier: {
      number: RECORD_KIND.serverUncounted,
      read: from => serverRecord(from, SERVER_FIGURES_FIRST),
    },
  },
  'sample.skipped': {
    number: RECORD_KIND.skipped,
    figures: record => [
      record.sampleId,
      record.atNs,
      record.isWarmup ? 1 : 0,
      ...TURN_KEYS.map(key => record.turn[key]),
      SKIP_REASONS.indexOf(record.reason),
    ],
    read: from => ({
      kind: 'sample.skipped',
      sampleId: from.f64(),
      atNs: from.f64(),
      isWarmup: from.f64() === 1,
      turn: recordOf(TURN_KEYS, () => from.f64()),
      reason: from.oneOf(SKIP_REASONS, from.f64(), 'reason to skip a turn'),
    }),
  },
  'sample.lateness': {
    number: RECORD_KIND.lateness,
    sampleId: record => record.sampleId,
    figures: record => LATENESS_KEYS.map(key => record[key]),
    read: from => ({
      kind: 'sample.lateness',
      sampleId: from.u32(),
      ...recordOf(LATENESS_KEYS, () => from.f64()),
    }),
  },
  'sample.noted': {
    number: RECORD_KIND.note,
    sampleId: record => record.sampleId,
    figures: ({ isCancelledAsPlanned, isCutAfterGrace, check, variant }) => [
      isCancelledAsPlanned ? NOTE_MARK.asPlanned : isCutAfterGrace ? NOTE_MARK.afterGrace : 0,
      ANSWER_CHECKS.indexOf(check),
      variant,
    ],
    read: from => {
      const [sampleId, mark] = [from.u32(), from.f64()];
      return {
        kind: 'sample.noted',
        sampleId,
        isCancelledAsPlanned: mark === NOTE_MARK.asPlanned,
        isCutAfterGrace: mark === NOTE_MARK.afterGrace,
        check: from.oneOf(ANSWER_CHECKS, from.f64(), 'check of an answer'),
        variant: from.f64(),
      };
    },
  },
  'sample.placed': {
    number: RECORD_KIND.placed,
    sampleId: record => record.sampleId,
    figures: record => TURN_KEYS.map(key => record[key]),
    read: from => ({
      kind: 'sample.placed',
      sampleId: from.u32(),
      ...recordOf(TURN_KEYS, () => from.f64()),
    }),
  },
  'sample.served': {
    number: RECORD_KIND.served,
    sampleId: record => record.sampleId,
    figures: record => SERVED_KEYS.map(key => record[key]),
    read: from => ({
      kind: 'sample.served',
      sampleId: from.u32(),
      ...recordOf(SERVED_KEYS, () => from.f64()),
    }),
  },
  // count u16; then each count.
  'sample.counted': {
    number: RECORD_KIND.counted,
    sampleId: record => record.sampleId,
    head: () => u16(REPLY_COUNT_KEYS.length),
    figures: record => REPLY_COUNT_KEYS.map(key => record[key]),
    read: from => ({
      kind: 'sample.counted',
      sampleId: from.u32(),
      ...countedFigures(REPLY_COUNT_KEYS, from, from.u16()),
    }),
  },
  // thread u16 · isLoad u8 · count u16 · at; then the lateness of each.
  'client.beats': {
    number: RECORD_KIND.beats,
    head: ({ thread, isLoad, latenessNs }) => [
      ...u16(thread),
      isLoad ? 1 : 0,
      ...u16(limited(latenessNs.length, BEATS_MAX, 'beats')),
    ],
    figures: record => [record.atNs, ...record.latenessNs],
    read: from => {
      const [thread, isLoad, count, atNs] = [from.u16(), from.u8() === 1, from.u16(), from.f64()];
      if (count > BEATS_MAX) throw new DecodeError(`${count} beats in one record`);
      return { kind: 'client.beats', atNs, thread, isLoad, latenessNs: from.f64List(count) };
    },
  },
  // thread u16 · count u16 · at; then the lateness of each, then how long each was blocked.
  'client.marks': {
    number: RECORD_KIND.marks,
    head: ({ thread, latenessNs }) => [
      ...u16(thread),
      ...u16(limited(latenessNs.length, BEATS_MAX, 'marks')),
    ],
    figures: ({ atNs, latenessNs, blockedNs }) => [
      atNs,
      ...latenessNs,
      ...latenessNs.map((_, at) => blockedNs[at] ?? 0),
    ],
    read: from => {
      const [thread, count, atNs] = [from.u16(), from.u16(), from.f64()];
      if (count > BEATS_MAX) throw new DecodeError(`${count} marks in one record`);
      const latenessNs = from.f64List(count);
      return { kind: 'client.marks', atNs, thread, latenessNs, blockedNs: from.f64List(count) };
    },
  },
  // thread u16 · GAP_EDGES u8 · count u16 · at; then for each cell its number and its count.
  'client.gaps': {
    number: RECORD_KIND.gaps,
    head: ({ thread, edge, cells }) => [
      ...u16(thread),
      GAP_EDGES.indexOf(edge),
      ...u16(limited(cells.length, GAP_CELLS_MAX, 'cells')),
    ],
    figures: record => [record.atNs, ...record.cells.flat()],
    read: from => {
      const [thread, edge, count, atNs] = [from.u16(), GAP_EDGES[from.u8()], from.u16(), from.f64()];
      if (edge === undefined) throw new DecodeError('gaps of no known edge');
      if (count > GAP_CELLS_MAX) throw new DecodeError(`${counted(count, 'cell')} in one record`);
      from.need(count * 16);
      const cells = Array.from({ length: count }, () => [from.f64(), from.f64()] as const);
      return { kind: 'client.gaps', atNs, thread, edge, cells };
    },
  },
};

interface NumberedReader {
  readonly number: number;
  readonly read: (from: FieldReader) => FigureRecord;
}

const BY_NUMBER: ReadonlyMap<number, NumberedReader> = new Map(
  Object.values(ROWS)
    .flatMap((row): readonly NumberedReader[] => (row.earlier === undefined ? [row] : [row, row.earlier]))
    .map(row => [row.number, row]),
);

const serverRecord = (from: FieldReader, count: number): FigureRecords['server.observed'] => ({
  kind: 'server.observed',
  atNs: from.f64(),
  inFlight: from.f64(),
  moment: from.oneOf(SERVER_MOMENTS, from.f64(), 'moment of a reading'),
  ...countedFigures(SERVER_FIGURE_KEYS, from, count),
});

/** A version with fewer figures does not report the others; those that a newer one adds are passed over. */
const countedFigures = <K extends string>(
  keys: readonly K[],
  from: FieldReader,
  count: number,
): Readonly<Record<K, number>> => {
  const figures = from.f64List(count);
  const byKey = new Map(keys.map((key, at) => [key, figures[at] ?? NO_FIGURE]));
  return recordOf(keys, key => byKey.get(key) ?? NO_FIGURE);
};

const limited = (count: number, countMax: number, what: string): number => {
  if (count > countMax) throw new RangeError(`${count} ${what} in one record`);
  return count;
};

const NO_HEAD: readonly number[] = [];

const u16 = (value: number): readonly number[] => [value & 0xff, (value >> 8) & 0xff];
