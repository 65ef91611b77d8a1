// A parse thread that discards what a load thread sends, so only the client remains. It reports how many body bytes
// arrived.

import { parentPort, workerData } from 'node:worker_threads';
import { RECORD } from '../src/bench/arena/load-record.ts';
import { RingReader } from '../src/bench/arena/ring.ts';
import { ThreadBoard } from '../src/bench/arena/thread-board.ts';
import type { FromParseWorker, ParseWorkerData } from '../src/bench/parse/parse-message.ts';

const { rings, board: memory, boardThread }: ParseWorkerData = workerData;
const board = new ThreadBoard(memory);
const report = (message: FromParseWorker): void => parentPort?.postMessage(message);
const readers = rings.map(ring => ({ thread: ring.thread, reader: new RingReader(ring.memory) }));
let bodyBytes = 0;

const turn = (): void => {
  board.add(boardThread, 'heartbeat', 1);
  for (const { thread, reader } of readers) {
    for (let count = 1; reader.next(); count += 1) {
      const { type, stampNs } = reader;
      if (type === RECORD.body) bodyBytes += reader.payloadEnd - reader.payloadStart;
      if (count % 64 === 0) reader.release();
      if (type === RECORD.warmedUp) {
        bodyBytes = 0;
        report({ kind: 'warmed-up', thread });
      } else if (type === RECORD.issuingEnded) {
        report({ kind: 'lines', to: 'sampleLines', bytes: new TextEncoder().encode(`${bodyBytes}\n`) });
        report({ kind: 'issuing-ended', thread, atNs: stampNs });
      } else if (type === RECORD.ended) {
        report({ kind: 'ended', thread, atNs: stampNs });
      }
    }
    reader.release();
  }
  setTimeout(turn, 2);
};

parentPort?.ref();
turn();
