// Entry of a thread that drives one data connection after another with blocking calls, each on request.

import process from 'node:process';
import { parentPort } from 'node:worker_threads';
import { shortReason } from '../../core/problem.ts';
import { loadSockets } from '../../native/sockets.ts';
import { runBlocking } from './blocking-stream.ts';
import type { StreamEnding } from './stream.ts';
import { StreamBoard } from './stream-board.ts';
import type { FromStreamWorker, ToStreamWorker } from './stream-threads.ts';

const load = await loadSockets(process.platform);
if (load.kind === 'missing') throw new Error(load.reason);
const { sockets } = load;

const report = (message: FromStreamWorker): void => parentPort?.postMessage(message);

const endingOf = ({ descriptor, job, board }: ToStreamWorker): StreamEnding => {
  try {
    const stream = { sockets, descriptor, board: new StreamBoard(board) };
    return { reason: '', roundTripsNs: runBlocking(stream, job) };
  } catch (error) {
    return { reason: shortReason(error), roundTripsNs: [] };
  }
};

parentPort?.on('message', (message: ToStreamWorker) => {
  report({ kind: 'ended', ending: endingOf(message) });
});
report({ kind: 'ready' });
