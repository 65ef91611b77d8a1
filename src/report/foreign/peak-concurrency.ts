// The maximum number of requests in progress at one moment.

/** An end at the moment of a start comes before it. @param starts ascending @param ends ascending, in the same unit */
export const peakConcurrency = (starts: Float64Array, ends: Float64Array): number => {
  let ended = 0;
  let most = 0;
  for (const [started, start] of starts.entries()) {
    while (ended < ends.length && (ends[ended] ?? 0) <= start) ended += 1;
    most = Math.max(most, started + 1 - ended);
  }
  return most;
};
