// A clock that moves only when advanced: timing rules are asserted exactly, and hours pass in no time.

import type { Clock } from '../../src/clock/clock.ts';

interface Sleeper {
  readonly wakeAtMs: number;
  readonly order: number;
  readonly wake: () => void;
}

export class VirtualClock implements Clock {
  #nowMs: number;
  readonly #wallAtZeroMs: number;
  #order = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(start: { readonly nowMs?: number; readonly wallMs?: number } = {}) {
    this.#nowMs = start.nowMs ?? 0;
    this.#wallAtZeroMs = (start.wallMs ?? 1_800_000_000_000) - this.#nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallAtZeroMs + this.#nowMs;
  }

  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      };
      const sleeper: Sleeper = {
        wakeAtMs: this.#nowMs + Math.max(0, durationMs),
        order: this.#order++,
        wake: () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Moves time on, waking sleepers in order and letting each one's continuation run before the next. */
  async advance(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs;
    await settle();
    for (let next = this.#nextBefore(untilMs); next !== undefined; next = this.#nextBefore(untilMs)) {
      this.#sleepers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.wakeAtMs);
      next.wake();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  #nextBefore(untilMs: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.wakeAtMs > untilMs) continue;
      if (first === undefined || sleeper.wakeAtMs < first.wakeAtMs) first = sleeper;
      else if (sleeper.wakeAtMs === first.wakeAtMs && sleeper.order < first.order) first = sleeper;
    }
    return first;
  }
}

/** One turn of the event loop: every promise continuation that is ready has run. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
