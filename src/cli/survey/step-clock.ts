// The clock of gatherers that read a captured machine: it does not move while they read, and is moved by the time that has passed on the
// machine between two captures. Rates are then exact, and no gatherer waits.

import type { Clock } from '../../clock/clock.ts';

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

export class StepClock implements Clock {
  #nowMs = 0;
  readonly #sleepers = new Set<Sleeper>();

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs;
  }

  sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const end = (): void => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener('abort', give);
      };
      const give = (): void => {
        end();
        reject(signal.reason);
      };
      const sleeper: Sleeper = {
        dueMs: this.#nowMs + durationMs,
        wake: () => {
          end();
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', give, { once: true });
    });
  }

  /** Resolves when everything that was due has done what it does without waiting. */
  async advance(durationMs: number): Promise<void> {
    this.#nowMs += durationMs;
    for (const sleeper of [...this.#sleepers]) if (sleeper.dueMs <= this.#nowMs) sleeper.wake();
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise(resolve => setImmediate(resolve));
  }
}

/** What gatherers read is in memory: one turn of the event loop is enough, and a few do no harm. */
const TURNS = 5;
