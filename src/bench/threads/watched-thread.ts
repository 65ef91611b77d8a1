// A worker thread that is expected to live until it is unwatched. That it threw, exited or hangs is reported once,
// after it is really gone, so that what it wrote to shared memory is final.

import { type MessagePort, Worker } from 'node:worker_threads';
import { type Clock, pause } from '../../clock/clock.ts';
import type { ThreadBoard } from '../arena/thread-board.ts';

/** The part of a worker that is watched: a simulation has its own, in the same thread. */
export interface WatchedWorker {
  on<Received>(event: 'message', received: (message: Received) => void): unknown;
  once(event: 'error', received: (error: Error) => void): unknown;
  once(event: 'exit', received: (code: number) => void): unknown;
  postMessage(message: unknown): void;
  terminate(): Promise<number>;
}

interface WatchedThreadOptions<Received> {
  readonly clock: Clock;
  readonly worker: WatchedWorker;
  /** A count that increases as long as the thread returns to its event loop. */
  readonly heartbeat: () => number;
  readonly heartbeatMsMax: number;
  received(message: Received): void;
  lost(reason: string): void;
}

interface BoardThreadOptions<Received> extends Omit<WatchedThreadOptions<Received>, 'worker' | 'heartbeat'> {
  readonly entry: URL;
  /** Name in the list of the process's threads. */
  readonly name: string;
  readonly data: unknown;
  readonly ports: readonly MessagePort[];
  readonly board: ThreadBoard;
  /** Index of its heartbeat on the board. */
  readonly boardThread: number;
  /** Replaces a thread of the entry. */
  readonly standIn?: WatchedWorker | undefined;
}

export const startThread = <Sent, Received>({
  entry,
  name,
  data,
  ports,
  board,
  boardThread,
  standIn,
  ...options
}: BoardThreadOptions<Received>): WatchedThread<Sent, Received> =>
  new WatchedThread<Sent, Received>({
    ...options,
    worker: standIn ?? new Worker(entry, { workerData: data, transferList: [...ports], name }),
    heartbeat: () => board.get(boardThread, 'heartbeat'),
  });

export class WatchedThread<Sent, Received> {
  readonly #options: WatchedThreadOptions<Received>;
  /** Aborted once its end is known or expected. */
  readonly #unwatched = new AbortController();
  readonly #watching: Promise<void>;
  #reason: string | undefined;
  #isLetGo = false;
  #hasExited = false;
  #lastBeat = 0;
  #quietChecks = 0;

  constructor(options: WatchedThreadOptions<Received>) {
    this.#options = options;
    const { worker } = options;
    worker.on('message', (message: Received) => options.received(message));
    worker.once('error', error => {
      this.#reason ??= `failed: ${error.message}`;
    });
    worker.once('exit', code => {
      this.#hasExited = true;
      this.#unwatched.abort();
      if (!this.#isLetGo) options.lost(this.#reason ?? `exited with code ${code}`);
    });
    this.#watching = this.#watch();
  }

  post(message: Sent): void {
    if (!this.#hasExited) this.#options.worker.postMessage(message);
  }

  /** From now on its end is expected. */
  unwatch(): void {
    this.#isLetGo = true;
    this.#unwatched.abort();
  }

  async terminate(): Promise<void> {
    this.unwatch();
    if (!this.#hasExited) await this.#options.worker.terminate();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#unwatched;
    const { clock, heartbeatMsMax } = this.#options;
    while (!signal.aborted) {
      await pause(clock, heartbeatMsMax / CHECKS, signal);
      if (!signal.aborted) this.#check();
    }
  }

  /** Counts checks rather than time: a main thread that was stopped itself must not give up the others. */
  #check(): void {
    const { heartbeatMsMax } = this.#options;
    const beat = this.#options.heartbeat();
    this.#quietChecks = beat === this.#lastBeat ? this.#quietChecks + 1 : 0;
    this.#lastBeat = beat;
    // A thread that loads its modules on a busy machine is late, not lost.
    const quietMsMax = beat === 0 ? Math.max(heartbeatMsMax, START_MS_MAX) : heartbeatMsMax;
    if (this.#quietChecks * (heartbeatMsMax / CHECKS) <= quietMsMax) return;
    this.#unwatched.abort();
    this.#reason =
      beat === 0
        ? `did not start within ${quietMsMax} ms`
        : `did not return to its event loop for ${quietMsMax} ms`;
    void this.#options.worker.terminate();
  }
}

const CHECKS = 10;
const START_MS_MAX = 30_000;
