// What replication counts, for /api/mesh and /metrics: nothing is refused or dropped without a number that says so.

export class ReplicationCounts {
  recordsSent = 0;
  recordsStored = 0;
  /** Came again, or from both sides. */
  recordsRepeated = 0;
  liveSent = 0;
  liveApplied = 0;
  liveRepeated = 0;
  /** A record beyond the next one came first; what lies between was asked for. */
  gaps = 0;
  /** Relayed under another's name, or changed on the way. */
  forged = 0;
  malformedFrames = 0;
  unknownTypes = 0;
  otherVersions = 0;
  /** Written by a newer version: stored or passed on, not applied. */
  unreadable = 0;
  /** Frames of a peer past its rate. Records among them are asked for again later. */
  overRate = 0;
  /** Live values past the bounds of the table. */
  liveRefused = 0;
  storeRefused = 0;
  /** Nodes whose values gave way to others'. */
  originsEvicted = 0;
  /** Asks to which a peer that claimed to hold it brought nothing in time. */
  undelivered = 0;
  /** New epochs, because peers proved that this journal is an old copy. */
  newEpochs = 0;
  /** Other nodes found to have two branches: restored from a copy. */
  forks = 0;
  /** Own records that cannot be proven to others. */
  unprovable = 0;
}
