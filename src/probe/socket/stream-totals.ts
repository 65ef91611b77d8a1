// Several streams as one: their total, on the clock of the counting end.

import { monotonicNs } from '../../clock/system-clock.ts';
import { type Reported, reportedSum } from '../../core/unknown.ts';
import type { RateSample } from './rate-estimate.ts';
import type { Stream } from './stream.ts';

export const bytesOf = (streams: readonly Stream[]): number =>
  streams.reduce((sum, { bytes }) => sum + bytes, 0);

/** undefined before the first byte. */
export const sampleOf = (streams: readonly Stream[]): RateSample | undefined => {
  const first = sorted(streams.flatMap(({ firstByteNs }) => firstByteNs ?? []))[0];
  if (first === undefined) return undefined;
  const lasts = sorted(streams.flatMap(({ lastByteNs }) => lastByteNs ?? []));
  // Once no more may arrive, time stops counting.
  const now = lasts.length === streams.length ? lasts.at(-1) : undefined;
  return { elapsedMs: Number((now ?? monotonicNs()) - first) / 1e6, bytes: bytesOf(streams) };
};

const sorted = (stamps: readonly bigint[]): readonly bigint[] => stamps.toSorted((a, b) => (a < b ? -1 : 1));

/** Unknown if one of them is. */
export const retransmitsOf = (streams: readonly Stream[]): Reported<number> =>
  reportedSum(streams.map(stream => stream.tcpInfo().retransmits));

export const acknowledgedOf = (streams: readonly Stream[]): Reported<number> =>
  reportedSum(streams.map(stream => stream.tcpInfo().bytesAcknowledged));

/** Stops them, and drops their connections once no thread uses them any more. Idempotent. */
export const endStreams = async (streams: readonly Stream[]): Promise<void> => {
  for (const stream of streams) stream.stop();
  await Promise.all(streams.map(({ ended }) => ended));
  for (const stream of streams) stream.discard();
};

/** Why the first of them that broke did; stops all. */
export const firstReasonOf = async (streams: readonly Stream[]): Promise<string | undefined> => {
  for (const stream of streams) stream.stop();
  const endings = await Promise.all(streams.map(({ ended }) => ended));
  return endings.find(({ reason }) => reason !== '')?.reason;
};
