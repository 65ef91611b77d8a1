// What one read consists of: events, and segments. Events end after an empty line (server-sent events, and the head), and after a line at the
// end of an HTTP chunk (JSON lines). A line end that closes the chunk belongs to the event.

import type { KernelIo } from '../../../native/kernel-io.ts';

/** Whether a read took exactly one segment: then its events arrived together, and none was merged with a later one. */
export class SegmentCount {
  /** Segments that were read when nothing was left, and reads since. */
  #read = 0;
  #reads = 0;
  #arrived = 0;
  /** Reads and segments do not match: they are counted again once nothing is left to read. */
  isUncounted = false;

  read(): void {
    this.#reads += 1;
  }

  /** Of the last read. */
  isOne(io: KernelIo, fd: number): boolean {
    const arrived = io.segments(fd);
    if (arrived === undefined) return false;
    this.#arrived = arrived;
    this.isUncounted = (arrived - this.#read) >>> 0 !== this.#reads;
    return !this.isUncounted;
  }

  /** A read found nothing: all that had arrived by the last count has been read. */
  drained(): void {
    if (!this.isUncounted) return;
    this.isUncounted = false;
    this.#read = this.#arrived;
    this.#reads = 0;
  }
}

/** End of the first event after `from`; `length` if none ends before. */
export const eventEnd = (bytes: Buffer, from: number, length: number): number => {
  for (let at = bytes.indexOf(LF, from); at >= 0 && at < length; at = bytes.indexOf(LF, at + 1)) {
    const end = endAt(bytes, from, at, length);
    if (end > 0) return end;
  }
  return length;
};

/** Where the last event begins, also an incomplete one; 0 if there is only one. */
export const lastEventStart = (bytes: Buffer, length: number): number => {
  for (let at = lastLineFeed(bytes, length - 1); at > 0; at = lastLineFeed(bytes, at - 1)) {
    const end = endAt(bytes, 0, at, length);
    if (end > 0 && end < length) return end;
  }
  return 0;
};

/** The event's end if one ends with the line feed at `at`, otherwise 0. */
const endAt = (bytes: Buffer, from: number, at: number, length: number): number => {
  const isEmptyLine =
    (at > from && bytes[at - 1] === LF) || (at > from + 1 && bytes[at - 1] === CR && bytes[at - 2] === LF);
  if (!isEmptyLine) return 0;
  const endsChunk = at + 2 < length && bytes[at + 1] === CR && bytes[at + 2] === LF;
  return endsChunk ? at + 3 : at + 1;
};

const lastLineFeed = (bytes: Buffer, before: number): number =>
  before < 0 ? -1 : bytes.lastIndexOf(LF, before);

const LF = 0x0a;
const CR = 0x0d;
