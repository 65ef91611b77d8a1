// What a backup of a disk in memory holds: a journal on it has nothing that the first one writes later.

import { createMemoryDisk, type MemoryDisk } from '../../src/journal/memory-journal.ts';

export const copyOfDisk = ({ database }: MemoryDisk): MemoryDisk => {
  const copy = createMemoryDisk();
  copy.database.deserialize(database.serialize());
  return copy;
};
