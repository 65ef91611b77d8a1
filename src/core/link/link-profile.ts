// What a connection carries, measured by a probe that its source started. Upload is source to sink.

import type { NodeId } from '../ids.ts';
import { isKnown, type Reported } from '../unknown.ts';

export interface LinkProfile {
  readonly sink: NodeId;
  readonly connectionKey: string;
  readonly uploadBitsPerSecond: Reported<number>;
  readonly downloadBitsPerSecond: Reported<number>;
  /** Round trips, nanoseconds. */
  readonly roundTripNsMin: Reported<number>;
  readonly roundTripNsP50: Reported<number>;
  readonly roundTripNsP99: Reported<number>;
  /** Mean absolute difference of consecutive round trips. */
  readonly jitterNs: Reported<number>;
  /** How many round trips the figures above are based on. */
  readonly roundTripCount: Reported<number>;
  /**
   * Median time in which both ends have each other's 16 KiB, or 1 MiB, both sending at once, one exchange after another: the
   * all-reduce of two machines without its addition, which their devices do. Nanoseconds.
   */
  readonly allReduceNs16Kib: Reported<number>;
  readonly allReduceNs1Mib: Reported<number>;
  /**
   * How much longer the median round trip is while the direction is fully loaded than when it is idle: the
   * delay in queues. Nanoseconds, from the measurement that gave the direction's rate.
   */
  readonly uploadQueueNs: Reported<number>;
  readonly downloadQueueNs: Reported<number>;
  /**
   * Age of the all-reduce and queue figures when this was written, ms: they cost most, and are measured once
   * an hour. Unknown until they are measured.
   */
  readonly extrasAgeMs: Reported<number>;
  /** TCP retransmits of both ends together while bandwidth was measured. */
  readonly retransmits: Reported<number>;
  /** Parallel streams of the faster measurement of each direction. */
  readonly uploadStreams: Reported<number>;
  readonly downloadStreams: Reported<number>;
  /** Cost of the probe, both directions, payload bytes. */
  readonly bytesUsed: number;
  /**
   * The part of it for the all-reduces, which not every probe measures. Unknown from versions that do not
   * count it.
   */
  readonly extrasBytes: Reported<number>;
  /** "socket-ffi", "socket-event-loop", "perftest", "ucx", "mlx-jaccl". */
  readonly engine: string;
  /** As text, with durations and sizes. */
  readonly method: string;
  /** Age of the figures when this was written, ms: 0, or their age if the newest attempt failed. */
  readonly measuredAgeMs: number;
  /** The next probe is due this long after this one; unknown if a person requested it. */
  readonly intervalMs: Reported<number>;
  /** Why the newest attempt failed; the figures are then those of the last good one. */
  readonly failure: Reported<'none'>;
}

/** Whether it has ever been measured: a probe that always failed publishes a profile without figures. */
export const hasFigures = (profile: LinkProfile): boolean =>
  [profile.uploadBitsPerSecond, profile.downloadBitsPerSecond, profile.roundTripNsP50].some(isKnown);
