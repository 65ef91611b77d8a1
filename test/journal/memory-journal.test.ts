// The memory journal, by the contract alone: it has nothing of its own.

import { createMemoryDisk, createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { describeCompaction } from '../contract/journal-compaction-contract.ts';
import { describeJournal } from '../contract/journal-contract.ts';
import type { JournalPlace } from '../support/journal-place.ts';
import { OWN } from '../support/journal-records.ts';

const createPlace = (): JournalPlace => {
  const disk = createMemoryDisk();
  return {
    open: settings => createMemoryJournal({ ownNode: OWN, ...settings, disk }),
    [Symbol.dispose]: () => {},
  };
};

describeJournal('the memory journal', createPlace);
describeCompaction('the memory journal', createPlace);
