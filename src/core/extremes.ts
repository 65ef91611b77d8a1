// The greatest and the least of a list of any length: Math.max(...list) passes the items as arguments, and
// the stack overflows at some hundred thousand of them.

/** -Infinity if empty, as Math.max; NaN if an item is. */
export const maximumOf = (values: Iterable<number>): number => {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** Infinity if empty, as Math.min; NaN if an item is. */
export const minimumOf = (values: Iterable<number>): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) least = Math.min(least, value);
  return least;
};
