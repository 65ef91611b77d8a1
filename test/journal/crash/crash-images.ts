// What a power cut or a bad disk may leave of a journal's two files, made from the moments of one that was written, and what
// may then be shown: exactly what was written up to some moment, or the files moved aside as they were, with words.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_SCHEMA_VERSION } from '../../../src/journal/sqlite-schema.ts';
import {
  type Contents,
  contentsOf,
  type Moment,
  openJournal,
  WRITTEN_WALL_MS,
  type Written,
} from './written-journal.ts';

export interface Image {
  readonly what: string;
  readonly database: Uint8Array;
  readonly log: Uint8Array;
  /** Indices of moments that it may come back to; none where only moving aside is right. */
  readonly mayBe: readonly number[];
  readonly mayBeReplaced: boolean;
}

/**
 * 'started again': the node that it belongs to reads as another one, which is reported; a new epoch starts in the same file.
 * 'past differs': what is current came back; an age, or something that had been replaced, is not what it was.
 */
export type Verdict =
  | 'came back'
  | 'past differs'
  | 'moved aside'
  | 'refused as newer'
  | 'started again'
  | `wrong: ${string}`;

export const PAGE_BYTES = 4_096;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
export const FRAME_BYTES: number = FRAME_HEADER_BYTES + PAGE_BYTES;

/** The last moments of the same log that ends at or before `bytes` of it: what is left of a log of which the rest is gone. */
const leftOf = ({ moments }: Written, at: number, bytes: number): readonly number[] => {
  const { generation } = momentAt(moments, at);
  const good = moments.flatMap((one, index) =>
    one.generation === generation && index <= at && one.log.length <= bytes ? [index] : [],
  );
  return good.slice(-1);
};

/** The log ends at `bytes`: what was written behind has never reached the disk. */
export const cutLog = (written: Written, at: number, bytes: number): Image => {
  const { database, log } = momentAt(written.moments, at);
  return {
    what: `moment ${at}: its log ends after ${bytes} of ${log.length} bytes`,
    database,
    log: log.subarray(0, bytes),
    mayBe: leftOf(written, at, bytes),
    mayBeReplaced: false,
  };
};

/** A sector of the log never reached the disk, what comes behind it did. */
export const hollowLog = (written: Written, at: number, from: number): Image => {
  const moment = momentAt(written.moments, at);
  const log = Uint8Array.from(moment.log);
  log.fill(0, from, from + SECTOR_BYTES);
  const firstOther = log.findIndex((byte, index) => byte !== moment.log[index]);
  return {
    what: `moment ${at}: its log has zeros from ${from}`,
    database: moment.database,
    log,
    mayBe: firstOther === -1 ? [at] : leftOf(written, at, frameStart(firstOther)),
    mayBeReplaced: false,
  };
};

export const flippedLog = (written: Written, at: number, bit: number): Image => {
  const moment = momentAt(written.moments, at);
  return {
    what: `moment ${at}: bit ${bit % 8} of byte ${bit >> 3} of its log is flipped`,
    database: moment.database,
    log: flipped(moment.log, bit),
    mayBe: leftOf(written, at, frameStart(bit >> 3)),
    mayBeReplaced: false,
  };
};

/** Of a journal without a log: what is in the database has been on the disk for long. */
export const flippedDatabase = ({ moments }: Written, at: number, bit: number): Image => {
  const { database } = momentAt(moments, at);
  return {
    what: `moment ${at}: bit ${bit % 8} of byte ${bit >> 3} of its database is flipped`,
    database: flipped(database, bit),
    log: new Uint8Array(),
    mayBe: [at],
    mayBeReplaced: true,
  };
};

export const cutDatabase = ({ moments }: Written, at: number, bytes: number): Image => {
  const { database } = momentAt(moments, at);
  return {
    what: `moment ${at}: its database ends after ${bytes} of ${database.length} bytes`,
    database: database.subarray(0, bytes),
    log: new Uint8Array(),
    mayBe: [],
    mayBeReplaced: true,
  };
};

/** A disk that lied about what it had written: the database of one moment with the log of another one. */
export const mixed = ({ moments }: Written, database: number, log: number): Image => ({
  what: `the database of moment ${database} beside the log of moment ${log}`,
  database: momentAt(moments, database).database,
  log: momentAt(moments, log).log,
  mayBe: [...moments.keys()],
  mayBeReplaced: true,
});

/** Opens the image in an empty directory, as a daemon does. */
export const judge = (directory: string, written: Written, image: Image): Verdict => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const path = join(directory, 'journal.sqlite');
  writeFileSync(path, image.database);
  if (image.log.length > 0) writeFileSync(`${path}-wal`, image.log);
  try {
    using journal = openJournal(path, written.own, WRITTEN_WALL_MS + 60_000);
    const [notice] = journal.notices;
    if (notice === undefined) return cameBack(written, image, contentsOf(journal), journal.startNumber);
    if (!image.mayBeReplaced) return `wrong: moved aside: ${notice.problem}`;
    if (journal.ownEpoch <= written.ownEpoch) return 'wrong: the new epoch is not above the old one';
    if (notice.code === 'journal-of-other-node') return 'started again';
    if (contentsOf(journal).current !== '') return 'wrong: a new journal is not empty';
    return areKept(directory, image) ? 'moved aside' : 'wrong: what was moved aside was changed';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isRefused = message.includes('which this Plimsoll does not read') && hasNewerSchema(image);
    if (!isRefused) return `wrong: ${message}`;
    return Buffer.compare(readFileSync(path), image.database) === 0
      ? 'refused as newer'
      : 'wrong: what was refused was changed';
  }
};

/** A flipped bit may look like a schema of a later version. */
const hasNewerSchema = ({ database }: Image): boolean =>
  Buffer.from(database).readInt32BE(USER_VERSION_AT) > JOURNAL_SCHEMA_VERSION;

const cameBack = (
  { moments, startNumber }: Written,
  { mayBe, mayBeReplaced }: Image,
  { current, past }: Contents,
  newStart: number,
): Verdict => {
  if (newStart <= startNumber) return 'wrong: the start number is not above the old one';
  const right = mayBe.filter(index => moments[index]?.contents.current === current);
  if (right.some(index => moments[index]?.contents.past === past)) return 'came back';
  if (right.length > 0 && mayBeReplaced) return 'past differs';
  const other = moments.findIndex(({ contents }) => contents.current === current);
  return other === -1 ? 'wrong: something that was never written' : `wrong: came back to moment ${other}`;
};

const areKept = (directory: string, { database, log }: Image): boolean => {
  const moved = readdirSync(directory).filter(name => name.includes('.damaged-'));
  const bytesOf = (isLog: boolean): Uint8Array => {
    const name = moved.find(one => one.endsWith('-wal') === isLog && !one.endsWith('-shm'));
    return name === undefined ? new Uint8Array() : readFileSync(join(directory, name));
  };
  return Buffer.compare(bytesOf(false), database) === 0 && Buffer.compare(bytesOf(true), log) === 0;
};

const frameStart = (byte: number): number =>
  byte < LOG_HEADER_BYTES
    ? 0
    : LOG_HEADER_BYTES + Math.floor((byte - LOG_HEADER_BYTES) / FRAME_BYTES) * FRAME_BYTES;

const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit % 8));
  return copy;
};

const momentAt = (moments: readonly Moment[], at: number): Moment => {
  const moment = moments[at];
  if (moment === undefined) throw new Error(`There is no moment ${at}.`);
  return moment;
};

const SECTOR_BYTES = 512;
/** Of SQLite's header: https://www.sqlite.org/fileformat.html#user_version_number */
const USER_VERSION_AT = 60;
