// How late the load threads are woken, from the marks that they received: a sample of what happens to every reply.
// The conclusions about replies are statistical, at odds of one in a thousand against them (docs/metrics.md, "Error
// bounds").

import { maximumOf } from '../core/extremes.ts';
import type { SparingLag } from './bound-percentiles.ts';
import type { TimeBins } from './time-bins.ts';

/** How late marks were beyond the known delay of each read, and beyond the whole sleep of its thread before. */
export interface MarkedLateness {
  readonly beyondKnown: Lateness;
  /** The system itself delayed their bytes. */
  readonly beyondSleep: Lateness;
}

export interface Lateness {
  /** Upper limit of the mean lateness for so many groups of replies that were woken together. */
  meanMaxNs(groups: number): number;
  /** For several numbers of bins that may exceed it, a lateness, with the values in as many of the fullest bins. */
  lags(bins: TimeBins): readonly SparingLag[];
}

/** Of threads whose timestamps are the kernel's: being woken late does not delay them. */
export const NO_LATENESS: Lateness = { meanMaxNs: () => 0, lags: () => [{ spared: 0, lagNs: 0 }] };

/** The later of several machines: which reply belongs to which is not known here. */
export const latestOf = (all: readonly Lateness[]): Lateness => ({
  meanMaxNs: groups => maximumOf(all.map(each => each.meanMaxNs(groups))),
  lags: bins => {
    const sampled = all.filter(each => each !== NO_LATENESS);
    if (sampled.length === 0) return NO_LATENESS.lags(bins);
    const [first = [], ...rest] = sampled.map(each => each.lags(bins));
    return first.map(({ spared, lagNs }, at) => ({
      spared,
      lagNs: maximumOf([lagNs, ...rest.map(lags => lags[at]?.lagNs ?? Number.POSITIVE_INFINITY)]),
    }));
  },
});

export class WakeLateness implements Lateness {
  readonly #sortedNs: Float64Array;
  readonly #meanNs: number;
  readonly #deviationNs: number;
  /** Late marks come in clumps of about this size, which count as one. */
  readonly #clump: number;

  /** @param groups lateness of the marks, those that came together in a group */
  constructor(groups: readonly (readonly number[])[]) {
    const all = Float64Array.from(groups.flat()).sort();
    this.#sortedNs = all;
    this.#meanNs = all.length === 0 ? 0 : all.reduce((sum, ns) => sum + ns, 0) / all.length;
    const squares = all.reduce((sum, ns) => sum + (ns - this.#meanNs) ** 2, 0);
    this.#deviationNs = all.length < 2 ? this.#meanNs : Math.sqrt(squares / (all.length - 1));
    this.#clump = clumpOf(groups, all[Math.floor((1 - LATE_PART) * all.length)] ?? 0);
  }

  get count(): number {
    return this.#sortedNs.length;
  }

  meanMaxNs(groups: number): number {
    const marks = this.count / this.#clump;
    return this.#meanNs + this.#deviationNs * Z * (1 / Math.sqrt(marks) + 1 / Math.sqrt(groups));
  }

  lags(bins: TimeBins): readonly SparingLag[] {
    const fullest = bins.fullest();
    const tried = new Set(SPARED_PARTS.map(part => Math.ceil(part * bins.count)));
    return [...tried].map(spared => ({
      spared: fullest[spared] ?? 0,
      lagNs: this.#passedByMaxNs(bins.count, spared),
    }));
  }

  /** A lateness that at most `spared` of so many groups of replies exceed. */
  #passedByMaxNs(groups: number, spared: number): number {
    // So small a share of all wakes exceeds it that more than `spared` of the groups hardly do …
    const share = Math.min(1, leastMean(spared) / groups);
    // … and so many marks would have exceeded it, had it been a larger share.
    const expected = (share * this.count) / this.#clump;
    const passing = passedMarks(expected);
    const greatestNs = this.#sortedNs[this.count - 1] ?? 0;
    if (passing >= 0) return this.#sortedNs[this.count - 1 - Math.floor(passing * this.#clump)] ?? greatestNs;
    // Too few marks for so rare a lateness: a heavy tail (1/x²) from the greatest one observed.
    return greatestNs * Math.sqrt(MARKS_FOR_GREATEST / Math.max(expected, 1e-9));
  }
}

/** How many marks of a late mark's group are late with it, beyond chance. */
const clumpOf = (groups: readonly (readonly number[])[], lateNs: number): number => {
  const counts = groups.map(group => group.filter(ns => ns >= lateNs).length);
  const late = counts.reduce((sum, count) => sum + count, 0);
  if (late === 0) return 1;
  const together = counts.reduce((sum, count) => sum + count ** 2, 0) / late;
  const size = groups.reduce((sum, group) => sum + group.length, 0) / groups.length;
  return Math.max(1, together / (1 + Math.max(0, size - 1) * LATE_PART));
};

/** Mean of a Poisson count that is more than `spared` in one case of a thousand (Wilson and Hilferty 1931; exact at 0). */
const leastMean = (spared: number): number => {
  const events = spared + 1;
  const root = 1 - 1 / (9 * events) - Z / (3 * Math.sqrt(events));
  return Math.max(-Math.log1p(-ALPHA), events * Math.max(0, root) ** 3);
};

/** The greatest m such that a Poisson count of this mean is m or less in one case of a thousand at most; -1: there is none. */
const passedMarks = (mean: number): number => {
  let low = -1;
  let high = Math.floor(mean);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (greatestMean(middle) <= mean) low = middle;
    else high = middle - 1;
  }
  return low;
};

const greatestMean = (count: number): number => {
  const events = count + 1;
  return events * (1 - 1 / (9 * events) + Z / (3 * Math.sqrt(events))) ** 3;
};

const SPARED_PARTS: readonly number[] = [0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4];
const ALPHA = 0.001;
/** Normal quantile of 1 − ALPHA. */
const Z = 3.090_232;
/** Which marks count as late for the question whether they come together. */
const LATE_PART = 0.1;
/** Expected marks beyond a lateness that none of them exceeded, in one case of a thousand: ln 1000. */
const MARKS_FOR_GREATEST: number = -Math.log(ALPHA);
