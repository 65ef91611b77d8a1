// Parquet files, read as the thread that reads them does, but here: each is read or refused with its row. That thread ends with a
// rejection for which nobody waits, which refuses the file too.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { EntryError } from '../../../src/bench/dataset/formats/dataset-entry.ts';
import { parquetBatches } from '../../../src/bench/dataset/formats/parquet-batches.ts';
import { readRow } from '../../../src/bench/dataset/read-row.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

let folder: TemporaryDirectory | undefined;
const FIXTURES = new URL('../../fixtures/parquet/', import.meta.url);

const readRows = async (path: string): Promise<number> => {
  let rows = 0;
  for await (const batch of parquetBatches({ path, columnsOf: async names => names }))
    for (const row of batch) {
      rows += 1;
      if (row.line !== rows) throw new Error(`row ${rows} is reported as row ${row.line}`);
      readRow(row, undefined);
    }
  return rows;
};

/** The library reads columns at once and waits for one after the other: of two that are damaged, one is rejected for nobody. */
const asInItsThread = async <T>(read: () => Promise<T>): Promise<T> => {
  const others = process.listeners('unhandledRejection');
  const ignored = (): undefined => undefined;
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', ignored);
  try {
    return await read();
  } finally {
    await turnOfLoop();
    process.off('unhandledRejection', ignored);
    for (const other of others) process.on('unhandledRejection', other);
  }
};

export const target: FuzzTarget = {
  name: 'parquet',
  covers: ['src/bench/dataset/formats/parquet-batches.ts'],
  seeds: () => readdirSync(FIXTURES).map(name => readFileSync(new URL(name, FIXTURES))),
  isRefusal: error => error instanceof EntryError && error.line >= 1 && error.advice !== '',
  run: async input => {
    folder ??= temporaryDirectory();
    const path = join(folder.path, 'fuzzed.parquet');
    writeFileSync(path, input);
    await asInItsThread(() => readRows(path));
  },
  close: async () => {
    folder?.[Symbol.dispose]();
    folder = undefined;
  },
};
