// How many connections without the code came to `plimsoll probe serve`: the first at once, then one line for all of a
// minute, however many come, so that a flood neither hides nor fills the screen.

import type { Clock } from '../../clock/clock.ts';

export const REFUSALS_TOLD_MS = 60_000;

export class RefusalLines {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #write: (line: string) => void;
  #told = 0;
  #nextAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'nowMs'>, write: (line: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Of one code, since it was printed. */
  counted(count: number): void {
    const nowMs = this.#clock.nowMs();
    const more = count - this.#told;
    if (more <= 0 || nowMs < this.#nextAtMs) return;
    this.#told = count;
    this.#nextAtMs = nowMs + REFUSALS_TOLD_MS;
    this.#write(
      `${more} ${more === 1 ? 'connection' : 'connections'} without the code refused. Still waiting.`,
    );
  }

  /** Another code: its strangers are counted from none. */
  begin(): void {
    this.#told = 0;
  }
}
