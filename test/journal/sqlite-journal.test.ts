// The SQLite journal, by the contract; what only a file can do is in the other test files of this folder.

import { join } from 'node:path';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { describeCompaction } from '../contract/journal-compaction-contract.ts';
import { describeJournal } from '../contract/journal-contract.ts';
import { OWN } from '../support/journal-records.ts';
import type { JournalStorage } from '../support/journal-storage.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const createStore = (): JournalStorage => {
  const directory = temporaryDirectory();
  const path = join(directory.path, 'journal.db');
  return {
    open: settings => openSqliteJournal({ path, ownNode: OWN, ...settings }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
};

describeJournal('the SQLite journal', createStore);
describeCompaction('the SQLite journal', createStore);
