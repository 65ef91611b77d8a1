// What a sound link measured, for tests that need a whole profile and ask about a part of it.

import { type LinkProfile, noLinkFigures } from '../../src/core/link/link-profile.ts';
import { unknown } from '../../src/core/unknown.ts';

/** @example { ...LINK_FIGURES, sink, connectionKey, uploadBitsPerSecond: 1e9 } */
export const LINK_FIGURES: Omit<LinkProfile, 'sink' | 'connectionKey'> = {
  ...noLinkFigures(unknown('not measured here')),
  uploadBitsPerSecond: 9.41e9,
  downloadBitsPerSecond: 9.38e9,
  roundTripNsMin: 150_000,
  roundTripNsP50: 176_000,
  roundTripNsP99: 400_000,
  jitterNs: 18_000,
  roundTripCount: 200,
  allReduceNs16Kib: 60_000,
  allReduceNs1Mib: 900_000,
  uploadQueueNs: 400_000,
  downloadQueueNs: 400_000,
  extrasAgeMs: 0,
  extrasBytes: 0,
  retransmits: 0,
  uploadStreams: 1,
  downloadStreams: 1,
  bytesUsed: 1e9,
  engine: 'socket-ffi',
  method: 'tcp',
  measuredAgeMs: 0,
  intervalMs: 300_000,
  failure: 'none',
};
