// Whether this daemon may be sent readers: its journal is read before it listens, its first readings are there, and it does
// not stop. A balancer, a rollout and a script wait for it; whether the process is alive at all is another question.

import { type Clock, pause } from '../clock/clock.ts';

interface ReadinessParts {
  readonly clock: Clock;
  /** Readings of this machine that no source has reported yet, by name. */
  readonly missingReadings: () => readonly string[];
  /** Resolves when there are none, or when the signal aborts. */
  readonly whenFirst: (signal: AbortSignal) => Promise<void>;
  /** The daemon stops. */
  readonly stop: AbortSignal;
}

export class Readiness {
  readonly #parts: ReadinessParts;
  #hasWaited = false;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** In words, bounded; none: ready. */
  get missing(): readonly string[] {
    const { stop, missingReadings } = this.#parts;
    if (stop.aborted) return ['the daemon stops'];
    const readings = this.#hasWaited ? [] : missingReadings();
    const named = readings.slice(0, MISSING_NAMED_MAX).map(reading => `first reading of ${reading}`);
    const others = readings.length - named.length;
    return others > 0 ? [...named, `${others} more`] : named;
  }

  /** Resolves once nothing is missing; a source that hangs delays it for no longer than `READY_MS_MAX`. */
  async whenReady(): Promise<void> {
    const { clock, stop, whenFirst } = this.#parts;
    const over = new AbortController();
    const until = AbortSignal.any([stop, over.signal]);
    await Promise.race([whenFirst(until), pause(clock, READY_MS_MAX, until)]);
    over.abort();
    this.#hasWaited = true;
  }
}

/** The page shows a slower source as "measuring", and everything else is there. */
export const READY_MS_MAX = 30_000;
const MISSING_NAMED_MAX = 8;
