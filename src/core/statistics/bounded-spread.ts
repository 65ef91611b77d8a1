// Median, p90 and maximum of any number of times in bounded memory: exact up to a number of values, above it
// from a histogram. The result depends on the values alone and not on their order, so that merged runs give
// what one machine would.

import { figure, type Infer, openObject } from '../schema.ts';
import { Histogram } from './histogram.ts';
import { lowerIndex, lowerPercentile } from './percentile.ts';

export const spreadFiguresSchema = openObject({ p50: figure, p90: figure, max: figure });

export type SpreadFigures = Infer<typeof spreadFiguresSchema>;

export class BoundedSpread {
  #values: number[] = [];
  /** undefined: each value is stored. */
  #histogram: Histogram | undefined;
  #max = 0;
  readonly #valuesMax: number;

  /** @param valuesMax stored exactly; 0: figures come from the histogram and cost little for any number */
  constructor(valuesMax: number = SPREAD_VALUES_MAX) {
    this.#valuesMax = valuesMax;
  }

  get count(): number {
    return this.#histogram?.count ?? this.#values.length;
  }

  /** ns */
  add(value: number): void {
    this.#max = Math.max(this.#max, value);
    if (this.#histogram !== undefined) {
      this.#histogram.record(value);
      return;
    }
    this.#values.push(value);
    if (this.#values.length <= this.#valuesMax) return;
    const histogram = new Histogram(BOUNDS_NS);
    for (const kept of this.#values) histogram.record(kept);
    this.#histogram = histogram;
    this.#values = [];
  }

  /** undefined: there is no value. */
  figures(): SpreadFigures | undefined {
    const histogram = this.#histogram;
    if (histogram !== undefined) {
      const at = (percentile: number): number =>
        Math.min(this.#max, histogram.valueAtRank(lowerIndex(percentile, histogram.count) + 1) ?? this.#max);
      return { p50: at(50), p90: at(90), max: this.#max };
    }
    if (this.#values.length === 0) return undefined;
    const sorted = Float64Array.from(this.#values).sort();
    return { p50: lowerPercentile(sorted, 50), p90: lowerPercentile(sorted, 90), max: this.#max };
  }
}

/** Above it percentiles are at most 0.1 % too high. */
export const SPREAD_VALUES_MAX = 65_536;
/** From a microsecond to eleven days. */
const BOUNDS_NS = { low: 1e3, high: 1e15 };
