// The main thread's side of the load: starts load and parse threads, leads them through the phases of a run, passes
// on their reports, and detects when one of them dies or hangs.

import { MessageChannel } from 'node:worker_threads';
import { pause } from '../../clock/clock.ts';
import { monotonicNs } from '../../clock/system-clock.ts';
import { maximumOf } from '../../core/extremes.ts';
import { recordOf } from '../../core/record-of.ts';
import type { OutcomeNews } from '../../core/run/outcome.ts';
import { entryUrl } from '../../process/entry.ts';
import { createRings, type RingMemory } from '../arena/ring.ts';
import { createThreadBoardMemory, ThreadBoard, type ThreadBoardMemory } from '../arena/thread-board.ts';
import {
  type FromLoadWorker,
  type LoadPlan,
  type LoadWorkerData,
  type OpenedConnections,
  requestHeads,
  sumOpened,
  type ToLoadWorker,
  unopened,
} from '../load/load-plan.ts';
import {
  type FromParseWorker,
  type ParseWorkerData,
  parseFacts,
  type ToParseWorker,
} from '../parse/parse-message.ts';
import type {
  LoadCounts,
  LoadGenerator,
  LoadGeneratorOptions,
  LoadResult,
  LoadSink,
} from './load-generator.ts';
import { RequestFeeder } from './request-feeder.ts';
import { startThread, type WatchedThread } from './watched-thread.ts';

/**
 * Nothing is started before `open`.
 * @throws HeaderError when a header cannot be sent.
 */
export const createLoadGenerator = (
  plan: LoadPlan,
  sink: LoadSink,
  options: LoadGeneratorOptions,
): LoadGenerator => {
  // Validated here: in a load thread it would only appear as the loss of the thread.
  requestHeads(plan);
  return new ThreadedLoadGenerator(plan, sink, options);
};

/** Of a load thread and the parse thread that reads it. */
interface SharedRing {
  readonly thread: number;
  readonly memory: RingMemory;
  /** Direct: a turn waits for earlier answers, and the main thread should not be in that path. */
  readonly channel: MessageChannel;
}

class ThreadedLoadGenerator implements LoadGenerator {
  readonly #plan: LoadPlan;
  readonly #sink: LoadSink;
  readonly #options: LoadGeneratorOptions;
  readonly #boardMemory: ThreadBoardMemory;
  readonly #board: ThreadBoard;
  readonly #shared: Pick<LoadWorkerData, 'board' | 'runZeroNs'>;
  readonly #feeder: RequestFeeder;
  readonly #load: WatchedThread<ToLoadWorker, FromLoadWorker>[] = [];
  readonly #parse: WatchedThread<ToParseWorker, FromParseWorker>[] = [];
  readonly #opened: ThreadTally<OpenedConnections, OpenedConnections>;
  readonly #warm: ThreadTally<true, true>;
  readonly #issuingEndedNs: ThreadTally<number, number>;
  readonly #endedNs: ThreadTally<number, number>;
  readonly #ending = Promise.withResolvers<LoadResult>();
  readonly ended: Promise<LoadResult> = this.#ending.promise;
  readonly #reasons: string[] = [];
  #hasSucceeded = false;
  #isFailing = false;
  #state: 'new' | 'open' | 'started' | 'stopped' | 'over' = 'new';
  readonly #over = new AbortController();
  #overdue: Promise<void> | undefined;

  constructor(plan: LoadPlan, sink: LoadSink, options: LoadGeneratorOptions) {
    this.#plan = plan;
    this.#sink = sink;
    this.#options = options;
    const { load, parse } = plan.threads;
    this.#boardMemory = createThreadBoardMemory(load + parse + 1, plan.share.index);
    this.#shared = { board: this.#boardMemory, runZeroNs: options.runZeroNs };
    const lost = (reason: string): void => this.#fail(reason);
    this.#feeder = new RequestFeeder(plan, { clock: options.clock, board: this.#boardMemory, lost });
    this.#board = new ThreadBoard(this.#boardMemory);
    this.#opened = new ThreadTally(load, sumOpened);
    this.#warm = new ThreadTally(load, () => true);
    this.#issuingEndedNs = new ThreadTally(load, times => maximumOf(times));
    this.#endedNs = new ThreadTally(load, times => maximumOf(times));
  }

  get issuingEnded(): Promise<number> {
    return this.#issuingEndedNs.done;
  }

  get counts(): LoadCounts {
    return recordOf(['issued', 'warmup', 'ended'], cell => this.#board.total(cell));
  }

  open(): Promise<OpenedConnections> {
    if (this.#state !== 'new') return this.#opened.done;
    this.#state = 'open';
    const { load, parse } = this.#plan.threads;
    const rings = createRings(load, this.#options.ringBytes ?? RING_BYTES).map(ring => ({
      ...ring,
      channel: new MessageChannel(),
    }));
    const ringsOf = (parser: number) => rings.filter(({ thread }) => thread % parse === parser);
    for (let parser = 0; parser < parse; parser += 1) this.#startParse(parser, ringsOf(parser));
    for (const ring of rings) this.#startLoad(ring);
    this.#feeder.start();
    for (const thread of this.#load) thread.post({ kind: 'open' });
    return this.#opened.done;
  }

  async warmUp(): Promise<void> {
    if (this.#plan.warmupRequests === 0) return;
    for (const thread of this.#load) thread.post({ kind: 'warm-up' });
    await this.#warm.done;
  }

  start(zeroNs?: number): number {
    // Later than a message takes to reach a thread, so that all of them start together.
    const atNs = zeroNs ?? this.#nowNs() + START_LEAD_NS;
    if (this.#state !== 'open') return atNs;
    this.#state = 'started';
    this.#board.setNextSampleId(this.#plan.warmupRequests + this.#plan.share.index);
    for (const thread of this.#load) thread.post({ kind: 'start', atNs });
    return atNs;
  }

  endIssuing(): void {
    if (this.#state === 'started') for (const thread of this.#load) thread.post({ kind: 'end-issuing' });
  }

  cutOff(): void {
    if (this.#state === 'started') for (const thread of this.#load) thread.post({ kind: 'cut-off' });
  }

  reportEvery(ms: number): void {
    for (const thread of this.#parse) thread.post({ kind: 'report-every', ms });
  }

  stop(): void {
    if (this.#state === 'new') {
      this.#state = 'stopped';
      this.#finish();
    }
    if (this.#state !== 'open' && this.#state !== 'started') return;
    this.#state = 'stopped';
    for (const thread of this.#load) thread.post({ kind: 'stop' });
    this.#warm.resolveWith(true);
    this.#overdue = this.#giveUpLate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.ended;
    await this.#overdue;
    const threads = [...this.#load, ...this.#parse];
    await Promise.all([...threads.map(thread => thread.terminate()), this.#feeder.terminate()]);
  }

  #startLoad({ thread, memory: ring, channel: { port1: parser } }: SharedRing): void {
    const feed = this.#feeder.ofLoad(thread);
    const own = { thread, ring, parser, feed: feed[0] };
    const data: LoadWorkerData = { ...this.#shared, ...own, plan: this.#plan };
    this.#load.push(
      startThread<ToLoadWorker, FromLoadWorker>({
        clock: this.#options.clock,
        entry: this.#options.entries?.loadWorker ?? entryUrl(import.meta.url, '../load/load-worker.ts'),
        name: `plimsoll load ${thread}`,
        ...{ data, standIn: this.#options.standIns?.load(data) },
        ports: [parser, ...feed],
        ...{ board: this.#board, boardThread: thread },
        heartbeatMsMax: this.#plan.heartbeatMsMax,
        received: message => this.#loadReported(thread, message),
        lost: reason => this.#loadLost(thread, `load thread ${thread} ${reason}`),
      }),
    );
  }

  #startParse(parser: number, shared: readonly SharedRing[]): void {
    const rings = shared.map(({ thread, memory, channel }) => ({ thread, memory, port: channel.port2 }));
    const boardThread = this.#plan.threads.load + parser;
    const data: ParseWorkerData = {
      ...this.#shared,
      ...parseFacts(this.#plan),
      ...{ parser, boardThread, rings },
      reportMs: this.#options.reportMs ?? REPORT_MS,
    };
    this.#parse.push(
      startThread<ToParseWorker, FromParseWorker>({
        clock: this.#options.clock,
        entry: this.#options.entries?.parseWorker ?? entryUrl(import.meta.url, '../parse/parse-worker.ts'),
        name: `plimsoll parse ${parser}`,
        ...{ data, standIn: this.#options.standIns?.parse(data) },
        ports: rings.map(({ port }) => port),
        ...{ board: this.#board, boardThread },
        heartbeatMsMax: this.#plan.heartbeatMsMax,
        received: message => this.#parseReported(rings, message),
        lost: reason => this.#parseLost(rings, `parse thread ${parser} ${reason}`),
      }),
    );
  }

  #loadReported(thread: number, message: FromLoadWorker): void {
    switch (message.kind) {
      case 'opened':
        this.#opened.report(thread, message.connections);
        return;
      case 'ended':
        this.#load[thread]?.unwatch();
        this.#parse[thread % this.#plan.threads.parse]?.post({ kind: 'thread-ended' });
        return;
      default:
        message satisfies never;
    }
  }

  #parseReported(rings: ParseWorkerData['rings'], message: FromParseWorker): void {
    switch (message.kind) {
      case 'marks':
        for (const { thread } of rings) this.#load[thread]?.post(message);
        return;
      case 'batch':
        // Later beats of a parse thread belong to no run and would count as lost: publishers are closed.
        if (this.#state !== 'over') this.#sink.batch(message.bytes);
        return;
      case 'lines':
        this.#sink[message.to]?.(message.bytes);
        return;
      case 'outcomes':
        this.#sink.outcomes?.(message.news);
        this.#reportFailing(message.news);
        return;
      case 'warmed-up':
        this.#warm.report(message.thread, true);
        return;
      case 'issuing-ended':
        this.#issuingEndedNs.report(message.thread, message.atNs);
        return;
      case 'ended':
        this.#threadEnded(message.thread, message.atNs);
        return;
      default:
        message satisfies never;
    }
  }

  /** Load threads see statuses only: an error in a 200 reply is found where replies are parsed. */
  #reportFailing({ spans }: OutcomeNews): void {
    if (this.#hasSucceeded) return;
    this.#hasSucceeded = spans.some(([, completed]) => completed > 0);
    const isFailing = !this.#hasSucceeded && spans.some(([, , failed]) => failed > 0);
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    for (const thread of this.#load) thread.post({ kind: 'failing', isFailing });
  }

  /** The rest of the load would not match the request: the run ends. */
  #loadLost(thread: number, reason: string): void {
    if (this.#endedNs.has(thread)) return;
    const parser = this.#parse[thread % this.#plan.threads.parse];
    parser?.post({ kind: 'thread-lost', thread, reason, atNs: this.#nowNs() });
    this.#opened.report(thread, unopened(reason));
    this.#fail(reason);
  }

  /** The measurements of its load threads can no longer be reported. */
  #parseLost(rings: ParseWorkerData['rings'], reason: string): void {
    if (rings.every(({ thread }) => this.#endedNs.has(thread))) return;
    this.#fail(reason);
    for (const { thread } of rings) this.#threadEnded(thread, this.#nowNs());
  }

  #threadEnded(thread: number, atNs: number): void {
    if (this.#endedNs.has(thread)) return;
    this.#endedNs.report(thread, atNs);
    if (!this.#issuingEndedNs.has(thread)) this.#issuingEndedNs.report(thread, atNs);
    if (this.#endedNs.isDone) this.#finish();
  }

  #fail(reason: string): void {
    this.#reasons.push(reason);
    this.stop();
  }

  async #giveUpLate(): Promise<void> {
    await pause(this.#options.clock, STOP_MS_MAX, this.#over.signal);
    if (this.#over.signal.aborted) return;
    this.#reasons.push(`threads did not stop within ${STOP_MS_MAX / 1e3} s`);
    this.#finish();
  }

  #finish(): void {
    if (this.#state === 'over') return;
    const wasStopped = this.#state === 'stopped';
    this.#state = 'over';
    this.#over.abort();
    const atNs = maximumOf([0, ...this.#endedNs.values]);
    for (const thread of [...this.#load, ...this.#parse, this.#feeder]) void thread.terminate();
    this.#opened.resolveWith(unopened(this.#reasons[0] ?? 'the load was stopped'));
    this.#warm.resolveWith(true);
    this.#issuingEndedNs.resolveWith(atNs);
    const ending = { wasStopped, reasons: this.#reasons, atNs: atNs === 0 ? this.#nowNs() : atNs };
    this.#ending.resolve(loadResult(ending, this.#board));
  }

  #nowNs(): number {
    return Number((this.#options.standIns?.monotonicNs ?? monotonicNs)() - this.#options.runZeroNs);
  }
}

/** A second of what one thread can receive at most from paced streams. Limit in docs/limits.md. */
const RING_BYTES = 33_554_432;
const REPORT_MS = 20;
const START_LEAD_NS = 10e6;
/** Cancelling takes one turn of each loop and the parsing of the rings. */
const STOP_MS_MAX = 10_000;

// The result of a load, from the reports of its threads and the counts on their shared board.
interface LoadEnding {
  readonly wasStopped: boolean;
  /** Why it is incomplete; empty if it is complete. */
  readonly reasons: readonly string[];
  /** ns since the run's zero. */
  readonly atNs: number;
}

const loadResult = ({ wasStopped, reasons, atNs }: LoadEnding, board: ThreadBoard): LoadResult => ({
  kind: reasons.length > 0 ? 'incomplete' : wasStopped ? 'stopped' : 'complete',
  reasons,
  atNs,
  droppedEvents: board.total('dropped'),
  arenaFullCount: board.total('arenaFull'),
});

// One value of each load thread, and a promise of their sum. A lost thread must not block it forever: its watcher
// supplies a value instead, or ends the wait.
class ThreadTally<Value, Sum> {
  readonly #threads: number;
  readonly #sumOf: (values: readonly Value[]) => Sum;
  readonly #reported: Map<number, Value> = new Map();
  readonly #sum = Promise.withResolvers<Sum>();
  readonly done: Promise<Sum> = this.#sum.promise;

  constructor(threads: number, sumOf: (values: readonly Value[]) => Sum) {
    this.#threads = threads;
    this.#sumOf = sumOf;
  }

  get isDone(): boolean {
    return this.#reported.size >= this.#threads;
  }

  get values(): readonly Value[] {
    return [...this.#reported.values()];
  }

  has(thread: number): boolean {
    return this.#reported.has(thread);
  }

  report(thread: number, value: Value): void {
    this.#reported.set(thread, value);
    if (this.isDone) this.#sum.resolve(this.#sumOf(this.values));
  }

  /** Does nothing if it is complete already. */
  resolveWith(sum: Sum): void {
    this.#sum.resolve(sum);
  }
}
