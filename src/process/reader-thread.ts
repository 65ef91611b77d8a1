// A thread that reads a foreign file. A damaged or hostile one makes a library fill memory or count for
// minutes, and a thread can be ended: above its heap limit, above its buffer limit (which no heap limit
// counts), or after its time limit.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pause, unlessAborted } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { errorCode } from '../core/problem.ts';

interface ReaderThreadOptions {
  readonly workerData: unknown;
  /** Limit for its heap, and again for its buffers. */
  readonly mebibytesMax: number;
  /** From one message to the next. */
  readonly messageMsMax: number;
}

type ReaderEnd = 'time' | 'memory' | 'exit';

/** Why no further message arrives. */
export class ReaderThreadError extends Error {
  override readonly name = 'ReaderThreadError';
  readonly end: ReaderEnd;

  constructor(end: ReaderEnd, options?: ErrorOptions) {
    super(`the reader ended: ${end}`, options);
    this.end = end;
  }
}

export class ReaderThread<Message> implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #options: ReaderThreadOptions;
  readonly #arrived: Message[] = [];

  constructor(url: URL, options: ReaderThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(url, {
      workerData: options.workerData,
      resourceLimits: { maxOldGenerationSizeMb: options.mebibytesMax },
    });
    this.#worker.on('message', (message: Message) => this.#arrived.push(message));
  }

  post(message: unknown): void {
    this.#worker.postMessage(message);
  }

  /** @throws ReaderThreadError, what the thread threw, the signal's reason */
  async next(signal: AbortSignal): Promise<Message> {
    const deadline = AbortSignal.timeout(this.#options.messageMsMax);
    const over = new AbortController();
    const until = AbortSignal.any([signal, deadline, over.signal]);
    try {
      if (this.#arrived.length === 0)
        await Promise.race([
          once(this.#worker, 'message', { signal: until }),
          once(this.#worker, 'exit', { signal: until }),
          this.#filled(until),
        ]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ReaderThreadError) throw error;
      if (deadline.aborted) throw new ReaderThreadError('time', { cause: error });
      if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ReaderThreadError('memory', { cause: error });
      throw error;
    } finally {
      over.abort();
    }
    const message = this.#arrived.shift();
    if (message !== undefined) return message;
    throw new ReaderThreadError('exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  /** @throws ReaderThreadError once its buffers have too much; resolves with the signal. */
  async #filled(until: AbortSignal): Promise<void> {
    const bytesMax = this.#options.mebibytesMax * 2 ** 20;
    while (!until.aborted) {
      await pause(systemClock, WATCH_MS, until);
      // It has none before it runs, and after it has ended.
      const requested = this.#worker.getHeapStatistics().catch(() => undefined);
      const heap = await unlessAborted(requested, until);
      if (heap !== undefined && heap.external_memory > bytesMax) throw new ReaderThreadError('memory');
    }
  }
}

/** Buffers of some hundred MB fill in this time. */
const WATCH_MS = 100;
