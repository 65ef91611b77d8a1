// Entry of a parse thread: turns what load threads copied into outcomes, event batches and sample lines. Timestamps are
// taken before, so nothing here is urgent: it looks at the rings 20 times a second, and at once where a load thread asks
// for it.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { monotonicNs, systemClock } from '../../clock/system-clock.ts';
import { Heartbeat, ThreadBoard } from '../arena/thread-board.ts';
import { serverApi } from '../target/api/server-apis.ts';
import { MarkSender } from './mark-sender.ts';
import type { FromParseWorker, ParseWorkerData, ToParseWorker } from './parse-message.ts';
import { RecordOutput } from './record-output.ts';
import { RingParser } from './ring-parser.ts';
import { TurnNotifier } from './turn-notifier.ts';

const data: ParseWorkerData = workerData;
const board = new ThreadBoard(data.board);

const report = (message: FromParseWorker, transfer: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, transfer);

const output = new RecordOutput({
  sourceId: data.parser + 1, // 0 is the main thread: it writes the session records
  runZeroNs: Number(data.runZeroNs),
  secrets: data.secrets,
  batch: bytes => report({ kind: 'batch', bytes }, [bytes.buffer]),
  lines: bytes => report({ kind: 'lines', to: 'sampleLines', bytes }, [bytes.buffer]),
  outcomes: news => report({ kind: 'outcomes', news }),
  answers: bytes => report({ kind: 'lines', to: 'answerLines', bytes }, [bytes.buffer]),
});

const turnNotifier = (port: MessagePort): TurnNotifier | undefined =>
  data.requested.turns === undefined
    ? undefined
    : new TurnNotifier(data.requested.turns, data.requested.measuredFrom, (result, transfer) =>
        port.postMessage(result, transfer),
      );

const parsers = data.rings.map(
  ({ thread, memory, port }) =>
    new RingParser({
      thread,
      memory,
      output,
      api: serverApi(data.api),
      isStreaming: data.isStreaming,
      requested: data.requested,
      turns: turnNotifier(port),
      warmedUp: index => {
        output.flush();
        report({ kind: 'warmed-up', thread: index });
      },
      issuingEnded: (index, atNs) => {
        output.flush();
        report({ kind: 'issuing-ended', thread: index, atNs });
      },
      ended: (index, atNs) => {
        output.flush();
        report({ kind: 'ended', thread: index, atNs });
      },
    }),
);

const sinceZeroNs = (): number => Number(monotonicNs() - data.runZeroNs);
const heartbeat = new Heartbeat(sinceZeroNs());
let reportMs = data.reportMs;
let reportedAtMs = systemClock.nowMs();
let isLooking = false;

const look = (): void => {
  board.add(data.boardThread, 'heartbeat', 1);
  isLooking = false;
  for (const parser of parsers) isLooking = parser.parse(RECORDS_PER_TURN) || isLooking;
  const nowMs = systemClock.nowMs();
  if (nowMs - reportedAtMs >= reportMs) {
    reportedAtMs = nowMs;
    output.flush();
  }
  // Messages are received in between.
  if (isLooking) setImmediate(look);
};

const marks = new MarkSender(sinceZeroNs);
if (parsers.length > 0) marks.start(source => report({ kind: 'marks', source }));

let turn = 0;

/** All periodic work is done in one turn: waking a thread costs more than the work. */
const turnIn = (waitMs: number): void => {
  setTimeout(() => {
    beat(waitMs);
    lookNow();
    // Last, so that this thread sleeps again when a load thread wakes.
    marks.send();
    turnIn(marks.readerCount === 0 ? LOOK_MS : markedWaitMs());
  }, waitMs);
};

/** Irregular, so that no rhythm of the load is hidden from the marks. */
const markedWaitMs = (): number => {
  turn += 1;
  return (WAIT_MS_MIN + ((turn * GOLDEN) % 1) * WAIT_MS_SPAN) / marks.readerCount;
};

const beat = (waitMs: number): void => {
  const atNs = sinceZeroNs();
  heartbeat.beat(atNs, waitMs * 1e6);
  if (heartbeat.count >= BEATS_REPORTED) {
    const latenessNs = [...heartbeat.latenessNs.subarray(0, heartbeat.count)];
    output.observed({ kind: 'client.beats', atNs, thread: data.parser, isLoad: false, latenessNs });
    heartbeat.clear();
  }
};

turnIn(0);

const lookNow = (): void => {
  if (!isLooking) look();
};

const lost = ({ thread, reason, atNs }: Extract<ToParseWorker, { kind: 'thread-lost' }>): void => {
  const parser = parsers.find(candidate => candidate.thread === thread);
  while (parser?.parse(RECORDS_PER_TURN)) board.add(data.boardThread, 'heartbeat', 1);
  parser?.lost(reason, atNs);
};

parentPort?.on('message', (message: ToParseWorker) => {
  switch (message.kind) {
    case 'thread-lost':
      lost(message);
      return;
    case 'thread-ended':
      lookNow();
      return;
    case 'report-every':
      reportMs = message.ms;
      return;
    default:
      message satisfies never;
  }
});

for (const { port } of data.rings) port.on('message', lookNow);

/** Few enough to receive messages in between, many enough to be worth a turn. */
const RECORDS_PER_TURN = 2_048;
const BEATS_REPORTED = 16;
const LOOK_MS = 50;
/** About seventy marks a second: the tail of a run of ten seconds is known to 1 in 100. */
const WAIT_MS_MIN = 2;
const WAIT_MS_SPAN = 22;
/** Fractions of its multiples are evenly distributed, without a rhythm. */
const GOLDEN = 0.618_033_988_75;
