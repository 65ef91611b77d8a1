// What RDMA tools call latency: half a round trip, in microseconds.

/** A figure that a tool can have measured: longer ones are damage, and past all numbers in nanoseconds. */
export const isHalfRoundTrip = (us: number): boolean => us > 0 && us < HOUR_US;

/** The whole of it, in nanoseconds. */
export const roundTripNs = (halfUs: number): number => Math.round(halfUs * 2 * 1_000);

/** No run of a tool is given as long. */
const HOUR_US = 3.6e9;
