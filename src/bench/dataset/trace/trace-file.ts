// A trace's file, recognized by its beginning, and its entries one by one: a file of any size is never whole in
// memory. The error for the first invalid entry contains its position.

import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Parsed, parsed } from '../../../core/figure/parse-figure.ts';
import { ExpansionBudget } from '../../../core/input/expansion-budget.ts';
import type { Sentences } from '../../../core/problem.ts';
import { openInputFile } from '../../../process/input-file.ts';
import {
  type DatasetDigest,
  type DatasetLocation,
  datasetChunks,
  unreadableDataset,
  wrongFile,
} from '../dataset-chunks.ts';
import { csvEntries } from '../formats/csv-entries.ts';
import { type DatasetEntry, EntryError } from '../formats/dataset-entry.ts';
import { jsonObjectEntries } from '../formats/json-object-entries.ts';
import { jsonlEntries } from '../formats/jsonl-entries.ts';
import { agenticEntry } from './agentic-trace.ts';
import { capturedEntry } from './captured-trace.ts';
import { azureEntry, burstGptEntry } from './csv-traces.ts';
import { mooncakeEntry } from './mooncake-trace.ts';
import { TRACE_ENTRY_BYTES_MAX, type TraceEntry, type TraceFormat } from './trace.ts';

/** undefined: it is a data set of prompts. @throws BenchError `input` when it cannot be read. */
export const traceFormat = async ({ path, shownPath }: DatasetLocation): Promise<TraceFormat | undefined> => {
  try {
    const file = (await stat(path)).isDirectory() ? await firstJson(path) : path;
    if (file === undefined) return undefined;
    await using handle = await openInputFile(file, 'trace');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return formatOfStart(buffer.toString('utf8', 0, bytesRead));
  } catch (error) {
    throw unreadableDataset(shownPath, error);
  }
};

const formatOfStart = (start: string): TraceFormat | undefined => {
  const text = start.replace(/^\ufeff/, '').trimStart();
  const [firstLine = ''] = text.split('\n', 1);
  if (/^[[{]/.test(text)) {
    if (/^\{"capture":\d/.test(firstLine)) return 'capture';
    if (/"input_length"/.test(firstLine) && /"output_length"/.test(firstLine)) return 'mooncake';
    return /"(block_size|tool_tokens|system_tokens)"/.test(text) && /"requests"\s*:\s*\[/.test(text)
      ? 'agentic'
      : undefined;
  }
  const names = firstLine.split(',').map(name => name.trim().replaceAll('"', ''));
  const has = (...wanted: readonly string[]): boolean => wanted.every(name => names.includes(name));
  if (has('TIMESTAMP', 'ContextTokens', 'GeneratedTokens')) return 'azure';
  return has('Timestamp', 'Request tokens', 'Response tokens') ? 'burstgpt' : undefined;
};

export interface TraceCounts {
  /** Requests without a recorded answer. */
  leftOut: number;
  /** Last lines of a capture that were not finished. */
  cutLines?: number;
  /** Requests that a capture could not record. */
  lost?: number;
  /** Names of fields that a replay by times does not use. */
  readonly unused?: Set<string>;
}

/** What of the file is not in its requests, for the end of a sentence; '' if nothing is. */
export const missingText = ({ leftOut, cutLines = 0, lost = 0 }: TraceCounts): string =>
  [
    ...(leftOut === 0 ? [] : [`${leftOut} left out that had no answer`]),
    ...(lost === 0 ? [] : [`${lost} that could not be recorded`]),
    ...(cutLines === 0 ? [] : ['its last line is cut off']),
  ]
    .map(text => `, ${text}`)
    .join('');

/** @throws BenchError `input` */
export async function* traceEntries(
  location: DatasetLocation,
  format: TraceFormat,
  { digest, counts }: { readonly digest: DatasetDigest; readonly counts: TraceCounts },
): AsyncGenerator<TraceEntry, void, void> {
  for await (const file of filesOf(location)) {
    try {
      for await (const entry of rawEntries(datasetChunks(file, digest), format, counts)) {
        location.signal.throwIfAborted();
        if (entry.kind === 'json') checkEntry(entry.text, entry.line);
        const read = readEntry(entry, format, counts);
        if (read.kind === 'wrong')
          throw wrongFile(`${file.shownPath}:${entry.line}: ${read.problem}`, read.advice);
        if (read.value === undefined) counts.leftOut += 1;
        else {
          for (const name of read.value.unused ?? []) counts.unused?.add(name);
          yield read.value;
        }
      }
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      throw wrongFile(`${file.shownPath}:${error.line}: ${error.message}`, error.advice);
    }
  }
}

/** Checks each entry by itself: its requests and blocks limit what is stored. @throws EntryError */
const checkEntry = (text: string, line: number): void => {
  const refused = ({ problem, advice }: Sentences): EntryError => new EntryError(line, problem, advice);
  new ExpansionBudget('trace', refused).checkedJson(text);
};

async function* filesOf(location: DatasetLocation): AsyncGenerator<DatasetLocation, void, void> {
  const names = await jsonNames(location);
  if (names === undefined) yield location;
  else
    for (const name of names)
      yield { ...location, path: join(location.path, name), shownPath: join(location.shownPath, name) };
}

/** undefined: it is a file. */
const jsonNames = async ({ path, shownPath }: DatasetLocation): Promise<readonly string[] | undefined> => {
  try {
    if (!(await stat(path)).isDirectory()) return undefined;
    return (await readdir(path)).filter(isJsonName).sort();
  } catch (error) {
    throw unreadableDataset(shownPath, error);
  }
};

const firstJson = async (path: string): Promise<string | undefined> => {
  const [name] = (await readdir(path)).filter(isJsonName).sort();
  return name === undefined ? undefined : join(path, name);
};

const isJsonName = (name: string): boolean => ['.json', '.jsonl'].includes(extname(name).toLowerCase());

const rawEntries = (
  chunks: AsyncIterable<Buffer>,
  format: TraceFormat,
  counts: TraceCounts,
): AsyncIterable<DatasetEntry> => {
  switch (format) {
    case 'capture':
      return jsonlEntries(chunks, () => {
        counts.cutLines = (counts.cutLines ?? 0) + 1;
      });
    case 'mooncake':
      return jsonlEntries(chunks);
    case 'agentic':
      return jsonObjectEntries(chunks, { bytesMax: TRACE_ENTRY_BYTES_MAX });
    case 'azure':
    case 'burstgpt':
      return csvEntries(chunks);
    default:
      return format satisfies never;
  }
};

const readEntry = (
  entry: DatasetEntry,
  format: TraceFormat,
  counts: TraceCounts,
): Parsed<TraceEntry | undefined> => {
  switch (entry.kind) {
    case 'json':
      if (format === 'capture') return capturedEntry(entry.text, entry.line, counts);
      return format === 'agentic'
        ? agenticEntry(entry.text, entry.line)
        : mooncakeEntry(entry.text, entry.line);
    case 'record':
      return format === 'azure'
        ? azureEntry(entry.record, entry.line)
        : burstGptEntry(entry.record, entry.line);
    case 'row':
      return parsed(undefined);
    default:
      return entry satisfies never;
  }
};

/** Conversations have their metadata before their first request. */
const START_BYTES = 4_096;
