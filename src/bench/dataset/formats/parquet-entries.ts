// The rows of a Parquet file, read by a thread of its own with a deadline and a bound on its memory.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { errorCode, shortReason } from '../../../core/problem.ts';
import { entryUrl } from '../../../process/entry.ts';
import type { DatasetEntry } from './dataset-entry.ts';
import { EntryError } from './dataset-entry.ts';
import { damaged } from './parquet-batches.ts';
import type { ParquetTold } from './parquet-worker.ts';

export interface ParquetFile {
  /** Absolute. */
  readonly path: string;
  /** Which of its columns are of use; none where the file has nothing to ask. */
  readonly columnsOf: (names: readonly string[]) => readonly string[];
  readonly signal: AbortSignal;
}

/** @throws EntryError with the row at which reading ended; the system's error where the file cannot be read. */
export async function* parquetEntries({
  path,
  columnsOf,
  signal,
}: ParquetFile): AsyncGenerator<DatasetEntry, void, void> {
  const worker = new Worker(entryUrl(import.meta.url, './parquet-worker.ts'), {
    workerData: { path },
    resourceLimits: { maxOldGenerationSizeMb: READER_MIB_MAX },
  });
  let line = 1;
  try {
    for (;;) {
      const told = await next(worker, line, signal);
      switch (told.kind) {
        case 'columns':
          worker.postMessage(columnsOf(told.names));
          break;
        case 'rows':
          yield* told.rows;
          line += told.rows.length;
          worker.postMessage('go on');
          break;
        case 'end':
          return;
        case 'wrong':
          throw new EntryError(told.line, told.problem, told.advice, 'row');
        case 'failed':
          throw Object.assign(new Error(told.message), { code: told.code });
        default:
          told satisfies never;
      }
    }
  } finally {
    await worker.terminate();
  }
}

const next = async (worker: Worker, line: number, signal: AbortSignal): Promise<ParquetTold> => {
  const deadline = AbortSignal.timeout(GROUP_MS_MAX);
  try {
    const [told]: ParquetTold[] = await once(worker, 'message', {
      signal: AbortSignal.any([signal, deadline]),
    });
    if (told !== undefined) return told;
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw damaged(line, `what follows was not read within ${GROUP_MS_MAX / 1_000} s`);
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY')
      throw damaged(line, `what follows asks for more than ${READER_MIB_MAX} MiB of memory`);
    // The library drops some of its own failures, and one that nobody hears ends the thread.
    throw damaged(line, `what follows cannot be read: ${shortReason(error)}`);
  }
  throw damaged(line, 'reading ended without a word');
};

/** Four times what a row group may have, as objects. */
const READER_MIB_MAX = 1_024;
/** A row group of 256 MiB takes a few seconds. */
const GROUP_MS_MAX = 60_000;
