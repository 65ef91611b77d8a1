// How an event becomes bytes. Server-sent events in the forms the standard allows (HTML Living Standard §9.2): three
// line ends, with or without the space, comments, data over several lines. Chunks (RFC 9112 §7.1) with the extensions
// and trailers that few servers send and every client must understand. Times inside an event: 20 digits each, so a
// stamp overwrites the last one without rebuilding the event.

import type { MockSettings } from '../mock-settings.ts';

/** An event with its blank line. `data` is JSON or `[DONE]`. */
export const eventText = (data: string, settings: Framing, type?: string): string => {
  const end = lineEnd(settings);
  const field = settings.hasSpaceAfterData ? 'data: ' : 'data:';
  // After the first comma between members a line feed is JSON white space, and belongs to the data (§9.2.6).
  const cut = settings.hasMultiLineData ? data.indexOf(',"') + 1 : 0;
  const lines = cut > 0 ? [data.slice(0, cut), data.slice(cut)] : [data];
  return [
    ...(settings.hasComments ? [': the mock is running'] : []),
    ...(type === undefined ? [] : [`event:${settings.hasSpaceAfterData ? ' ' : ''}${type}`]),
    ...lines.map(line => field + line),
    '',
    '',
  ].join(end);
};

export const lineEnd = ({ framing }: Pick<Framing, 'framing'>): string => LINE_ENDS[framing];

export const BOM = '\ufeff';

/** The bytes as one chunk, or as several of at most `chunkBytes`. */
export const chunked = (bytes: Buffer, settings: Chunking): Buffer => {
  const size = settings.chunkBytes === 0 ? bytes.length : settings.chunkBytes;
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    const data = bytes.subarray(start, start + size);
    const extension = settings.hasChunkExtensions ? EXTENSION : '';
    parts.push(Buffer.from(`${data.length.toString(16)}${extension}\r\n`), data, LINE_END);
  }
  return Buffer.concat(parts);
};

export const lastChunk = ({
  hasChunkExtensions,
  hasTrailers,
}: Pick<MockSettings, 'hasChunkExtensions' | 'hasTrailers'>): Buffer =>
  Buffer.from(`0${hasChunkExtensions ? EXTENSION : ''}\r\n${hasTrailers ? TRAILERS : ''}\r\n`);

export const STAMP_FIELD: string = `"plimsoll":{"readNs":"${'0'.repeat(20)}","writeNs":"${'0'.repeat(20)}"}`;

/** From the first digit of `readNs` to the end of the field. */
export const STAMP_BYTES: number = STAMP_FIELD.length - STAMP_FIELD.indexOf('0');

/** @param at offset of the first digit of `readNs`. */
export const writeStamp = (bytes: Buffer, at: number, readNs: bigint, writeNs: bigint): void => {
  bytes.write(digits(readNs), at, DIGITS, 'latin1');
  bytes.write(digits(writeNs), at + WRITE_OFFSET, DIGITS, 'latin1');
};

type Framing = Pick<MockSettings, 'framing' | 'hasSpaceAfterData' | 'hasComments' | 'hasMultiLineData'>;

type Chunking = Pick<MockSettings, 'chunkBytes' | 'hasChunkExtensions'>;

const digits = (ns: bigint): string => ns.toString().padStart(DIGITS, '0');

const LINE_ENDS: Readonly<Record<Framing['framing'], string>> = { lf: '\n', crlf: '\r\n', cr: '\r' };
const EXTENSION = ';mock="a;b"';
const TRAILERS = 'x-mock-trailer: end\r\nserver-timing: total\r\n';
const LINE_END = Buffer.from('\r\n');
const DIGITS = 20;
const WRITE_OFFSET = STAMP_FIELD.lastIndexOf('"writeNs":"') + '"writeNs":"'.length - STAMP_FIELD.indexOf('0');
