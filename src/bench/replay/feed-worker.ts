// Entry of the thread that generates the requests of a trace while they are sent: it reads the file a second time, a
// bounded time before they are due, so that neither the trace nor its texts are ever whole in memory.

import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { BEAT_NS } from '../../core/run/event-record.ts';
import { ThreadBoard } from '../arena/thread-board.ts';
import { DatasetDigest } from '../dataset/dataset-chunks.ts';
import { QuestionDigest } from '../dataset/trace/question-digest.ts';
import { ReplayTimes } from '../dataset/trace/replay-times.ts';
import { timedPart } from '../dataset/trace/timed-part.ts';
import type { TraceRequest } from '../dataset/trace/trace.ts';
import { traceEntries } from '../dataset/trace/trace-file.ts';
import { TraceTexts } from '../dataset/trace/trace-text.ts';
import { serverApi } from '../target/api/server-apis.ts';
import { targetIndex } from '../target/load-target.ts';
import { bodyAround } from '../target/text-pieces.ts';
import type { FeedTaken, FeedWorkerData, FromFeed, ReplayPlan } from './feed-message.ts';

// The bytes of each request of a trace: the text of its blocks and its own text, in a body of the server's API, after
// the head of its target.
class ReplayedRequests {
  readonly #plan: ReplayPlan;
  readonly #texts: TraceTexts;

  constructor(plan: ReplayPlan) {
    this.#plan = plan;
    this.#texts = new TraceTexts(plan.costs, plan.seed);
  }

  /** In newly allocated memory, which can be transferred. @param number its index in the replay */
  bytesOf(request: TraceRequest, number: number, head: string): Uint8Array<ArrayBuffer> {
    const { api, model, isStreaming, nonce, lengthFields, added, isOutputInBody } = this.#plan;
    const { before, after } = bodyAround(serverApi(api), isOutputInBody ? undefined : request.outputTokens, {
      model,
      isStreaming,
      nonce,
      fields: { lengthFields, added },
    });
    const body = `${before}${this.#texts.partsOf(request, number).join('')}${after}`;
    const text = `${head}${Buffer.byteLength(body)}\r\n\r\n`;
    const bytes = new Uint8Array(Buffer.byteLength(text, 'latin1') + Buffer.byteLength(body));
    const into = Buffer.from(bytes.buffer);
    into.write(body, into.write(text, 0, 'latin1'), 'utf8');
    return bytes;
  }
}

const { plan, heads, spread, firstSampleId, ports, board: memory, boardThread }: FeedWorkerData = workerData;
const { trace } = plan;
const board = new ThreadBoard(memory);
setInterval(() => board.add(boardThread, 'heartbeat', 1), BEAT_NS / 1e6);

const ahead = ports.map(() => ({ requests: 0, bytes: 0 }));
const credits = new EventTarget();
for (const [thread, port] of ports.entries())
  port.on('message', ({ requests, bytes }: FeedTaken) => {
    const own = ahead[thread];
    if (own === undefined) return;
    own.requests -= requests;
    own.bytes -= bytes;
    credits.dispatchEvent(new Event('taken'));
  });

const report = (thread: number, message: FromFeed, transfer: readonly ArrayBuffer[] = []): void =>
  ports[thread]?.postMessage(message, transfer);

let isPrimed = false;
const prime = (): void => {
  if (isPrimed) return;
  isPrimed = true;
  for (const thread of ports.keys()) report(thread, { kind: 'primed' });
};

const untilRoom = async (thread: number): Promise<void> => {
  const own = ahead[thread];
  while (
    own !== undefined &&
    (own.requests >= AHEAD_REQUESTS_MAX / ports.length || own.bytes >= AHEAD_BYTES_MAX / ports.length)
  ) {
    prime();
    await once(credits, 'taken');
  }
};

const feed = async (): Promise<void> => {
  const requests = new ReplayedRequests(plan);
  const times = new Float64Array(trace.timesNs);
  const replay = new ReplayTimes(trace.pace);
  const location = {
    path: trace.path,
    shownPath: trace.shownPath,
    signal: new AbortController().signal,
    bytesMax: Number.POSITIVE_INFINITY,
  };
  const entries = traceEntries(location, trace.format, {
    digest: new DatasetDigest(),
    counts: { leftOut: 0 },
  });
  const questions = new QuestionDigest();
  let number = 0;
  for await (const { atMs, line, request } of timedPart(entries, trace)) {
    if (number === times.length) break;
    if (replay.next(atMs) !== times[number])
      throw new Error(`${trace.shownPath}:${line}: the file is not what it was when it was read first`);
    questions.add(request);
    const thread = number % ports.length;
    await untilRoom(thread);
    const bytes = requests.bytesOf(request, number, heads[targetIndex(spread, number)] ?? '');
    const own = ahead[thread];
    if (own !== undefined) {
      own.requests += 1;
      own.bytes += bytes.length;
    }
    report(thread, { kind: 'request', sampleId: firstSampleId + number, bytes }, [bytes.buffer]);
    number += 1;
    // Load threads report in a message what they have taken.
    if (number % REQUESTS_PER_TURN === 0) await nextTurn();
  }
  if (number < times.length) throw new Error(`${trace.shownPath} has become shorter since it was read first`);
  if (questions.result() !== trace.sha256)
    throw new Error(
      `${trace.shownPath}: the lengths or blocks are not what they were when it was read first`,
    );
  prime();
};

/** Generated and not sent yet, all load threads together. */
const AHEAD_REQUESTS_MAX = 8_192;
const AHEAD_BYTES_MAX = 67_108_864;
const REQUESTS_PER_TURN = 16;

// An exception ends the thread, which the main thread detects.
void feed();
