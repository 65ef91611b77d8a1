// The memory journal, by the contract alone: it has nothing of its own.

import { createMemoryDisk, createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { describeCompaction } from '../contract/journal-compaction-contract.ts';
import { describeJournal } from '../contract/journal-contract.ts';
import { OWN } from '../support/journal-records.ts';
import type { JournalStorage } from '../support/journal-storage.ts';

const createStore = (): JournalStorage => {
  const disk = createMemoryDisk();
  return {
    open: settings => createMemoryJournal({ ownNode: OWN, ...settings, disk }),
    [Symbol.dispose]: () => {},
  };
};

describeJournal('the memory journal', createStore);
describeCompaction('the memory journal', createStore);
