// The counters of replication, for /api/mesh and /metrics: nothing is refused or dropped without being
// counted.

export class ReplicationCounts {
  recordsSent = 0;
  recordsStored = 0;
  /** Arrived again, or from two peers. */
  recordsRepeated = 0;
  liveSent = 0;
  liveApplied = 0;
  liveRepeated = 0;
  /** A record beyond the next one arrived first; the records between were requested. */
  gaps = 0;
  /** Relayed under another node's name, or changed on the way. */
  forged = 0;
  malformedFrames = 0;
  unknownTypes = 0;
  otherVersions = 0;
  /** Written by a newer version: stored or passed on, not applied. */
  unreadable = 0;
  /** Frames of a peer above its rate. Records among them are requested again later. */
  overRate = 0;
  /** Live values above the limits of the table. */
  liveRefused = 0;
  storeRefused = 0;
  /** Nodes whose values were evicted for others. */
  originsEvicted = 0;
  /** Requests for which a peer that claimed to have the data delivered nothing in time. */
  undelivered = 0;
  /** New epochs started because peers proved that this journal is an old copy. */
  newEpochs = 0;
  /** Other nodes found with two branches: restored from a copy. */
  forks = 0;
  /** Own records without proof for others. */
  unprovable = 0;
}
