// How fast a tool speaks, counted in whole seconds: one that prints without end would take a processor of the machine
// that it is to tell of.

import type { Clock } from '../clock/clock.ts';

export class LinePace {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #linesPerSecondMax: number;
  #secondAtMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Pick<Clock, 'nowMs'>, linesPerSecondMax: number) {
    this.#clock = clock;
    this.#linesPerSecondMax = linesPerSecondMax;
  }

  /** Counts one more line; false when it is one too many. */
  keeps(): boolean {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#secondAtMs >= 1_000) {
      this.#secondAtMs = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#linesPerSecondMax;
  }
}
