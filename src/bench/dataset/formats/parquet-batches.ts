// The rows of a Parquet file under the names of its columns, one row group after another, so that no more than one of
// them is in memory. Only useful columns are read. The file's own sizes are trusted only up to a limit, and the
// memory that rows take outside of this thread is counted: a text that a dictionary stores once becomes a separate
// copy in each row.

import type { FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  snappyUncompress,
} from 'hyparquet';
import { counted } from '../../../core/figure/figure.ts';
import { ExpansionBudget } from '../../../core/input/expansion-budget.ts';
import { valueFootprint } from '../../../core/input/json-footprint.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { errorCode, shortReason } from '../../../core/problem.ts';
import { openInputFile } from '../../../process/input-file.ts';
import { type DatasetEntry, ENTRY_BYTES_MAX, EntryError } from './dataset-entry.ts';

interface ParquetSource {
  /** Absolute. */
  readonly path: string;
  /** Selects the useful columns; none if the file contains no prompts. */
  readonly columnsOf: (names: readonly string[]) => Promise<readonly string[]>;
}

export type ParquetRow = Extract<DatasetEntry, { readonly kind: 'row' }>;

/**
 * Yields some megabytes at a time. @throws EntryError with the row at which reading ended; any error of opening the
 * file.
 */
export async function* parquetBatches(
  source: ParquetSource,
): AsyncGenerator<readonly ParquetRow[], void, void> {
  await using handle = await openInputFile(source.path, 'parquet');
  const file = new FileRanges(handle, (await handle.stat()).size);
  const metadata = await namedAs(1, WHOLE, () => parquetMetadataAsync(file, { geoparquet: false }));
  const names = await namedAs(1, WHOLE, () =>
    parquetSchema(metadata).children.map(each => each.element.name),
  );
  const columns = [...(await source.columnsOf(names))];
  if (columns.length === 0) {
    // The reader of the row reports the existing columns instead.
    yield [{ kind: 'row', line: 1, row: Object.fromEntries(names.map(name => [name, null])) }];
    return;
  }
  if (metadata.row_groups.length > ROW_GROUPS_MAX)
    throw damaged(1, `it has ${metadata.row_groups.length} row groups; at most ${ROW_GROUPS_MAX} are read`);
  let rowStart = 0;
  const batch = new RowBatch();
  for (const [index, group] of metadata.row_groups.entries()) {
    const line = rowStart + 1;
    const what = `row group ${index + 1}`;
    const unreadable = `${what} cannot be read`;
    const rowCount = await namedAs(line, unreadable, () => checkedRows(group, columns, { line, what }));
    const rowEnd = rowStart + rowCount;
    const rows = await namedAs(line, unreadable, () =>
      parquetReadObjects({ file, metadata, columns, rowStart, rowEnd, ...decodingOfGroup() }),
    );
    checkCount(rows.length, rowCount, line, what);
    for (const [at, row] of rows.entries()) {
      batch.add({ kind: 'row', line: line + at, row: plainRow(row, line + at) });
      if (batch.isFull) yield batch.taken();
    }
    rowStart = rowEnd;
    if (rowStart > ROWS_MAX)
      throw new EntryError(rowStart, `it has more than ${ROWS_MAX} rows`, 'Use a part of it.', 'row');
  }
  yield batch.taken();
  checkCount(rowStart, Number(metadata.num_rows), rowStart + 1, 'the file');
}

/** Rows on their way to the main thread, where each gets its own memory. */
class RowBatch {
  #rows: ParquetRow[] = [];
  #bytes = 0;
  #line = 1;
  readonly #budget = new ExpansionBudget(
    'parquet',
    ({ problem, advice }) => new EntryError(this.#line, `up to here ${problem}`, advice, 'row'),
  );

  /** @throws EntryError if all rows together are too large */
  add(row: ParquetRow): void {
    const bytes = valueFootprint(row.row);
    this.#line = row.line;
    this.#budget.add(bytes);
    this.#bytes += bytes;
    this.#rows.push(row);
  }

  get isFull(): boolean {
    return this.#bytes >= BATCH_BYTES;
  }

  taken(): readonly ParquetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return rows;
  }
}

/** The number of rows, if it is within the limit. */
const checkedRows = (
  { num_rows, columns }: RowGroup,
  wanted: readonly string[],
  { line, what }: { readonly line: number; readonly what: string },
): number => {
  let bytes = 0;
  let values = 0;
  for (const { meta_data: reported } of columns) {
    // A damaged footer may lack what the library's type promises.
    if (reported?.path_in_schema === undefined)
      throw damaged(line, `${what} does not say what its columns are`);
    if (!wanted.includes(reported.path_in_schema[0] ?? '')) continue;
    if (!READABLE_CODECS.has(reported.codec))
      throw new EntryError(
        line,
        `${what} is compressed with ${String(reported.codec)}, which cannot be read here`,
        `Write it with one of ${[...READABLE_CODECS].join(', ')}.`,
        'row',
      );
    bytes += Number(reported.total_uncompressed_size);
    values += Number(reported.num_values);
  }
  const rows = Number(num_rows);
  if (!(bytes >= 0 && rows >= 0))
    throw damaged(line, `${what} says that it has ${counted(rows, 'row')} of ${bytes} bytes`);
  if (bytes <= GROUP_BYTES_MAX && rows <= GROUP_ROWS_MAX && values <= GROUP_VALUES_MAX) return rows;
  throw new EntryError(
    line,
    `${what} has ${counted(rows, 'row')} of ${bytes} bytes and ${counted(values, 'value')}; at most ${GROUP_ROWS_MAX} rows of ${GROUP_BYTES_MAX / MEBIBYTE} MiB and ${GROUP_VALUES_MAX} values are held`,
    'Write the file with smaller row groups.',
    'row',
  );
};

const checkCount = (found: number, reported: number, line: number, what: string): void => {
  if (found !== reported)
    throw damaged(line, `${what} has ${counted(found, 'row')}, and says that it has ${reported}`);
};

/** A library's error about a file is an error of the file: the position is added. */
const namedAs = async <T>(line: number, what: string, read: () => T | Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (error instanceof EntryError || errorCode(error) === 'EIO') throw error;
    throw damaged(line, `${what}: ${shortReason(error)}`);
  }
};

export const damaged = (line: number, problem: string): EntryError =>
  new EntryError(line, problem, 'Is the file whole? Fetch it again.', 'row');

/** JSON's own kinds of values: whole numbers are numbers, and what a row does not have is left out. */
const plainRow = (row: JsonObject, line: number): JsonObject =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      const plain = plainValue(value, line);
      return plain === null ? [] : [[name, plain]];
    }),
  );

const plainValue = (value: unknown, line: number): unknown => {
  switch (typeof value) {
    case 'bigint':
      return Number(value);
    case 'string':
      if (value.length <= ENTRY_BYTES_MAX) return value;
      throw new EntryError(
        line,
        `a text of it is longer than ${ENTRY_BYTES_MAX} characters`,
        'A shorter prompt is needed.',
        'row',
      );
    case 'object':
      if (Array.isArray(value)) return value.map(each => plainValue(each, line));
      return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype
        ? plainRow(value, line)
        : null;
    case 'number':
    case 'boolean':
      return value;
    default:
      return null;
  }
};

/** Parts of a file in the form that the library requests. */
class FileRanges implements AsyncBuffer {
  readonly byteLength: number;
  readonly #file: FileHandle;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.byteLength = size;
  }

  slice(start: number, end: number = this.byteLength): Promise<ArrayBuffer> {
    const part = this.#part(start, end);
    // The library requests several at once and awaits them one after another: a later one may fail before it is
    // awaited.
    part.catch(() => undefined);
    return part;
  }

  async #part(start: number, end: number): Promise<ArrayBuffer> {
    const bytes = end - start;
    if (!(start >= 0 && bytes >= 0 && end <= this.byteLength))
      throw new RangeError(`it points at bytes ${start} to ${end}, and the file has ${this.byteLength}`);
    if (bytes > GROUP_BYTES_MAX) throw new RangeError(`${bytes} bytes in one piece are too many`);
    const part = new ArrayBuffer(bytes);
    const { bytesRead } = await this.#file.read(new Uint8Array(part), 0, bytes, start);
    if (bytesRead !== bytes) throw new RangeError(`the file ends at byte ${start + bytesRead}`);
    return part;
  }
}

/**
 * Node's own, with the library's for Snappy; there is none for LZO and Hadoop's framed LZ4. Limits apply to all pages
 * of one row group together.
 */
const compressorsOfGroup = (): Compressors => {
  let left = GROUP_BYTES_MAX;
  const taken = (length: number): number => {
    left -= length;
    if (length >= 0 && left >= 0) return length;
    throw new RangeError(`its pages claim more than ${GROUP_BYTES_MAX} bytes`);
  };
  /** One more than expected, so that a longer page is detected. */
  const limit = (length: number): { readonly maxOutputLength: number } => ({
    maxOutputLength: taken(length) + 1,
  });
  return {
    SNAPPY: (input, length) => {
      const page = new Uint8Array(taken(length));
      snappyUncompress(input, page);
      return page;
    },
    GZIP: (input, length) => sized(gunzipSync(input, limit(length)), length),
    BROTLI: (input, length) => sized(brotliDecompressSync(input, limit(length)), length),
    ZSTD: (input, length) => sized(zstdDecompressSync(input, limit(length)), length),
  };
};

const sized = (page: Uint8Array, length: number): Uint8Array => {
  if (page.length === length) return page;
  throw new RangeError(`a page has ${page.length} bytes, and says that it has ${length}`);
};

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

const decodingOfGroup = (): {
  readonly compressors: Compressors;
  readonly geoparquet: false;
  readonly parsers: { readonly stringFromBytes: (bytes: Uint8Array) => string };
} => ({
  compressors: compressorsOfGroup(),
  geoparquet: false,
  parsers: { stringFromBytes: bytes => UTF_8.decode(bytes) },
});

const WHOLE = 'the file is not a Parquet file, or is damaged';
const MEBIBYTE = 1024 * 1024;
/** Size of the columns that are read, uncompressed. */
const GROUP_BYTES_MAX: number = 256 * MEBIBYTE;
const GROUP_ROWS_MAX = 1_000_000;
/** Includes values of lists within rows. */
const GROUP_VALUES_MAX = 16_000_000;
const ROW_GROUPS_MAX = 100_000;
/** Rows without a prompt take time, too. */
const ROWS_MAX = 10_000_000;
/** Memory in the receiving thread. */
const BATCH_BYTES: number = 4 * MEBIBYTE;
const READABLE_CODECS: ReadonlySet<string> = new Set(['UNCOMPRESSED', ...Object.keys(compressorsOfGroup())]);
