// Every number in docs/limits.md about replication; times in ms.

import type { OriginLimits } from './origin-quota.ts';

export interface ReplicationLimits {
  /** A digest goes to every peer this often, and repairs what was missed. */
  readonly digestIntervalMs: number;
  /** Changes of the neighbour list are sent together, this long after the first. */
  readonly neighbourDebounceMs: number;
  /** What was requested and has not come for this long is requested from other peers; checked this often. */
  readonly wantTimeoutMs: number;
  readonly wantCheckMs: number;
  /**
   * The longest pause before an origin is requested again from a peer that did not deliver it; it doubles,
   * starting at the timeout.
   */
  readonly wantPauseMsMax: number;
  /** After this many consecutive requests an origin is requested from a peer once in this time. */
  readonly wantsMax: number;
  readonly wantRestMs: number;
  /** Size of one frame of records or live events; a single record may be longer. */
  readonly chunkBytesMax: number;
  /** What one peer may send: events and bytes, each as a burst and a rate per second. */
  readonly eventsBurst: number;
  readonly eventsPerSecond: number;
  readonly bytesBurst: number;
  readonly bytesPerSecond: number;
  /** Malformed frames and forged records of one link before it is closed. */
  readonly faultsMax: number;
  /** Live values stored, per origin and in total, and their bytes. */
  readonly liveKeysPerOriginMax: number;
  readonly liveBytesPerOriginMax: number;
  readonly liveBytesMax: number;
  /** Nodes whose live values are stored; nodes whose durable events are stored. */
  readonly liveOrigins: OriginLimits;
  readonly durableOrigins: OriginLimits;
  /**
   * Live values of a node that was silent for this long, and of which no durable event is stored, are
   * dropped.
   */
  readonly liveDroppedMs: number;
  /** Bytes of records that prove forks, in total. */
  readonly forkBytesMax: number;
}

export const REPLICATION_LIMITS: ReplicationLimits = {
  digestIntervalMs: 5_000,
  neighbourDebounceMs: 1_500,
  wantTimeoutMs: 3_000,
  wantCheckMs: 1_000,
  wantPauseMsMax: 600_000,
  wantsMax: 8,
  wantRestMs: 86_400_000,
  chunkBytesMax: 131_072,
  eventsBurst: 20_000,
  eventsPerSecond: 5_000,
  bytesBurst: 64_000_000,
  bytesPerSecond: 16_000_000,
  faultsMax: 8,
  liveKeysPerOriginMax: 512,
  liveBytesPerOriginMax: 2_000_000,
  liveBytesMax: 64_000_000,
  liveOrigins: { originsMax: 4_096, relayedBurst: 512, relayedPerSecond: 16, silentMs: 60_000 },
  durableOrigins: { originsMax: 4_096, relayedBurst: 2_048, relayedPerSecond: 16, silentMs: 600_000 },
  liveDroppedMs: 600_000,
  forkBytesMax: 4_000_000,
};
