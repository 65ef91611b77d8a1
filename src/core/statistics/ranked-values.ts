// Values by rank, for any way of storing them.

/** Ascending values, as far as they are known. */
export interface RankedValues {
  readonly length: number;
  /** From 0; undefined past the last. */
  at(rank: number): number | undefined;
  /** Announces ranks that will be read: together they cost one reading of all values. */
  prepare?(requested: RequestedPlaces): void;
}

/** Also the position of any value among them. */
export interface PlacedValues extends RankedValues {
  /** How many are less than `value`. */
  countBelow(value: number): number;
  prepare(requested: RequestedPlaces): void;
}

export interface RequestedPlaces {
  readonly ranks?: readonly number[];
  readonly values?: readonly number[];
}

/** @param sorted ascending */
export const placedArray = (sorted: Float64Array): PlacedValues => ({
  length: sorted.length,
  at: rank => sorted[rank],
  countBelow: value => firstAtLeast(sorted, value),
  prepare: () => {},
});

/** The first index of ascending numbers whose number is at least `bound`; their count if there is none. */
export const firstAtLeast = (sorted: ArrayLike<number>, bound: number): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};
