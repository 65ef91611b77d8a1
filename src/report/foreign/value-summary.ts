// A series summarised as in the Python tools of this field, with NumPy's defaults: percentiles interpolated between
// the two nearest values, and the standard deviation of a population. Ours (METRICS §5) take the lower value, and n −
// 1.

export interface ValueSummary {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  /** Divided by n. */
  readonly stdDev: number;
  readonly min: number;
  readonly max: number;
  /** @param percentile 0 to 100 */
  readonly percentile: (percentile: number) => number;
}

/** undefined without values. @param sorted ascending, in the unit of the result */
export const valueSummary = (sorted: Float64Array): ValueSummary | undefined => {
  const count = sorted.length;
  const min = sorted[0];
  const max = sorted[count - 1];
  if (min === undefined || max === undefined) return undefined;
  let sum = 0;
  for (const value of sorted) sum += value;
  const mean = sum / count;
  let squares = 0;
  for (const value of sorted) squares += (value - mean) ** 2;
  return {
    count,
    sum,
    mean,
    stdDev: Math.sqrt(squares / count),
    min,
    max,
    percentile: percentile => interpolated(sorted, (percentile / 100) * (count - 1)),
  };
};

const interpolated = (sorted: Float64Array, place: number): number => {
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (place - Math.floor(place)) * (above - below);
};
