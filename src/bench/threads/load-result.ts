// The result of a load, from the reports of its threads and the counts on their shared board.

import type { ThreadBoard } from '../arena/thread-board.ts';
import type { LoadResult } from './load-generator.ts';

interface LoadEnding {
  readonly wasStopped: boolean;
  /** Why it is incomplete; empty if it is complete. */
  readonly reasons: readonly string[];
  /** ns since the run's zero. */
  readonly atNs: number;
}

export const loadResult = ({ wasStopped, reasons, atNs }: LoadEnding, board: ThreadBoard): LoadResult => ({
  kind: reasons.length > 0 ? 'incomplete' : wasStopped ? 'stopped' : 'complete',
  reasons,
  atNs,
  droppedEvents: board.total('dropped'),
  arenaFullCount: board.total('arenaFull'),
});
