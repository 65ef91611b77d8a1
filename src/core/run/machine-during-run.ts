// Other activity of the client's machine during the measurement, in figures: the sentences about it are in
// the notices.

import type { Reported } from '../unknown.ts';

export type MachineDuringRun = {
  /** In processors, of all other programs, including the server if it runs here. */
  readonly otherLoad: Reported<number>;
  /** Pages in and out. */
  readonly swappedPages: Reported<number>;
  /** Share of the time in which some task waited for memory (PSI). */
  readonly memoryWaitShare: Reported<number>;
  /** Share of the TCP segments that were retransmitted, over all connections of the machine. */
  readonly retransmittedShare: Reported<number>;
  /** Received and dropped, over all interfaces except loopback. */
  readonly droppedPackets: Reported<number>;
  /** How often heat throttled the first package. */
  readonly heatThrottles: Reported<number>;
  /** Frequency governor: "performance". */
  readonly governor: Reported<string>;
  /** The target is this machine's loopback: client and server share its processors. */
  readonly sharesProcessors: boolean;
};
