// The greatest and the least of a list of any length: Math.max(...list) has its items as arguments, and the stack ends at some hundred
// thousand of them.

/** -Infinity of none, as Math.max; NaN if one is. */
export const maximumOf = (values: Iterable<number>): number => {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** Infinity of none, as Math.min; NaN if one is. */
export const minimumOf = (values: Iterable<number>): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) least = Math.min(least, value);
  return least;
};
