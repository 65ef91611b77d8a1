// What a load came to, of what its threads told and of what the board that they share has counted.

import type { ThreadBoard } from '../arena/thread-board.ts';
import type { LoadResult } from './load-generator.ts';

interface LoadEnding {
  readonly wasStopped: boolean;
  /** Why it is not whole; none where it is. */
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
