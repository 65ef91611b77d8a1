// What the records of a client's own account, and of the server's, hold, in the order of their bytes.

import type {
  BeatsRecord,
  ChunkLatenessRecord,
  ClientRecord,
  HostRecord,
  MarksRecord,
  SampleLateness,
  ServerRecord,
} from '../core/run/event-record.ts';
import { LATENESS_KEYS } from '../core/run/event-record.ts';
import { SERVER_FIGURE_KEYS } from '../core/run/server-reading.ts';
import { COARSE_CELLS } from '../core/statistics/coarse-cells.ts';
import { BEATS_MAX, RECORD_BYTES, RECORD_KIND } from './event-batch-layout.ts';

export type ListRecord = BeatsRecord | MarksRecord | ChunkLatenessRecord;

export interface RecordList {
  readonly kind: number;
  /** Without the figures. */
  readonly bytes: number;
  /** What stands before `at`, little-endian. */
  readonly head: readonly number[];
  readonly figures: readonly number[];
}

/** @throws RangeError for more than a reader takes. */
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
      const figures = [record.heldNsMax, ...record.latenessNs];
      return { kind: RECORD_KIND.marks, bytes: RECORD_BYTES.marks - 8, head, figures };
    }
    case 'client.chunks': {
      const count = u16(bounded(record.cells.length, COARSE_CELLS, 'cells'));
      const head = [...thread, record.isMax ? 1 : 0, ...count];
      return { kind: RECORD_KIND.chunks, bytes: RECORD_BYTES.chunks, head, figures: record.cells.flat() };
    }
    default:
      return record satisfies never;
  }
};

export const clientFigures = (client: ClientRecord): readonly number[] => [
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
];

export const hostFigures = (host: HostRecord): readonly number[] => [
  host.atNs,
  host.intervalNs,
  host.throttledNs,
  host.pressureNs,
  host.stolenNs,
];

export const serverFigures = (server: ServerRecord): readonly number[] => [
  server.atNs,
  server.inFlight,
  ...SERVER_FIGURE_KEYS.map(key => server[key]),
];

export const latenessFigures = (late: SampleLateness): readonly number[] =>
  LATENESS_KEYS.map(key => late[key]);

const bounded = (count: number, countMax: number, what: string): number => {
  if (count > countMax) throw new RangeError(`${count} ${what} in one record`);
  return count;
};

const u16 = (value: number): readonly number[] => [value & 0xff, (value >> 8) & 0xff];
