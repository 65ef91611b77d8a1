// CLOCK_MONOTONIC in nanoseconds: the one time that two processes of a machine share. For stamps that travel from one
// process to another; durations inside one process use the Clock.

/** Nanoseconds since an origin that all processes of this machine share (on Linux the start of the machine). */
export const monotonicNs = (): bigint =>
  // biome-ignore lint/style/noRestrictedGlobals: the clock is what this file adapts, and only `process` reads this one
  process.hrtime.bigint();
