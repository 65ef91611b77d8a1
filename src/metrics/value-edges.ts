// The limits of each value of a series: less by the lateness of its end, and more by that of its start. Sorted, they
// are the limits of the percentiles. Stored as the series stores its values, live and exact.

import type { ErrorBound } from '../core/run/event-record.ts';
import { Histogram } from '../core/statistics/histogram.ts';
import type { RankedValues } from '../core/statistics/percentile.ts';
import { type BlockStore, RawValues } from '../core/statistics/raw-values.ts';
import type { BoundedValues } from './bound-percentiles.ts';
import { TimeBins } from './time-bins.ts';
import type { Lateness, MarkedLateness } from './wake-lateness.ts';

/** Possible lateness of the stamps at both ends of a time, and the divisor of the time. */
export interface TimeLate {
  /** The stamp of its end. */
  readonly atNs: number;
  readonly endNs: number;
  readonly endNsMax: number;
  /** 0 if nothing can make the time too short. */
  readonly startNs: number;
  readonly startNsMax: number;
  readonly dividedBy: number;
}

export interface ValueEdgesOptions {
  /** Above it bounds come from histograms. */
  readonly rawValuesMax: number | undefined;
  /** Where full blocks of values go; default this process's memory. */
  readonly store: BlockStore | undefined;
  /** Whether its start can be late, too: then the time may be measured too short. */
  readonly isTwoSided: boolean;
}

export class ValueEdges {
  /** By the known causes for each stamp, and the upper limit of any delay while its thread slept. */
  readonly #known: Sides;
  readonly #surely: Sides;
  readonly #bins = new TimeBins();
  #count = 0;
  #divisorMin = Number.POSITIVE_INFINITY;

  constructor(options: ValueEdgesOptions) {
    this.#known = sidesOf(options);
    this.#surely = sidesOf(options);
  }

  get count(): number {
    return this.#count;
  }

  add(valueNs: number, { atNs, endNs, endNsMax, startNs, startNsMax, dividedBy }: TimeLate): void {
    this.#count += 1;
    this.#divisorMin = Math.min(this.#divisorMin, dividedBy);
    this.#bins.add(atNs);
    this.#known.least.add(valueNs, -endNs / dividedBy);
    this.#surely.least.add(valueNs, -endNsMax / dividedBy);
    this.#known.most?.add(valueNs, startNs / dividedBy);
    this.#surely.most?.add(valueNs, startNsMax / dividedBy);
  }

  mean({ beyondKnown, beyondSleep }: MarkedLateness): ErrorBound {
    const sideOf = (known: Edge | undefined, surely: Edge | undefined): number =>
      known === undefined || surely === undefined
        ? 0
        : Math.min(this.#meanMaxNs(known, beyondKnown), this.#meanMaxNs(surely, beyondSleep));
    return {
      above: sideOf(this.#known.least, this.#surely.least),
      below: sideOf(this.#known.most, this.#surely.most),
    };
  }

  ways({ beyondKnown, beyondSleep }: MarkedLateness, isExact: boolean): readonly BoundedValues[] {
    return [this.#way(this.#known, beyondKnown, isExact), this.#way(this.#surely, beyondSleep, isExact)];
  }

  #way({ least, most }: Sides, beyond: Lateness, isExact: boolean): BoundedValues {
    return {
      least: least.ranked(isExact, 'lowest'),
      ...(most === undefined ? {} : { most: most.ranked(isExact, 'highest') }),
      lags: beyond.lags(this.#bins).map(({ spared, lagNs }) => ({ spared, lagNs: lagNs / this.#divisorMin })),
    };
  }

  #meanMaxNs(edge: Edge, beyond: Lateness): number {
    return edge.lateNs / this.#count + beyond.meanMaxNs(this.#bins.effectiveCount) / this.#divisorMin;
  }
}

interface Sides {
  readonly least: Edge;
  readonly most: Edge | undefined;
}

const sidesOf = ({ isTwoSided, ...kept }: ValueEdgesOptions): Sides => ({
  least: new Edge(kept),
  most: isTwoSided ? new Edge(kept) : undefined,
});

class Edge {
  readonly #raw: RawValues;
  readonly #histogram = new Histogram({ low: 1, high: 3_600_000_000_000 });
  lateNs = 0;

  constructor({ rawValuesMax, store }: Omit<ValueEdgesOptions, 'isTwoSided'>) {
    this.#raw = new RawValues(rawValuesMax, store);
  }

  /** @param byNs negative for the lower limit of a value */
  add(valueNs: number, byNs: number): void {
    const edgeNs = Math.max(0, valueNs + byNs);
    this.#raw.add(edgeNs);
    this.#histogram.record(Math.max(1, edgeNs));
    this.lateNs += Math.abs(byNs);
  }

  /** Above the limit of stored values, those of the histogram, from the end of a cell that claims less. */
  ranked(isExact: boolean, end: 'lowest' | 'highest'): RankedValues {
    const histogram = this.#histogram;
    if (!isExact || this.#raw.leftOut > 0)
      return {
        length: histogram.count,
        at: rank => (end === 'lowest' ? histogram.lowestAtRank(rank + 1) : histogram.valueAtRank(rank + 1)),
      };
    return this.#raw.ranked();
  }
}
