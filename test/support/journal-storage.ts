// Storage for journals under test: what a contract suite needs from an adapter.

import type { NodeId } from '../../src/core/ids.ts';
import type { CurrentLimits } from '../../src/journal/current-bound.ts';
import type { Journal, JournalLimits } from '../../src/journal/journal.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface JournalSettings {
  readonly clock: VirtualClock;
  readonly limits?: JournalLimits;
  readonly currentLimits?: CurrentLimits;
  readonly epochFloor?: number;
  readonly ownNode?: NodeId;
}

/** Outlives the journals that are opened on it, one after the other. */
export interface JournalStorage extends Disposable {
  open(settings: JournalSettings): Journal;
}
