// What a connection carries, measured by a probe that its source started. Upload is source to sink.

import * as v from 'valibot';
import {
  allUnknown,
  figure,
  type Infer,
  nodeIdSchema,
  openObject,
  reported,
  type Schema,
  text,
  unknownSchema,
} from '../schema.ts';
import { isKnown, type Unknown } from '../unknown.ts';

/** Never left out: unknown means that the probe failed, with the reason. */
export const failure = v.union([v.literal('none'), unknownSchema]);

/** Nanoseconds. */
// @__NO_SIDE_EFFECTS__
export const roundTripEntries = (number: Schema<number>) => ({
  roundTripNsMin: reported(number),
  roundTripNsP50: reported(number),
  roundTripNsP99: reported(number),
  /** Mean absolute difference of consecutive round trips. */
  jitterNs: reported(number),
  /** How many round trips the figures above are based on. */
  roundTripCount: reported(number),
});

// @__NO_SIDE_EFFECTS__
const rateAndTimeEntries = (number: Schema<number>) => ({
  uploadBitsPerSecond: reported(number),
  downloadBitsPerSecond: reported(number),
  ...roundTripEntries(number),
  ...hourlyEntries(number),
});

/** They cost most, and are measured once an hour. */
// @__NO_SIDE_EFFECTS__
const hourlyEntries = (number: Schema<number>) => ({
  /**
   * Median time in which both ends have each other's 16 KiB, or 1 MiB, both sending at once, one exchange after another: the
   * all-reduce of two machines without its addition, which their devices do. Nanoseconds.
   */
  allReduceNs16Kib: reported(number),
  allReduceNs1Mib: reported(number),
  /**
   * How much longer the median round trip is while the direction is fully loaded than when it is idle: the
   * delay in queues. Nanoseconds, from the measurement that gave the direction's rate.
   */
  uploadQueueNs: reported(number),
  downloadQueueNs: reported(number),
  ...datagramEntries(number),
});

/** Of UDP datagrams that are numbered, in each direction. */
// @__NO_SIDE_EFFECTS__
const datagramEntries = (number: Schema<number>) => ({
  /** The largest IP packet that arrives undivided, bytes. */
  uploadMtuBytes: reported(number),
  downloadMtuBytes: reported(number),
  /** How many the sender's kernel put on the wire, paced, far below the rate of the direction. */
  uploadDatagrams: reported(number),
  downloadDatagrams: reported(number),
  /** Of these, the share that did not arrive, without those that the receiver's own socket dropped. */
  uploadLossShare: reported(number),
  downloadLossShare: reported(number),
  /** Of those that arrived, the share that came after one that was sent later (RFC 4737, Type-P-Reordered). */
  uploadReorderedShare: reported(number),
  downloadReorderedShare: reported(number),
});

// @__NO_SIDE_EFFECTS__
const streamEntries = (number: Schema<number>) => ({
  /** TCP retransmits of both ends together while bandwidth was measured. */
  retransmits: reported(number),
  /** Parallel streams of the faster measurement of each direction. */
  uploadStreams: reported(number),
  downloadStreams: reported(number),
});

/** What a probe measures. */
// @__NO_SIDE_EFFECTS__
export const linkFigures = (number: Schema<number>) => ({
  ...rateAndTimeEntries(number),
  ...streamEntries(number),
});

export const noLinkFigures = (why: Unknown) => allUnknown(linkFigures(figure), why);
export const noDatagramFigures = (why: Unknown) => allUnknown(datagramEntries(figure), why);
export type DatagramFigures = ReturnType<typeof noDatagramFigures>;

export type HourlyFigures = Pick<LinkProfile, keyof ReturnType<typeof hourlyEntries>>;

/** Those of a profile that are measured once an hour. */
export const hourlyFigures = (profile: LinkProfile): HourlyFigures =>
  v.parse(v.object(hourlyEntries(figure)), profile);

export const linkProfileSchema = openObject({
  sink: nodeIdSchema,
  connectionKey: text,
  ...rateAndTimeEntries(figure),
  /**
   * Age of the figures that are measured once an hour when this was written, ms: all-reduces, queues, MTU, loss and
   * reordering. Unknown until they are measured.
   */
  extrasAgeMs: reported(figure),
  ...streamEntries(figure),
  /** Cost of the probe, both directions, payload bytes. */
  bytesUsed: figure,
  /**
   * The part of it for the all-reduces and the datagrams, which not every probe measures. Unknown from versions that do not
   * count it.
   */
  extrasBytes: reported(figure),
  /** "socket-ffi", "socket-event-loop", "perftest", "ucx", "mlx-jaccl". */
  engine: text,
  /** As text, with durations and sizes. */
  method: text,
  /** Age of the figures when this was written, ms: 0, or their age if the newest attempt failed. */
  measuredAgeMs: figure,
  /** The next probe is due this long after this one; unknown if a person requested it. */
  intervalMs: reported(figure),
  /** Why the newest attempt failed; the figures are then those of the last good one. */
  failure,
});

export type LinkProfile = Infer<typeof linkProfileSchema>;

/** Whether it has ever been measured: a probe that always failed publishes a profile without figures. */
export const hasFigures = (profile: LinkProfile): boolean =>
  [profile.uploadBitsPerSecond, profile.downloadBitsPerSecond, profile.roundTripNsP50].some(isKnown);
