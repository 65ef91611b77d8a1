// Jitter of a series of round trips: the mean of |Δ| of consecutive values (METRICS §5).

/** In the unit of the values; undefined below two values. */
export const meanAbsoluteDifference = (values: ArrayLike<number>): number | undefined => {
  if (values.length < 2) return undefined;
  let sum = 0;
  for (let index = 1; index < values.length; index += 1) {
    sum += Math.abs((values[index] ?? 0) - (values[index - 1] ?? 0));
  }
  return sum / (values.length - 1);
};
