// Of each value of a series, what it may truly be at one end: the value less its lateness. Kept as the series keeps its values,
// so that percentiles of both can be compared, live and exact.

import { Histogram } from '../core/statistics/histogram.ts';
import { RawValues } from '../core/statistics/raw-values.ts';
import type { RankedValues } from './bound-percentiles.ts';

export class ValueEdge {
  readonly #raw: RawValues;
  readonly #histogram = new Histogram({ low: 1, high: 3_600_000_000_000 });
  #lateNs = 0;
  #count = 0;

  constructor(rawValuesMax: number | undefined) {
    this.#raw = new RawValues(rawValuesMax);
  }

  get count(): number {
    return this.#count;
  }

  get lateNsMean(): number {
    return this.#lateNs / this.#count;
  }

  /** @param lateNs negative for what a value may be at the most */
  add(valueNs: number, lateNs: number): void {
    const edgeNs = Math.max(0, valueNs - lateNs);
    this.#raw.add(edgeNs);
    this.#histogram.record(Math.max(1, edgeNs));
    this.#lateNs += lateNs;
    this.#count += 1;
  }

  /** Of more values than are kept those of the histogram. */
  sorted(): RankedValues {
    if (this.#raw.leftOut > 0) return this.ranked();
    const sorted = this.#raw.sorted();
    return { length: sorted.length, at: rank => sorted[rank] };
  }

  /** From the histogram. */
  ranked(): RankedValues {
    return { length: this.#count, at: rank => this.#histogram.valueAtRank(rank + 1) };
  }
}
