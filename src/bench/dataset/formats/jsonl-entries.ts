// The lines of a JSONL file; empty ones are passed over.

import { parseAnyJson } from '../../../core/json.ts';
import { type DatasetEntry, decodedEntry, ENTRY_BYTES_MAX, EntryError } from './dataset-entry.ts';

/**
 * @param cut reports a last line without its end that is not JSON, which is passed over; without it, it is an entry
 * @throws EntryError
 */
export async function* jsonlEntries(
  chunks: AsyncIterable<Buffer>,
  cut?: () => void,
): AsyncGenerator<DatasetEntry, void, void> {
  for await (const { line, bytes, isEnded } of linesOf(chunks)) {
    if (!isEnded && cut !== undefined && parseAnyJson(bytes.toString('utf8')) === undefined) {
      cut();
      continue;
    }
    const text = decodedEntry(bytes, line);
    if (text.trim() !== '') yield { kind: 'json', line, text };
  }
}

interface Line {
  readonly line: number;
  readonly bytes: Buffer;
  /** By a line feed. */
  readonly isEnded: boolean;
}

/** Without empty ones: a file of line feeds alone would otherwise take minutes. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void, void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let line = 1;
  const check = (bytes: number): void => {
    if (bytes <= ENTRY_BYTES_MAX) return;
    throw new EntryError(
      line,
      `this line is longer than ${ENTRY_BYTES_MAX / MEBIBYTE} MiB`,
      'Is it a JSONL file, one JSON object on each line? A shorter prompt is needed.',
    );
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (;;) {
      for (; restBytes === 0 && chunk[from] === NEWLINE; from += 1) line += 1;
      const end = chunk.indexOf(NEWLINE, from);
      if (end === -1) break;
      check(restBytes + end - from);
      const last = chunk.subarray(from, end);
      yield { line, bytes: restBytes === 0 ? last : Buffer.concat([...rest, last]), isEnded: true };
      rest = [];
      restBytes = 0;
      from = end + 1;
      line += 1;
    }
    if (from === chunk.length) continue;
    rest.push(Buffer.from(chunk.subarray(from)));
    restBytes += chunk.length - from;
    check(restBytes);
  }
  if (restBytes > 0) yield { line, bytes: Buffer.concat(rest), isEnded: false };
}

const NEWLINE = 0x0a;
const MEBIBYTE = 1024 * 1024;
