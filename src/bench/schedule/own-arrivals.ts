// One load thread's share of a schedule: each n-th arrival, n being the number of threads, up to the end of the load.
// Which arrivals are measured, and which number a sample has, follows from the schedule alone.

import type { Arrivals, Share } from './arrivals.ts';

export interface OwnArrivalsOptions {
  readonly arrivals: Arrivals;
  readonly share: Share;
  /** Start of the load, on the caller's clock. */
  readonly startNs: number;
  /** Nothing is due from here on. */
  readonly endNs: number;
  /** Arrivals before belong to ramp and warm-up; `startNs` where there are none. */
  readonly measuredFromNs: number;
  /** Limit of measured arrivals. */
  readonly samplesMax: number;
}

export class OwnArrivals {
  readonly #options: OwnArrivalsOptions;
  /** Index in the schedule, from 0. */
  index = -1;
  /** Infinity at the end. */
  dueNs = 0;
  #unmeasured = 0;

  /** Starts at the first arrival of its own. */
  constructor(options: OwnArrivalsOptions) {
    this.#options = options;
    this.#skip(options.share.index + 1);
  }

  get hasEnded(): boolean {
    return this.dueNs === Number.POSITIVE_INFINITY;
  }

  get isMeasured(): boolean {
    return this.dueNs >= this.#options.measuredFromNs;
  }

  advance(): void {
    if (!this.hasEnded) this.#skip(this.#options.share.of);
  }

  #skip(count: number): void {
    const { arrivals, startNs, endNs, measuredFromNs, samplesMax } = this.#options;
    let dueNs = 0;
    for (let left = count; left > 0; left -= 1) {
      dueNs = startNs + arrivals.nextNs();
      this.index += 1;
      if (dueNs < measuredFromNs) this.#unmeasured += 1;
    }
    const isOver = dueNs >= endNs || this.index - this.#unmeasured >= samplesMax;
    this.dueNs = isOver ? Number.POSITIVE_INFINITY : dueNs;
  }
}
