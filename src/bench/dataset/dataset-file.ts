// A data set of the user's own: JSONL, a JSON list, CSV, Parquet or a folder of texts, recognized by its content.
// Read into memory, bounded; the error for the first invalid entry contains its position and how it begins.

import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { openInputFile } from '../../process/input-file.ts';
import {
  DatasetDigest,
  type DatasetLocation,
  datasetChunks,
  unreadableDataset,
  wrongFile,
} from './dataset-chunks.ts';
import { csvEntries } from './formats/csv-entries.ts';
import { type DatasetEntry, decodedEntry, EntryError, entryLocation } from './formats/dataset-entry.ts';
import { jsonArrayEntries } from './formats/json-array-entries.ts';
import { jsonlEntries } from './formats/jsonl-entries.ts';
import { type Dataset, type Prompt, userPrompt } from './prompt.ts';
import { ignoredFields, readRow, rowColumns } from './read-row.ts';

interface DatasetFileOptions extends DatasetLocation {
  /** undefined: the names that data sets usually have. */
  readonly column: string | undefined;
  /** Conversations with all their turns. */
  readonly isWhole?: boolean;
}

/** @throws BenchError `input` when the file cannot be read, has a bad entry, no prompt or too much of anything. */
export const readDatasetFile = async (options: DatasetFileOptions): Promise<Dataset> => {
  const format = await formatOf(options);
  if (format === 'folder') return await readFolder(options);
  const digest = new DatasetDigest();
  const { prompts, leftOut, ignored } = await readEntries(entriesOf(format, options, digest), options);
  const rest = leftOut === 0 ? '' : `, ${leftOut} left out that ask nothing`;
  return {
    description: `${nameOf(options.shownPath)}: ${countText(prompts.length)}${rest}${ignoredText(ignored)}`,
    prompts,
    file: digest.result(),
  };
};

type FileFormat = 'jsonl' | 'json-list' | 'csv' | 'parquet';

const entriesOf = (
  format: FileFormat,
  options: DatasetFileOptions,
  digest: DatasetDigest,
): AsyncIterable<DatasetEntry> => {
  const chunks = datasetChunks(options, digest);
  switch (format) {
    case 'jsonl':
      return jsonlEntries(chunks);
    case 'json-list':
      return jsonArrayEntries(chunks);
    case 'csv':
      return csvEntries(chunks);
    case 'parquet':
      return rowsBehindDigest(chunks, options);
    default:
      return format satisfies never;
  }
};

/** A table is read from its end, so the digest needs a pass of its own first. */
async function* rowsBehindDigest(
  chunks: AsyncIterable<Buffer>,
  { path, column, signal }: DatasetFileOptions,
): AsyncGenerator<DatasetEntry, void, void> {
  for await (const _ of chunks) signal.throwIfAborted();
  // Loaded only for such a file.
  const { parquetEntries } = await import('./formats/parquet-entries.ts');
  yield* parquetEntries({ path, signal, columnsOf: names => rowColumns(names, column) });
}

const formatOf = async ({ path, shownPath }: DatasetLocation): Promise<FileFormat | 'folder'> => {
  try {
    if ((await stat(path)).isDirectory()) return 'folder';
    if (extname(path).toLowerCase() === '.csv') return 'csv';
    await using file = await openInputFile(path, 'dataset');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    if (buffer.toString('latin1', 0, PARQUET_MAGIC.length) === PARQUET_MAGIC) return 'parquet';
    return LIST_START.test(buffer.toString('utf8', 0, bytesRead)) ? 'json-list' : 'jsonl';
  } catch (error) {
    throw unreadableDataset(shownPath, error);
  }
};

const readEntries = async (
  entries: AsyncIterable<DatasetEntry>,
  { shownPath, column, signal, isWhole }: DatasetFileOptions,
): Promise<{
  readonly prompts: readonly Prompt[];
  readonly leftOut: number;
  readonly ignored: ReadonlySet<string>;
}> => {
  const prompts: Prompt[] = [];
  const ignored = new Set<string>();
  let leftOut = 0;
  let position: Pick<EntryError, 'line' | 'unit'> = { line: 1, unit: 'line' };
  const budget = new ExpansionBudget(
    'dataset',
    ({ problem, advice }) => new EntryError(position.line, problem, advice, position.unit),
  );
  try {
    for await (const entry of entries) {
      signal.throwIfAborted();
      position = { line: entry.line, unit: entry.kind === 'row' ? 'row' : 'line' };
      if (entry.kind === 'json') budget.checkedJson(entry.text);
      const row = readRow(entry, column, isWhole);
      if (row.kind === 'wrong')
        throw wrongFile(
          `${entryLocation(shownPath, position)}: ${row.problem}. It begins: ${startOf(entry)}`,
          row.advice,
        );
      if (prompts.length === PROMPTS_MAX)
        throw wrongFile(`${shownPath} has more than ${PROMPTS_MAX} prompts`, 'Use a part of it.');
      if (row.value === undefined) leftOut += 1;
      else {
        budget.addValue(row.value);
        prompts.push(row.value);
      }
      if (prompts.length <= ROWS_LOOKED_AT)
        for (const name of ignoredFields(entry, column)) ignored.add(name);
    }
  } catch (error) {
    throw asInput(error, shownPath);
  }
  if (prompts.length > 0) return { prompts, leftOut, ignored };
  throw wrongFile(`${shownPath} has no prompt`, 'Write lines such as {"prompt": "Why is the sky blue?"}.');
};

/** Each text file is a prompt, in the order of their names; subfolders are not read. */
const readFolder = async ({ path, shownPath, signal }: DatasetFileOptions): Promise<Dataset> => {
  const names = await textNames(path, shownPath);
  const prompts: Prompt[] = [];
  const digest = new DatasetDigest();
  for (const name of names) {
    signal.throwIfAborted();
    const location = { path: join(path, name), shownPath: join(shownPath, name), signal };
    digest.add(Buffer.from(`${name}\n`));
    const text = await wholeText(location, digest);
    if (text.trim() !== '') prompts.push(userPrompt(text));
  }
  if (prompts.length > 0)
    return {
      description: `${basename(shownPath)}: ${countText(prompts.length)}`,
      prompts,
      file: digest.result(),
    };
  throw wrongFile(
    `${shownPath} has no text`,
    `Put files there whose names end in ${TEXT_ENDINGS.join(' or ')}.`,
  );
};

const textNames = async (path: string, shownPath: string): Promise<readonly string[]> => {
  try {
    const names = await readdir(path);
    const texts = names.filter(name => TEXT_ENDINGS.includes(extname(name).toLowerCase())).sort();
    if (texts.length <= PROMPTS_MAX) return texts;
  } catch (error) {
    throw unreadableDataset(shownPath, error);
  }
  throw wrongFile(`${shownPath} has more than ${PROMPTS_MAX} texts`, 'Use fewer of them.');
};

const wholeText = async (location: DatasetLocation, digest: DatasetDigest): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const chunk of datasetChunks(location, digest)) parts.push(Buffer.from(chunk));
  try {
    return decodedEntry(Buffer.concat(parts), 1);
  } catch (error) {
    throw asInput(error, location.shownPath);
  }
};

const asInput = (error: unknown, shownPath: string): unknown =>
  error instanceof EntryError
    ? wrongFile(`${entryLocation(shownPath, error)}: ${error.message}`, error.advice)
    : error;

const ignoredText = (names: ReadonlySet<string>): string => {
  if (names.size === 0) return '';
  const shown = [...names].slice(0, IGNORED_SHOWN).map(name => name.slice(0, START_SHOWN));
  const rest = names.size > IGNORED_SHOWN ? ` and ${names.size - IGNORED_SHOWN} more` : '';
  return `, fields not used: ${shown.join(', ')}${rest}`;
};

/** Of a file of a hub all of it: it has the commit. */
const nameOf = (shownPath: string): string => (shownPath.startsWith('hf:') ? shownPath : basename(shownPath));

const countText = (count: number): string => (count === 1 ? '1 prompt' : `${count} prompts`);

const startOf = (entry: DatasetEntry): string => {
  const text = entryText(entry).trim();
  return JSON.stringify(text.length > START_SHOWN ? `${text.slice(0, START_SHOWN)}…` : text);
};

const entryText = (entry: DatasetEntry): string => {
  switch (entry.kind) {
    case 'json':
      return entry.text;
    case 'record':
      return Object.values(entry.record).join(',');
    case 'row':
      return JSON.stringify(entry.row);
    default:
      return entry satisfies never;
  }
};

export const PROMPTS_MAX = 1_000_000;
const TEXT_ENDINGS: readonly string[] = ['.txt', '.md'];
const PARQUET_MAGIC = 'PAR1';
const START_SHOWN = 60;
const START_BYTES = 4_096;
/** Skips a byte order mark, if there is one. */
const LIST_START = /^\ufeff?\s*\[/;
/** For fields that are not used: data sets have the same in every row. */
const ROWS_LOOKED_AT = 1_000;
const IGNORED_SHOWN = 8;
