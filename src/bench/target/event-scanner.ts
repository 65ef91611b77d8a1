// Finds the events of a server-sent event stream in bytes with arbitrary boundaries, by the standard (WHATWG HTML
// §9.2.6): lines end with LF, CRLF or a lone CR, an event with an empty line. Bytes are buffered, never decoded in
// part.

import { startsWith } from './http1/head-reader.ts';

export interface EventSink {
  /** Data of an event, its lines joined with LF. The bytes are valid during the call only. */
  event(bytes: Buffer, start: number, end: number, isErrorEvent: boolean): void;
}

/** Splits the bytes of a stream into events. */
export interface StreamScanner {
  /** An event was longer than EVENT_BYTES_MAX; nothing is scanned any more. */
  readonly isTooLong: boolean;
  /** Whether an incomplete event has arrived. */
  readonly hasOpenEvent: boolean;
  /** Whether a line arrived that is not part of such a stream: a page, JSON, compressed bytes. */
  readonly hasForeignLines: boolean;
  reset(): void;
  /** No more bytes arrive, and the reply is complete: an open event goes to the sink as if it had ended. */
  end(): void;
  push(bytes: Buffer, start: number, end: number): void;
}

export class EventScanner implements StreamScanner {
  readonly #sink: EventSink;
  readonly #line: ByteStore = new ByteStore();
  readonly #data: ByteStore = new ByteStore();
  /** Buffer with the data of the event's only line, as long as it need not be copied. */
  #borrowed: Buffer | undefined;
  #dataStart = 0;
  #dataEnd = 0;
  #dataLines = 0;
  #isErrorEvent = false;
  /** The buffered lines are of the field `error`. */
  #isErrorField = false;
  #skipsLineFeed = false;
  /** Bytes of the byte order mark seen; BOM_DONE when that is decided. */
  #bomSeen = 0;
  #isTooLong = false;
  #hasForeignLines = false;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** Whether an event has arrived that no empty line has ended. */
  get hasOpenEvent(): boolean {
    return this.#dataLines > 0 || (this.#line.length > 0 && this.#line.bytes[0] !== COLON);
  }

  get hasForeignLines(): boolean {
    return this.#hasForeignLines || isForeign(this.#line.bytes, 0, this.#line.length);
  }

  reset(): void {
    this.#hasForeignLines = false;
    this.#line.length = 0;
    this.#clearEvent();
    this.#skipsLineFeed = false;
    this.#bomSeen = 0;
    this.#isTooLong = false;
  }

  push(bytes: Buffer, start: number, end: number): void {
    let at = this.#bomSeen === BOM_DONE ? start : this.#skipBom(bytes, start, end);
    while (at < end && !this.#isTooLong) {
      if (this.#skipsLineFeed) {
        this.#skipsLineFeed = false;
        if (bytes[at] === LF) {
          at += 1;
          continue;
        }
      }
      const lineStart = at;
      let byte = bytes[at];
      while (byte !== LF && byte !== CR) {
        at += 1;
        if (at === end) break;
        byte = bytes[at];
      }
      if (at === end) {
        this.#keep(this.#line, bytes, lineStart, end);
        break;
      }
      this.#skipsLineFeed = byte === CR;
      if (this.#line.length === 0) {
        this.#takeLine(bytes, lineStart, at, true);
      } else {
        this.#keep(this.#line, bytes, lineStart, at);
        const { length } = this.#line;
        this.#line.length = 0;
        this.#takeLine(this.#line.bytes, 0, length, false);
      }
      at += 1;
    }
    // The caller's bytes are invalid after this call.
    if (this.#borrowed !== undefined) this.#copyBorrowed();
  }

  end(): void {
    const { length } = this.#line;
    this.#line.length = 0;
    if (length > 0) this.#takeLine(this.#line.bytes, 0, length, false);
    this.#dispatch();
  }

  #takeLine(bytes: Buffer, start: number, end: number, isCallers: boolean): void {
    if (start === end) {
      this.#dispatch();
      return;
    }
    if (isField(bytes, start, end, DATA)) {
      if (this.#isErrorField) this.#dispatch();
      const valueStart = valueStartOf(bytes, start + DATA.length, end);
      this.#takeData(bytes, valueStart, end, isCallers);
    } else if (isField(bytes, start, end, EVENT)) {
      const valueStart = valueStartOf(bytes, start + EVENT.length, end);
      this.#isErrorEvent = end - valueStart === ERROR.length && startsWith(bytes, valueStart, ERROR);
    } else if (isField(bytes, start, end, ERROR)) {
      this.#takeError(bytes, valueStartOf(bytes, start + ERROR.length, end), end, isCallers);
    } else if (!this.#hasForeignLines) {
      this.#hasForeignLines = isForeign(bytes, start, end);
    }
  }

  /**
   * Not a field of the standard: llama.cpp writes its error there instead of in data. Data before it is an event of
   * its own.
   */
  #takeError(bytes: Buffer, start: number, end: number, isCallers: boolean): void {
    if (this.#dataLines > 0 && !this.#isErrorField) this.#dispatch();
    this.#isErrorEvent = true;
    this.#isErrorField = true;
    this.#takeData(bytes, start, end, isCallers);
  }

  #takeData(bytes: Buffer, start: number, end: number, isCallers: boolean): void {
    this.#dataLines += 1;
    if (this.#dataLines === 1 && isCallers) {
      this.#borrowed = bytes;
      this.#dataStart = start;
      this.#dataEnd = end;
      return;
    }
    if (this.#borrowed !== undefined) this.#copyBorrowed();
    if (this.#dataLines > 1) this.#keep(this.#data, LINE_FEED, 0, 1);
    this.#keep(this.#data, bytes, start, end);
  }

  #dispatch(): void {
    if (this.#dataLines > 0) {
      if (this.#borrowed !== undefined) {
        this.#sink.event(this.#borrowed, this.#dataStart, this.#dataEnd, this.#isErrorEvent);
      } else {
        this.#sink.event(this.#data.bytes, 0, this.#data.length, this.#isErrorEvent);
      }
    }
    this.#clearEvent();
  }

  #clearEvent(): void {
    this.#borrowed = undefined;
    this.#data.length = 0;
    this.#dataLines = 0;
    this.#isErrorEvent = false;
    this.#isErrorField = false;
  }

  #copyBorrowed(): void {
    const bytes = this.#borrowed;
    this.#borrowed = undefined;
    if (bytes !== undefined) this.#keep(this.#data, bytes, this.#dataStart, this.#dataEnd);
  }

  #keep(store: ByteStore, bytes: Buffer, start: number, end: number): void {
    if (store.length + end - start > EVENT_BYTES_MAX) this.#isTooLong = true;
    else store.add(bytes, start, end);
  }

  #skipBom(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && this.#bomSeen < BOM.length && bytes[at] === BOM[this.#bomSeen]) {
      at += 1;
      this.#bomSeen += 1;
    }
    if (at === end && this.#bomSeen < BOM.length) return at;
    // Bytes that only resembled a mark belong to the first line.
    if (this.#bomSeen < BOM.length) this.#keep(this.#line, BOM, 0, this.#bomSeen);
    this.#bomSeen = BOM_DONE;
    return at;
  }
}

/** A growing buffer that is reused. */
export class ByteStore {
  bytes: Buffer = NOTHING;
  length = 0;

  add(source: Buffer, start: number, end: number): void {
    const length = this.length + end - start;
    if (length > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(512, length * 2));
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
    }
    source.copy(this.bytes, this.length, start, end);
    this.length = length;
  }
}

/** "data", "data:…" but not "database:". */
const isField = (bytes: Buffer, start: number, end: number, name: Buffer): boolean => {
  const nameEnd = start + name.length;
  return nameEnd <= end && startsWith(bytes, start, name) && (nameEnd === end || bytes[nameEnd] === COLON);
};

/** Neither a comment nor a field of the standard or of llama.cpp. */
const isForeign = (bytes: Buffer, start: number, end: number): boolean =>
  start < end && bytes[start] !== COLON && !FIELDS.some(name => isField(bytes, start, end, name));

/** Index after the colon and one space. */
const valueStartOf = (bytes: Buffer, nameEnd: number, end: number): number => {
  if (nameEnd >= end) return end;
  return nameEnd + 1 < end && bytes[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
};

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const DATA = Buffer.from('data');
const EVENT = Buffer.from('event');
const ERROR = Buffer.from('error');
const FIELDS: readonly Buffer[] = [DATA, EVENT, ERROR, Buffer.from('id'), Buffer.from('retry')];
const LINE_FEED = Buffer.from('\n');
const NOTHING: Buffer = Buffer.alloc(0);
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const BOM_DONE = 4;
/** Limit in docs/limits.md. */
export const EVENT_BYTES_MAX = 4_194_304;
