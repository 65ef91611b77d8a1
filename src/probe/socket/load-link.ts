// A load of a socket connection: upload after upload until its time is over, each with a figure of its own, so that the seconds in
// which others sent too can be separated from those before and after.

import { reportedSum } from '../../core/unknown.ts';
import type { LinkLoad, LinkLoadRequest } from '../link-engine.ts';
import { type SourceParts, SourceSession } from './source-session.ts';
import { STREAMS_READY } from './stream.ts';

export type LoadArgument = Pick<LinkLoadRequest, 'durationMs' | 'streams' | 'roundTripMs'>;

/** @throws ProbeError */
export const loadLink = async (
  parts: SourceParts & LoadArgument,
  onBytes: (bytesUsed: number) => void,
): Promise<LinkLoad> => {
  const { clock, durationMs, streams, roundTripMs } = parts;
  await parts.engine.prepare(Math.max(STREAMS_READY, streams));
  const session = await SourceSession.open(parts);
  try {
    const endMs = clock.nowMs() + durationMs;
    const runs: { readonly startMs: number; readonly toMs: number; readonly bitsPerSecond: number }[] = [];
    const retransmits = [];
    // As many of equal length as fit: the sink serves a run for ten seconds at most.
    const runMs = durationMs / Math.ceil(durationMs / RUN_MS);
    while (endMs - clock.nowMs() >= Math.min(RUN_MS_LEAST, durationMs / 2)) {
      const startMs = clock.nowMs();
      const run = await session.bandwidth('upload', {
        streams: Math.min(streams, session.hello.streamsMax),
        bytesMax: RUN_BYTES_MAX,
        durationMsMax: Math.min(runMs, endMs - startMs),
        roundTripMs,
        measuresQueue: false,
        isWhole: true,
      });
      onBytes(session.bytesUsed);
      retransmits.push(run.retransmits);
      if (run.bitsPerSecond !== undefined)
        runs.push({ startMs, toMs: clock.nowMs(), bitsPerSecond: run.bitsPerSecond });
    }
    const nowMs = clock.nowMs();
    return {
      runs: runs.map(({ startMs, toMs, bitsPerSecond }) => ({
        startedAgoMs: nowMs - startMs,
        endedAgoMs: nowMs - toMs,
        bitsPerSecond,
      })),
      retransmits: reportedSum(retransmits),
      bytesUsed: session.bytesUsed,
    };
  } finally {
    onBytes(session.bytesUsed);
    session.close();
  }
};

const RUN_MS = 5_000;
/** Slow start alone takes as long on some links. */
const RUN_MS_LEAST = 1_000;
/** More than any adapter sends in that time, and exact as a double. */
const RUN_BYTES_MAX = 10_000_000_000_000;
