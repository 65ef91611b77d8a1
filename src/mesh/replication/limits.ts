// Every number in docs/limits.md about replication; times in ms.

export const REPLICATION_LIMITS = {
  /** A digest goes to every peer this often, and repairs what was missed. */
  digestIntervalMs: 5_000,
  /** Changes of the neighbour list are sent together, this long after the first. */
  neighbourDebounceMs: 1_500,
  /** What was requested and has not come for this long is requested from other peers; checked this often. */
  wantTimeoutMs: 3_000,
  wantCheckMs: 1_000,
  /**
   * The longest pause before an origin is requested again from a peer that did not deliver it; it doubles,
   * starting at the timeout.
   */
  wantPauseMsMax: 600_000,
  /** After this many consecutive requests an origin is requested from a peer once in this time. */
  wantsMax: 8,
  wantRestMs: 86_400_000,
  /** Size of one frame of records or live events; a single record may be longer. */
  chunkBytesMax: 131_072,
  /** What one peer may send: events and bytes, each as a burst and a rate per second. */
  eventsBurst: 20_000,
  eventsPerSecond: 5_000,
  bytesBurst: 64_000_000,
  bytesPerSecond: 16_000_000,
  /** Malformed frames and forged records of one link before it is closed. */
  faultsMax: 8,
  /** Live values stored, per origin and in total, and their bytes. */
  liveKeysPerOriginMax: 512,
  liveBytesPerOriginMax: 2_000_000,
  liveBytesMax: 64_000_000,
  /** Nodes whose live values are stored; nodes whose durable events are stored. */
  liveOrigins: { originsMax: 4_096, relayedBurst: 512, relayedPerSecond: 16, silentMs: 60_000 },
  durableOrigins: { originsMax: 4_096, relayedBurst: 2_048, relayedPerSecond: 16, silentMs: 600_000 },
  /**
   * Live values of a node that was silent for this long, and of which no durable event is stored, are
   * dropped.
   */
  liveDroppedMs: 600_000,
  /** Bytes of records that prove forks, in total. */
  forkBytesMax: 4_000_000,
};

export type ReplicationLimits = Readonly<typeof REPLICATION_LIMITS>;
