// Reads a Parquet file in a separate thread: a damaged file makes the library fill memory or loop for minutes, and a
// thread can be ended. It sends one message at a time and continues on request.

import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { errorCode, errorMessage } from '../../../core/problem.ts';
import { EntryError } from './dataset-entry.ts';
import { type ParquetRow, parquetBatches } from './parquet-batches.ts';

export type ParquetReported =
  /** The reply contains the useful ones. */
  | { readonly kind: 'columns'; readonly names: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly ParquetRow[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'wrong'; readonly line: number; readonly problem: string; readonly advice: string }
  /** The system's error, by its code. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

const port = parentPort;
const { path }: { readonly path: string } = workerData;

const report = (reported: ParquetReported): void => port?.postMessage(reported);

const answer = async <T>(): Promise<T> => {
  if (port === null) throw new Error('this is a thread');
  const [reported]: T[] = await once(port, 'message');
  if (reported === undefined) throw new Error('nothing was said');
  return reported;
};

const columnsOf = (names: readonly string[]): Promise<readonly string[]> => {
  const chosen = answer<readonly string[]>();
  report({ kind: 'columns', names });
  return chosen;
};

try {
  for await (const rows of parquetBatches({ path, columnsOf })) {
    const goOn = answer<'go on'>();
    report({ kind: 'rows', rows });
    await goOn;
  }
  report({ kind: 'end' });
} catch (error) {
  const code = errorCode(error);
  if (error instanceof EntryError)
    report({ kind: 'wrong', line: error.line, problem: error.message, advice: error.advice });
  else if (code !== undefined) report({ kind: 'failed', code, message: errorMessage(error) });
  else throw error;
}
