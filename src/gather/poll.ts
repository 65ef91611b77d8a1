// The loops of gatherers: a source read at an interval, or sooner on a hint of a change, and a main task with a helper.

import type { Clock } from '../clock/clock.ts';
import type { GatherSession } from './gatherer.ts';

/**
 * Reads at once and then at every multiple of the interval, without drift; a slow read skips turns instead of queueing
 * them. Ends when the session aborts; what `read` throws ends it too.
 */
export const poll = async (
  session: Pick<GatherSession, 'clock' | 'signal'>,
  intervalMs: number,
  read: (signal: AbortSignal) => Promise<void> | void,
): Promise<void> => {
  const { clock, signal } = session;
  let dueMs = clock.nowMs();
  while (!signal.aborted) {
    await read(signal);
    if (signal.aborted) return;
    const nowMs = clock.nowMs();
    dueMs += intervalMs * Math.max(1, Math.ceil((nowMs - dueMs) / intervalMs));
    try {
      await clock.sleep(dueMs - nowMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
};

/**
 * A poll that a hint can speed up: reads at once, then one interval after the end of the last read, or soon after a
 * hint. Hints come in bursts, so it waits for the rest of one, and a flapping cable cannot make it read more often than
 * the pause allows.
 */
export class HintedPoll {
  readonly #intervalMs: number;
  readonly #pauseMs: number;
  readonly #burstMs: number;
  #isHinted = false;
  #cutShort: (() => void) | undefined;

  /** `pauseMs`: the least between two reads. `burstMs`, by default 0: how long a hint waits for others. */
  constructor(options: { readonly intervalMs: number; readonly pauseMs: number; readonly burstMs?: number }) {
    this.#intervalMs = options.intervalMs;
    this.#pauseMs = options.pauseMs;
    this.#burstMs = options.burstMs ?? 0;
  }

  hint(): void {
    this.#isHinted = true;
    this.#cutShort?.();
  }

  /** Ends as `poll` does. `isHinted`: a hint has come since the last read began. */
  async run(
    { clock, signal }: Pick<GatherSession, 'clock' | 'signal'>,
    read: (signal: AbortSignal, isHinted: boolean) => Promise<void>,
  ): Promise<void> {
    try {
      for (let isHinted = false; !signal.aborted; ) {
        this.#isHinted = false;
        await read(signal, isHinted);
        const readAtMs = clock.nowMs();
        if (!this.#isHinted) await this.#sleepUntilHinted(clock, signal);
        isHinted = this.#isHinted;
        if (isHinted) {
          const restMs = readAtMs + this.#pauseMs - clock.nowMs();
          await clock.sleep(Math.max(this.#burstMs, restMs), signal);
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #sleepUntilHinted(clock: Clock, signal: AbortSignal): Promise<void> {
    const hinted = new AbortController();
    this.#cutShort = () => hinted.abort();
    try {
      await clock.sleep(this.#intervalMs, AbortSignal.any([signal, hinted.signal]));
    } catch (error) {
      if (signal.aborted || !hinted.signal.aborted) throw error;
    } finally {
      this.#cutShort = undefined;
    }
  }
}

/**
 * Resolves when `main` has ended and `helper` has stopped; a helper that ends early does not end `main`. A failure of
 * either ends both, so no background task is left without an owner. @throws what either throws, except the abort
 * itself.
 */
export const runConcurrently = async (
  signal: AbortSignal,
  main: (signal: AbortSignal) => Promise<void>,
  helper: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const ending = new AbortController();
  const own = AbortSignal.any([signal, ending.signal]);
  const results = await Promise.allSettled([
    main(own).finally(() => ending.abort()),
    helper(own).catch(error => {
      ending.abort();
      throw error;
    }),
  ]);
  for (const result of results) {
    if (result.status === 'rejected' && result.reason !== own.reason) throw result.reason;
  }
};
