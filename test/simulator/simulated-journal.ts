// The journal of a simulated node: the real one in memory, on a disk that may be full, and that writes down what it has
// acknowledged.

import type { NodeId } from '../../src/core/ids.ts';
import { type Journal, JournalError } from '../../src/journal/journal.ts';
import type { Acknowledged } from './acknowledged.ts';

export interface SimulatedDiskState {
  isFull: boolean;
  readonly acknowledged: Acknowledged;
}

export const simulatedJournal = (journal: Journal, own: NodeId, disk: SimulatedDiskState): Journal => {
  const append = journal.append.bind(journal);
  const appendCatchUp = journal.appendCatchUp.bind(journal);
  const startNewEpoch = journal.startNewEpoch.bind(journal);
  const unlessFull = (): void => {
    if (disk.isFull) throw new JournalError({ code: 'full', problem: 'The disk is full.', advice: '' });
  };
  journal.append = records => {
    unlessFull();
    append(records);
    disk.acknowledged.took(records.filter(({ origin }) => origin === own));
  };
  journal.appendCatchUp = (position, records) => {
    unlessFull();
    appendCatchUp(position, records);
  };
  journal.startNewEpoch = floor => {
    disk.acknowledged.epochStarted();
    return startNewEpoch(floor);
  };
  return journal;
};
