// Of each value of a series, what it may truly be: less the lateness of its end, and more by that of its start. Kept as the series
// keeps its values, so that percentiles of both can be compared, live and exact.

import type { ErrorBound } from '../core/run/error-bound.ts';
import { Histogram } from '../core/statistics/histogram.ts';
import { RawValues } from '../core/statistics/raw-values.ts';
import type { BoundedValues, RankedValues, SparingLag } from './bound-percentiles.ts';
import { LatenessCounts } from './lateness-counts.ts';
import { TimeBins } from './time-bins.ts';
import type { WakeLateness } from './wake-lateness.ts';

/** How late the stamps at the ends of a time may be, and what the time is divided by. */
export interface TimeLate {
  /** The stamp of its end. */
  readonly atNs: number;
  readonly endNs: number;
  readonly endNsMax: number;
  /** 0 where nothing can make the time too short. */
  readonly startNs: number;
  readonly startNsMax: number;
  readonly dividedBy: number;
}

export class ValueEdges {
  readonly #least: Edge;
  readonly #most: Edge;
  readonly #bins = new TimeBins();
  readonly #latest = new LatenessCounts();
  #count = 0;
  #latestNs = 0;
  #divisorMin = Number.POSITIVE_INFINITY;

  constructor(rawValuesMax: number | undefined) {
    this.#least = new Edge(rawValuesMax);
    this.#most = new Edge(rawValuesMax);
  }

  get count(): number {
    return this.#count;
  }

  add(valueNs: number, { atNs, endNs, endNsMax, startNs, startNsMax, dividedBy }: TimeLate): void {
    this.#count += 1;
    this.#divisorMin = Math.min(this.#divisorMin, dividedBy);
    this.#bins.add(atNs);
    this.#least.add(valueNs, endNs / dividedBy);
    const latestNs = Math.max(endNsMax, startNsMax) / dividedBy;
    this.#latest.add(latestNs);
    this.#latestNs += latestNs;
    if (dividedBy > 1 || startNsMax > 0) this.#most.add(valueNs, -startNs / dividedBy);
  }

  mean(wake: WakeLateness): ErrorBound {
    const wakeNs = wake.meanMaxNs(this.#bins.effectiveCount) / this.#divisorMin;
    const latestNs = this.#latestNs / this.#count + wake.heldNsMax;
    return {
      above: Math.min(this.#least.lateNs / this.#count + wakeNs, latestNs),
      below: this.#hasMost ? Math.min(wakeNs - this.#most.lateNs / this.#count, latestNs) : 0,
    };
  }

  ways(wake: WakeLateness, measured: RankedValues, isExact: boolean): readonly BoundedValues[] {
    const most = this.#hasMost ? this.#most.ranked(isExact) : undefined;
    return [
      { least: this.#least.ranked(isExact), most, lags: this.#wakeLags(wake) },
      {
        least: measured,
        most: most === undefined ? undefined : measured,
        lags: this.#latest.lags(wake.heldNsMax),
      },
    ];
  }

  get #hasMost(): boolean {
    return this.#most.count === this.#count;
  }

  #wakeLags(wake: WakeLateness): readonly SparingLag[] {
    return wake.lags(this.#bins).map(({ spared, lagNs }) => ({ spared, lagNs: lagNs / this.#divisorMin }));
  }
}

class Edge {
  readonly #raw: RawValues;
  readonly #histogram = new Histogram({ low: 1, high: 3_600_000_000_000 });
  lateNs = 0;
  count = 0;

  constructor(rawValuesMax: number | undefined) {
    this.#raw = new RawValues(rawValuesMax);
  }

  /** @param lateNs negative for what a value may be at the most */
  add(valueNs: number, lateNs: number): void {
    const edgeNs = Math.max(0, valueNs - lateNs);
    this.#raw.add(edgeNs);
    this.#histogram.record(Math.max(1, edgeNs));
    this.lateNs += lateNs;
    this.count += 1;
  }

  /** Of more values than are kept those of the histogram. */
  ranked(isExact: boolean): RankedValues {
    if (!isExact || this.#raw.leftOut > 0)
      return { length: this.count, at: rank => this.#histogram.valueAtRank(rank + 1) };
    const sorted = this.#raw.sorted();
    return { length: sorted.length, at: rank => sorted[rank] };
  }
}
