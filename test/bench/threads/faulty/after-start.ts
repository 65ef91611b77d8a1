// Runs a fault in a thread when its first samples are in flight: a load thread receives the start of the load, a
// parse thread sees it in the heartbeats of the run.

import { parentPort, workerData } from 'node:worker_threads';
import { ThreadBoard } from '../../../../src/bench/arena/thread-board.ts';

export const afterStart = (misbehave: () => void): void => {
  const board = new ThreadBoard(workerData.board);
  parentPort?.ref();
  const look = setInterval(() => {
    // Of four users: all have sent, and their records are on their way.
    if (board.total('issued') < 4) return;
    clearInterval(look);
    setTimeout(misbehave, 100);
  }, 5);
};
