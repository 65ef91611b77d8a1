// The journal without a disk: for tests, the demo, and a node that cannot write. The same tables in a database that ends with
// the process.

import type { DatabaseSync } from 'node:sqlite';
import { type Journal, JournalError, type JournalOptions } from './journal.ts';
import { databaseSizeBytes, openInMemory } from './sqlite-database.ts';
import { openInTransaction } from './sqlite-file.ts';
import { type JournalStore, SqliteJournal } from './sqlite-journal.ts';

/**
 * The storage of a journal in memory, apart from the journal, so that a test can open it again as after a
 * crash.
 */
export interface MemoryDisk {
  readonly database: DatabaseSync;
  isOpen: boolean;
}

export const createMemoryDisk = (): MemoryDisk => ({ database: openInMemory(), isOpen: false });

/** @throws JournalError `locked` while another journal uses the disk. */
export const createMemoryJournal = ({
  disk = createMemoryDisk(),
  ...options
}: JournalOptions & { readonly disk?: MemoryDisk }): Journal => {
  if (disk.isOpen)
    throw new JournalError({
      code: 'locked',
      problem: 'The memory disk is in use by another journal.',
      advice: 'Resolve that first.',
    });
  const opened = openInTransaction(disk.database, options);
  disk.isOpen = true;
  return new SqliteJournal(opened, options, memoryStore(disk));
};

const memoryStore = (disk: MemoryDisk): JournalStore => ({
  location: 'in memory',
  stored: () => {},
  sizeBytes: () => databaseSizeBytes(disk.database),
  hasLog: () => false,
  close: () => {
    disk.isOpen = false;
  },
});
