// The fields of a client's records about itself, and of the server's, in byte order.

import {
  type BeatsRecord,
  type ClientRecord,
  GAP_EDGES,
  type GapEdgesRecord,
  type HostRecord,
  LATENESS_KEYS,
  type MarksRecord,
  type SampleLateness,
  type SampleRecord,
  SERVED_KEYS,
  type ServerRecord,
} from '../core/run/event-record.ts';
import { ANSWER_CHECKS, type SampleNote } from '../core/run/sample-remark.ts';
import { SERVER_FIGURE_KEYS, SERVER_MOMENTS } from '../core/run/server-reading.ts';
import { type SampleTurn, SKIP_REASONS } from '../core/run/session-outcome.ts';
import { BEATS_MAX, GAP_CELLS_MAX, NOTE_MARK, RECORD_BYTES, RECORD_KIND } from './event-batch-layout.ts';

type SkippedRecord = Extract<SampleRecord, { readonly kind: 'sample.skipped' }>;
type RecordOfSample = Extract<
  SampleRecord,
  { readonly kind: 'sample.lateness' | 'sample.noted' | 'sample.placed' | 'sample.served' }
>;
export type ListRecord = BeatsRecord | MarksRecord | GapEdgesRecord;

interface RecordList {
  readonly kind: number;
  /** Size without the figures. */
  readonly bytes: number;
  /** The bytes before `at`, little-endian. */
  readonly head: readonly number[];
  readonly figures: readonly number[];
}

/** @throws RangeError for more than a reader accepts. */
export const listOf = (record: ListRecord): RecordList => {
  const thread = u16(record.thread);
  switch (record.kind) {
    case 'client.beats': {
      const count = u16(bounded(record.latenessNs.length, BEATS_MAX, 'beats'));
      const head = [...thread, record.isLoad ? 1 : 0, ...count];
      return { kind: RECORD_KIND.beats, bytes: RECORD_BYTES.beats, head, figures: record.latenessNs };
    }
    case 'client.marks': {
      const head = [...thread, ...u16(bounded(record.latenessNs.length, BEATS_MAX, 'marks'))];
      const figures = [...record.latenessNs, ...record.latenessNs.map((_, at) => record.blockedNs[at] ?? 0)];
      return { kind: RECORD_KIND.marks, bytes: RECORD_BYTES.marks, head, figures };
    }
    case 'client.gaps': {
      const count = u16(bounded(record.cells.length, GAP_CELLS_MAX, 'cells'));
      const head = [...thread, GAP_EDGES.indexOf(record.edge), ...count];
      return { kind: RECORD_KIND.gaps, bytes: RECORD_BYTES.gaps, head, figures: record.cells.flat() };
    }
    default:
      return record satisfies never;
  }
};

/** A record with a fixed number of figures, and its name in RECORD_KIND and RECORD_BYTES. */
export interface NamedFigures {
  readonly name: 'client' | 'host' | 'server' | 'skipped' | 'lateness' | 'note' | 'placed' | 'served';
  readonly figures: readonly number[];
}

export const figuresOf = (record: ClientRecord | HostRecord | ServerRecord | SkippedRecord): NamedFigures => {
  switch (record.kind) {
    case 'client.observed':
      return { name: 'client', figures: clientFigures(record) };
    case 'client.host':
      return { name: 'host', figures: hostFigures(record) };
    case 'server.observed':
      return { name: 'server', figures: serverFigures(record) };
    case 'sample.skipped':
      return { name: 'skipped', figures: skippedFigures(record) };
    default:
      return record satisfies never;
  }
};

/** After the sample's id. */
export const figuresOfSample = (record: RecordOfSample): NamedFigures => {
  switch (record.kind) {
    case 'sample.lateness':
      return { name: 'lateness', figures: latenessFigures(record) };
    case 'sample.noted':
      return { name: 'note', figures: noteFigures(record) };
    case 'sample.placed':
      return { name: 'placed', figures: turnFigures(record) };
    case 'sample.served':
      return { name: 'served', figures: SERVED_KEYS.map(key => record[key]) };
    default:
      return record satisfies never;
  }
};

const clientFigures = (client: ClientRecord): readonly number[] => [
  client.atNs,
  client.thread,
  client.eventLoopUtilization,
  client.cpuShare,
  client.eventLoopDelayNsMax,
  client.readLatenessNsMax,
  client.gcPauseNsTotal,
  client.gcPauseNsMax,
  client.connectionsOpened,
  client.connectionsReused,
  client.connectionsClosed,
  client.connectionsStale,
  client.arrivalsWaiting,
  client.backoffNs,
  client.connectionsAhead,
];

const hostFigures = (host: HostRecord): readonly number[] => [
  host.atNs,
  host.intervalNs,
  host.throttledNs,
  host.pressureNs,
  host.stolenNs,
];

const serverFigures = (server: ServerRecord): readonly number[] => [
  server.atNs,
  server.inFlight,
  SERVER_MOMENTS.indexOf(server.moment),
  ...SERVER_FIGURE_KEYS.map(key => server[key]),
];

const skippedFigures = (record: SkippedRecord): readonly number[] => [
  record.sampleId,
  record.atNs,
  record.isWarmup ? 1 : 0,
  ...turnFigures(record.turn),
  SKIP_REASONS.indexOf(record.reason),
];

const turnFigures = ({ session, turn, turns }: SampleTurn): readonly number[] => [session, turn, turns];

const latenessFigures = (late: SampleLateness): readonly number[] => LATENESS_KEYS.map(key => late[key]);

const noteFigures = ({
  isCancelledAsPlanned,
  isCutAfterGrace,
  variant,
  check,
}: SampleNote): readonly number[] => [
  isCancelledAsPlanned ? NOTE_MARK.asPlanned : isCutAfterGrace ? NOTE_MARK.afterGrace : 0,
  ANSWER_CHECKS.indexOf(check),
  variant,
];

const bounded = (count: number, countMax: number, what: string): number => {
  if (count > countMax) throw new RangeError(`${count} ${what} in one record`);
  return count;
};

const u16 = (value: number): readonly number[] => [value & 0xff, (value >> 8) & 0xff];
