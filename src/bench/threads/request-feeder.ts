// The main thread's side of the feed of a trace: a channel to each load thread, and the thread that fills them, which
// is watched like those of the load.

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Clock } from '../../clock/clock.ts';
import { entryUrl } from '../../process/entry.ts';
import { ThreadBoard, type ThreadBoardMemory } from '../arena/thread-board.ts';
import { type LoadPlan, requestHeads } from '../load/load-plan.ts';
import type { FeedWorkerData } from '../replay/feed-message.ts';
import { startThread, type WatchedThread } from './watched-thread.ts';

interface RequestFeederOptions {
  readonly clock: Clock;
  readonly board: ThreadBoardMemory;
  /** The rest of the trace cannot be sent. */
  lost(reason: string): void;
}

export class RequestFeeder {
  readonly #plan: LoadPlan;
  readonly #options: RequestFeederOptions;
  readonly #channels: readonly MessageChannel[];
  #thread: WatchedThread<never, never> | undefined;

  /** Does nothing without a trace. */
  constructor(plan: LoadPlan, options: RequestFeederOptions) {
    this.#plan = plan;
    this.#options = options;
    const threads = plan.replay === undefined ? 0 : plan.threads.load;
    this.#channels = Array.from({ length: threads }, () => new MessageChannel());
  }

  ofLoad(thread: number): MessagePort[] {
    const channel = this.#channels[thread];
    return channel === undefined ? [] : [channel.port1];
  }

  start(): void {
    const { replay, spread, warmupRequests, heartbeatMsMax } = this.#plan;
    if (replay === undefined) return;
    const { clock, board, lost } = this.#options;
    const { load, parse } = this.#plan.threads;
    // The last index: after load and parse threads.
    const boardThread = load + parse;
    const ports = this.#channels.map(({ port2 }) => port2);
    const data: FeedWorkerData = {
      plan: replay,
      heads: requestHeads(this.#plan),
      spread,
      firstSampleId: warmupRequests,
      ports,
      board,
      boardThread,
    };
    this.#thread = startThread<never, never>({
      clock,
      entry: entryUrl(import.meta.url, '../replay/feed-worker.ts'),
      name: 'plimsoll feed',
      data,
      ports,
      board: new ThreadBoard(board),
      boardThread,
      heartbeatMsMax,
      received: () => undefined,
      lost: reason => lost(`the trace could not be read on: its thread ${reason}`),
    });
  }

  async terminate(): Promise<void> {
    await this.#thread?.terminate();
  }
}
