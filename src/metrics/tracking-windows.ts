// How long was measured: of each tracking window the time from its first sent sample to the last end of a completed
// one (METRICS §4). Several windows add up, so the pause between them is in no rate.

import type { CounterSampler } from './counter-sampler.ts';

export class TrackingWindows {
  readonly #total: CounterSampler;
  readonly #firstSentNs: number[] = [];
  readonly #lastEndNs: number[] = [];

  constructor(total: CounterSampler) {
    this.#total = total;
  }

  sent(window: number, sentNs: number): void {
    const first = this.#firstSentNs[window];
    if (first !== undefined && first <= sentNs) return;
    this.#firstSentNs[window] = sentNs;
    if (first !== undefined) this.#total.set(this.#sum()); // records of several threads come a little out of order
  }

  completed(window: number, endNs: number): void {
    const last = this.#lastEndNs[window];
    if (last !== undefined && last >= endNs) return;
    this.#lastEndNs[window] = endNs;
    this.#total.set(this.#sum());
  }

  #sum(): number {
    let sum = 0;
    for (const [window, firstNs] of this.#firstSentNs.entries()) {
      const lastNs = this.#lastEndNs[window];
      if (firstNs !== undefined && lastNs !== undefined && lastNs > firstNs) sum += lastNs - firstNs;
    }
    return sum;
  }
}
