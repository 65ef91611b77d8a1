// Polling that a hint can hurry: reads at the interval, or soon after `wake`, but never more often than the pause
// between two reads, so that a flapping cable costs no more than a bounded number of processes.

import type { GatherSession } from '../gatherer.ts';

export class WakeablePoll {
  readonly #intervalMs: number;
  readonly #pauseMs: number;
  #isWoken = false;
  #cutShort: (() => void) | undefined;

  constructor(options: { readonly intervalMs: number; readonly pauseMs: number }) {
    this.#intervalMs = options.intervalMs;
    this.#pauseMs = options.pauseMs;
  }

  wake(): void {
    this.#isWoken = true;
    this.#cutShort?.();
  }

  /** Until the session aborts; what `read` throws ends it. */
  async run(
    { clock, signal }: Pick<GatherSession, 'clock' | 'signal'>,
    read: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#isWoken = false;
        await read(signal);
        await clock.sleep(this.#pauseMs, signal);
        if (!this.#isWoken) await this.#sleepUntilWoken(clock, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #sleepUntilWoken(clock: GatherSession['clock'], signal: AbortSignal): Promise<void> {
    const hint = new AbortController();
    this.#cutShort = () => hint.abort();
    try {
      const either = AbortSignal.any([signal, hint.signal]);
      await clock.sleep(Math.max(0, this.#intervalMs - this.#pauseMs), either);
    } catch (error) {
      if (signal.aborted || !hint.signal.aborted) throw error;
    } finally {
      this.#cutShort = undefined;
    }
  }
}
