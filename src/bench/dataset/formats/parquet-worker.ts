// Reads a Parquet file beside the one who asks: a damaged file makes the library fill memory or count for minutes, and a thread can
// be ended. It tells one thing after the other, each when it is asked to go on.

import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { errorCode, errorMessage } from '../../../core/problem.ts';
import { EntryError } from './dataset-entry.ts';
import { type ParquetRow, parquetBatches } from './parquet-batches.ts';

export type ParquetTold =
  /** Answered with those that are of use. */
  | { readonly kind: 'columns'; readonly names: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly ParquetRow[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'wrong'; readonly line: number; readonly problem: string; readonly advice: string }
  /** The system's, by its code. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

const port = parentPort;
const { path }: { readonly path: string } = workerData;

const tell = (told: ParquetTold): void => port?.postMessage(told);

const answer = async <T>(): Promise<T> => {
  if (port === null) throw new Error('this is a thread');
  const [said]: T[] = await once(port, 'message');
  if (said === undefined) throw new Error('nothing was said');
  return said;
};

const columnsOf = (names: readonly string[]): Promise<readonly string[]> => {
  const chosen = answer<readonly string[]>();
  tell({ kind: 'columns', names });
  return chosen;
};

try {
  for await (const rows of parquetBatches({ path, columnsOf })) {
    const goOn = answer<'go on'>();
    tell({ kind: 'rows', rows });
    await goOn;
  }
  tell({ kind: 'end' });
} catch (error) {
  const code = errorCode(error);
  if (error instanceof EntryError)
    tell({ kind: 'wrong', line: error.line, problem: error.message, advice: error.advice });
  else if (code !== undefined) tell({ kind: 'failed', code, message: errorMessage(error) });
  else throw error;
}
