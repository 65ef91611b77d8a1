// The geometry of a histogram over a logarithmic axis, in CSS pixels: buckets, ticks at 1, 2, 5, and lines of
// percentiles whose labels do not overlap.

import { maximumOf } from '../../core/extremes.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Bucket = readonly [number, number, number];

interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

interface LogAxis {
  readonly low: number;
  readonly high: number;
  at(value: number): number;
}

/** From the first bucket with a count to the last; undefined if all are empty. */
export const filledBuckets = (buckets: readonly Bucket[]): readonly Bucket[] => {
  const first = buckets.findIndex(([, , count]) => count > 0);
  const last = buckets.findLastIndex(([, , count]) => count > 0);
  return first === -1 ? [] : buckets.slice(first, last + 1);
};

export const logAxis = (buckets: readonly Bucket[], width: number): LogAxis | undefined => {
  const low = buckets[0]?.[0];
  const high = buckets.at(-1)?.[1];
  if (low === undefined || high === undefined || !(low > 0) || !(high > low)) return undefined;
  const span = Math.log(high / low);
  return { low, high, at: value => (Math.log(value / low) / span) * width };
};

export const bars = (buckets: readonly Bucket[], axis: LogAxis, { height }: Size): readonly Bar[] => {
  const most = maximumOf([1, ...buckets.map(([, , count]) => count)]);
  return buckets
    .filter(([, , count]) => count > 0)
    .map(([low, high, count]) => {
      const x = axis.at(Math.max(low, axis.low));
      const tall = Math.max(1, (count / most) * height);
      return {
        x,
        y: height - tall,
        width: Math.max(1, axis.at(high) - x - 1),
        height: tall,
        low,
        high,
        count,
      };
    });
};

/**
 * 1, 2 and 5 of each power of ten within the axis, thinned until they fit; round steps if only one would
 * remain.
 */
export const logTicks = (axis: LogAxis, spacing: number): readonly number[] => {
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const ticks: number[] = [];
    for (let exponent = Math.floor(Math.log10(axis.low)); 10 ** exponent <= axis.high; exponent += 1) {
      for (const step of steps) {
        const value = step * 10 ** exponent;
        if (value >= axis.low && value <= axis.high) ticks.push(value);
      }
    }
    const isRoomy = ticks.every(
      (tick, index) => index === 0 || axis.at(tick) - axis.at(ticks[index - 1] ?? 0) >= spacing,
    );
    if (isRoomy && ticks.length > 1) return ticks;
  }
  return evenTicks(axis, spacing);
};

/** Ticks of an axis shorter than a decade. */
const evenTicks = (axis: LogAxis, spacing: number): readonly number[] => {
  const smallest = 10 ** Math.floor(Math.log10((axis.high - axis.low) / 10));
  for (const factor of [1, 2, 5, 10, 20, 50, 100]) {
    const step = smallest * factor;
    const first = Math.ceil(axis.low / step);
    const ticks = Array.from(
      { length: Math.max(0, Math.floor(axis.high / step) - first + 1) },
      (_, index) => (first + index) * step,
    );
    const isRoomy = ticks.every(
      (tick, index) => index === 0 || axis.at(tick) - axis.at(ticks[index - 1] ?? 0) >= spacing,
    );
    if (isRoomy && ticks.length > 1) return ticks;
  }
  return [axis.low, axis.high];
};

/**
 * A round number of samples below the tallest bar, for the scale at the side; undefined if there is none.
 */
export const countTick = (most: number): number | undefined => {
  if (!(most >= 2)) return undefined;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map(factor => factor * power).find(tick => tick <= most);
};

export interface Label {
  readonly x: number;
  /** 0 is the lower row. */
  readonly row: number;
}

/** A label that would touch the previous one moves up a row. */
export const labelRows = (xs: readonly number[], width: number): readonly Label[] => {
  const ends: number[] = [];
  return xs.map(x => {
    let row = 0;
    while ((ends[row] ?? Number.NEGATIVE_INFINITY) > x - width / 2) row += 1;
    ends[row] = x + width / 2;
    return { x, row };
  });
};
