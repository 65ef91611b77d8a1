// Nodes that join a fleet missed earlier readings: they are published again, once for all that joined in the
// same moment, and not by all nodes at once.

import { type Clock, pause } from '../../clock/clock.ts';

interface LateJoinersParts {
  readonly clock: Clock;
  readonly random: () => number;
  /** Publishes again what was published until then. */
  readonly scheduleRetry: (untilMs: number) => void;
  readonly failed: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export class LateJoiners {
  readonly #parts: LateJoinersParts;
  /** When the last node joined that still needs them. */
  #lastMs: number | undefined;

  constructor(parts: LateJoinersParts) {
    this.#parts = parts;
  }

  came(): void {
    const { clock, random, scheduleRetry, failed, signal } = this.#parts;
    const isWaiting = this.#lastMs !== undefined;
    this.#lastMs = clock.nowMs();
    if (isWaiting) return;
    pause(clock, AGAIN_MS * random(), signal)
      .then(() => {
        const untilMs = this.#lastMs;
        this.#lastMs = undefined;
        if (!signal.aborted && untilMs !== undefined) scheduleRetry(untilMs);
      })
      .catch(failed);
  }
}

const AGAIN_MS = 1_000;
