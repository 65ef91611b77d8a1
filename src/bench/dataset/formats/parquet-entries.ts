// The rows of a Parquet file, read by a separate thread with a deadline and a memory limit.

import { shortReason } from '../../../core/problem.ts';
import { entryUrl } from '../../../process/entry.ts';
import { ReaderThread, ReaderThreadError } from '../../../process/reader-thread.ts';
import { type DatasetEntry, EntryError } from './dataset-entry.ts';
import { damaged } from './parquet-batches.ts';
import type { ParquetReported } from './parquet-worker.ts';

interface ParquetFile {
  /** Absolute. */
  readonly path: string;
  /** Selects the useful columns; none if the file contains no prompts. */
  readonly columnsOf: (names: readonly string[]) => readonly string[];
  readonly signal: AbortSignal;
}

/** @throws EntryError with the row at which reading ended; the system's error where the file cannot be read. */
export async function* parquetEntries({
  path,
  columnsOf,
  signal,
}: ParquetFile): AsyncGenerator<DatasetEntry, void, void> {
  await using thread = new ReaderThread<ParquetReported>(entryUrl(import.meta.url, './parquet-worker.ts'), {
    workerData: { path },
    mebibytesMax: READER_MIB_MAX,
    messageMsMax: GROUP_MS_MAX,
  });
  let line = 1;
  for (;;) {
    const reported = await next(thread, line, signal);
    switch (reported.kind) {
      case 'columns':
        thread.post(columnsOf(reported.names));
        break;
      case 'rows':
        yield* reported.rows;
        line += reported.rows.length;
        thread.post('go on');
        break;
      case 'end':
        return;
      case 'wrong':
        throw new EntryError(reported.line, reported.problem, reported.advice, 'row');
      case 'failed':
        throw Object.assign(new Error(reported.message), { code: reported.code });
      default:
        reported satisfies never;
    }
  }
}

const next = async (
  thread: ReaderThread<ParquetReported>,
  line: number,
  signal: AbortSignal,
): Promise<ParquetReported> => {
  try {
    return await thread.next(signal);
  } catch (error) {
    signal.throwIfAborted();
    throw damaged(line, error instanceof ReaderThreadError ? ENDS[error.end] : whyNot(error));
  }
};

/** The library drops some of its own failures, and an unhandled one ends the thread. */
const whyNot = (error: unknown): string => `what follows cannot be read: ${shortReason(error)}`;

/** Four times what a row group may have, as objects. */
const READER_MIB_MAX = 1_024;
/** A row group of 256 MiB takes a few seconds. */
const GROUP_MS_MAX = 60_000;
const ENDS: Readonly<Record<ReaderThreadError['end'], string>> = {
  time: `what follows was not read within ${GROUP_MS_MAX / 1_000} s`,
  memory: `what follows expands to more than ${READER_MIB_MAX} MiB of memory`,
  exit: 'reading ended without a reply',
};
