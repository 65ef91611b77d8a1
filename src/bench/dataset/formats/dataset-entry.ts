// One entry of a data set's file, before its content is interpreted.

import type { JsonObject } from '../../../core/json.ts';

export type DatasetEntry =
  /** A JSON object, or what should be one. */
  | { readonly kind: 'json'; readonly line: number; readonly text: string }
  /** Named fields. */
  | { readonly kind: 'record'; readonly line: number; readonly record: Readonly<Record<string, string>> }
  /** Row of a table; its line is the number of the row, from 1. */
  | { readonly kind: 'row'; readonly line: number; readonly row: JsonObject };

/** A violation of the file's format. */
export class EntryError extends Error {
  /** From 1. */
  readonly line: number;
  readonly advice: string;
  readonly unit: 'line' | 'row';

  constructor(line: number, problem: string, advice: string, unit: 'line' | 'row' = 'line') {
    super(problem);
    this.line = line;
    this.advice = advice;
    this.unit = unit;
  }
}

/** "data.jsonl:12", and of a table "data.parquet, row 12". */
export const entryLocation = (
  shownPath: string,
  { line, unit }: { readonly line: number; readonly unit: 'line' | 'row' },
): string => (unit === 'line' ? `${shownPath}:${line}` : `${shownPath}, row ${line}`);

/** Size of the longest line, JSON object or CSV record. */
export const ENTRY_BYTES_MAX: number = 8 * 1024 * 1024;

/**
 * Invalid UTF-8 is an error, because decoding would send something else than the file contains. @throws EntryError
 */
export const decodedEntry = (bytes: Uint8Array, line: number): string => {
  try {
    // A byte order mark is dropped by the decoder.
    return UTF_8.decode(bytes);
  } catch {
    throw new EntryError(line, 'this line is not UTF-8', 'Save the file as UTF-8.');
  }
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
