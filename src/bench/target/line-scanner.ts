// Finds the lines of a stream of JSON lines in bytes with arbitrary boundaries: each ends with LF, and bytes after
// the last LF are not a line yet. White space around the JSON, CR too, is left to the parser.

import { ByteStore, EVENT_BYTES_MAX, type EventSink, type StreamScanner } from './event-scanner.ts';

export class LineScanner implements StreamScanner {
  readonly hasForeignLines = false;
  readonly #sink: EventSink;
  readonly #line: ByteStore = new ByteStore();
  #isTooLong = false;

  constructor(sink: EventSink) {
    this.#sink = sink;
  }

  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  get hasOpenEvent(): boolean {
    return !isBlank(this.#line.bytes, 0, this.#line.length);
  }

  reset(): void {
    this.#line.length = 0;
    this.#isTooLong = false;
  }

  end(): void {
    const { length } = this.#line;
    this.#line.length = 0;
    this.#report(this.#line.bytes, 0, length);
  }

  push(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end && !this.#isTooLong) {
      const found = bytes.indexOf(LF, at);
      const lineEnd = found < 0 || found >= end ? end : found;
      const isWhole = lineEnd < end;
      if (isWhole && this.#line.length === 0) this.#report(bytes, at, lineEnd);
      else this.#keep(bytes, at, lineEnd, isWhole);
      at = lineEnd + 1;
    }
  }

  #keep(bytes: Buffer, start: number, end: number, isWhole: boolean): void {
    if (this.#line.length + end - start > EVENT_BYTES_MAX) {
      this.#isTooLong = true;
      return;
    }
    this.#line.add(bytes, start, end);
    if (!isWhole) return;
    const { length } = this.#line;
    this.#line.length = 0;
    this.#report(this.#line.bytes, 0, length);
  }

  #report(bytes: Buffer, start: number, end: number): void {
    if (!isBlank(bytes, start, end)) this.#sink.event(bytes, start, end, false);
  }
}

const isBlank = (bytes: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
};

const LF = 0x0a;
