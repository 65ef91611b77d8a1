// A hint that something has changed, given any number of times and taken once: changes come in bursts, so the taker
// waits a moment for the rest, and a flapping link cannot make it read more than once a second.

import type { Clock } from '../../clock/clock.ts';

export class Hint {
  readonly #clock: Clock;
  #isGiven = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  give(): void {
    this.#isGiven = true;
    this.#wake?.();
  }

  /**
   * True soon after a hint, false after `timeoutMs` without one.
   * @throws the signal's reason, when it aborts.
   */
  async taken(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const startedMs = this.#clock.nowMs();
    if (!this.#isGiven) await this.#hintOr(timeoutMs, signal);
    if (!this.#isGiven) return false;
    const pauseMs = Math.max(BURST_MS, startedMs + READ_AGAIN_MS - this.#clock.nowMs());
    await this.#clock.sleep(pauseMs, signal);
    this.#isGiven = false;
    return true;
  }

  async #hintOr(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const given = new AbortController();
    this.#wake = () => given.abort();
    try {
      await this.#clock.sleep(timeoutMs, AbortSignal.any([signal, given.signal]));
    } catch {
      signal.throwIfAborted();
    } finally {
      this.#wake = undefined;
    }
  }
}

const BURST_MS = 100;
const READ_AGAIN_MS = 1_000;
